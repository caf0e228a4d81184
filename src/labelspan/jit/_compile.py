"""All code that needs numba: dispatchers, their cache folder, the message about compiling.

Imported by the first kernel that runs compiled, because importing numba takes longer than
labelspan.
"""

from __future__ import annotations

import logging
import os
import stat
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numba
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

# One lock for all. With a second one besides numba's own, two threads that compile and load kernels
# could take them in opposite order.
LOCK = global_compiler_lock
# No C entry point, because kernels are never passed by address.
OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}
# Seconds of compiling after which a message explains the delay.
PATIENCE = 1.0
MESSAGE = "labelspan: compiling, once"

# Both have options that their annotations lack.
_njit: Any = numba.njit
_config: Any = numba.config
_logger = logging.getLogger("labelspan")
_is_uncached = False


def dispatcher(function: Callable[..., Any], is_inner: bool) -> Any:
    """The dispatcher of numba for a loop; `is_inner` if only compiled loops call it.

    numba looks for a writable cache: ``NUMBA_CACHE_DIR``, the package's folder, the user's. Without
    one, the folder for temporary files is used; without that, each process compiles, with a
    warning.
    """
    if is_inner:
        return _njit(function, no_cpython_wrapper=True, **OPTIONS)
    try:
        return cached(function)
    except (RuntimeError, OSError):
        pass
    before = _config.CACHE_DIR
    try:
        _config.CACHE_DIR = str(temporary_folder())
        return cached(function)
    except (RuntimeError, OSError):
        _report_uncached(before)
        return _njit(function, **OPTIONS)
    finally:
        _config.CACHE_DIR = before


def cached(function: Callable[..., Any]) -> Any:
    """The dispatcher of a loop whose code is stored.

    numba unpickles the types in its index before it compares the date of the source. Types that an
    earlier version of labelspan had, and this one has not, make an index that counts as empty.
    """
    made = _njit(function, cache=True, **OPTIONS)
    file = getattr(getattr(made, "_cache", None), "_cache_file", None)
    if file is not None:
        file._load_index = partial(index_of, file._load_index)
    return made


def index_of(load: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
    """The stored signatures; none if they cannot be read."""
    try:
        return load()
    except (AttributeError, ImportError, EOFError, UnpicklingError):
        return {}


def temporary_folder() -> Path:
    """Make a cache folder among the temporary files that no other user can write."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"labelspan-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    # Cached code is executed, so a folder that another user made or may write is not trusted.
    is_ours = hasattr(os, "getuid") and found.st_uid == user and not found.st_mode & 0o077
    if not stat.S_ISDIR(found.st_mode) or not (is_ours or os.name == "nt"):
        raise PermissionError(f"{folder} belongs to another user or can be written by others")
    return folder


def _report_uncached(folder: str) -> None:
    global _is_uncached
    if _is_uncached:
        return
    _is_uncached = True
    warnings.warn(
        f"numba found no folder it can write for its cache (NUMBA_CACHE_DIR is {folder!r}), so "
        "each process compiles the loops of labelspan that it needs again, which takes seconds. "
        "Set NUMBA_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=5,
    )


class _Notice(event.Listener):
    """Logs one line per process when compiling kernels of labelspan has taken PATIENCE."""

    def __init__(self) -> None:
        self.depth = 0
        self.spent = 0.0
        self.start = 0.0
        self.timer: threading.Timer | None = None
        self.is_said = False

    def say(self) -> None:
        if not self.is_said:
            self.is_said = True
            _logger.warning(MESSAGE)

    def on_start(self, event: Any) -> None:
        # The event of a loop includes compiling the loops it calls and functions of numba.
        # The constructor of a jitclass, in other packages, has no module.
        module = event.data["dispatcher"].py_func.__module__ or ""
        if self.depth or module.startswith("labelspan."):
            self.depth += 1
        if self.depth == 1 and not self.is_said:
            self.start = time.perf_counter()
            self.timer = threading.Timer(max(PATIENCE - self.spent, 0.0), self.say)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        if not self.depth:
            return
        self.depth -= 1
        if self.depth == 0 and self.timer is not None:
            self.timer.cancel()
            self.timer = None
            self.spent += time.perf_counter() - self.start


event.register("numba:compile", _Notice())
