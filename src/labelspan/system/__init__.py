"""System utilities: files, folders, text for terminals, threads, optional packages."""

from labelspan.system._optional import install_hint, require
from labelspan.system._permissions import closed_folder
from labelspan.system._plain_text import clean, counted, escaped
from labelspan.system._progress import watched
from labelspan.system._replace_file import replace_file
from labelspan.system._threads import one_blas_thread
from labelspan.system._watch import Watch

__all__ = [
    "Watch",
    "clean",
    "closed_folder",
    "counted",
    "escaped",
    "install_hint",
    "one_blas_thread",
    "replace_file",
    "require",
]
