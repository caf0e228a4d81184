"""Results on disk."""

from labelspan.lab.store._checked import damaged, decoded
from labelspan.lab.store._read import cells_in, facts_in, series_in, statuses_in
from labelspan.lab.store._result import ENVIRONMENT, METHOD, STATUSES, Result, cause_of
from labelspan.lab.store._store import FILE_NAME, Store
from labelspan.lab.store._store_file import StoreError

__all__ = [
    "ENVIRONMENT",
    "FILE_NAME",
    "METHOD",
    "STATUSES",
    "Result",
    "Store",
    "StoreError",
    "cause_of",
    "cells_in",
    "damaged",
    "decoded",
    "facts_in",
    "series_in",
    "statuses_in",
]
