"""Compilation of the hot loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function with numba, cached on disk where some folder can be written.

    numba puts the cache beside the module, else in the user's cache folder (or in
    ``NUMBA_CACHE_DIR``). Where none of them can be written it raises at decoration, which
    would make the package impossible to import from a read-only image: compile in memory then.
    """
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return numba.njit(nogil=True)(function)
