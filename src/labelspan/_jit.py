"""Compilation of the numerical loops, cached where the file system allows it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numba

# Names of the kernels that numba could not cache; reported once, by a fit that needs them.
_uncached: list[str] = []


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop without the interpreter lock, cached on disk if some folder is writable.

    Parameters
    ----------
    function : callable
        A function of arrays and numbers, in the part of Python that numba knows.

    Returns
    -------
    callable
        Compiled at the first call for each combination of argument types.

    Notes
    -----
    numba looks for a folder it can write: ``NUMBA_CACHE_DIR``, the package's own, the user's. If
    there is none it raises at decoration, that is at import; the function is compiled in each
    process then, and :func:`report_uncached` says so where that takes long.
    """
    try:
        return numba.njit(function, cache=True, nogil=True)
    except (RuntimeError, OSError):
        _uncached.append(function.__name__)
        return numba.njit(function, nogil=True)


def report_uncached() -> None:
    """Warn, once a process, that the kernels are compiled anew in each process."""
    if not _uncached:
        return
    folder = os.environ.get("NUMBA_CACHE_DIR")
    warnings.warn(
        f"numba found no folder it can write for its cache (NUMBA_CACHE_DIR is {folder!r}), so "
        f"{len(_uncached)} kernels of labelspan are compiled again in each process that needs "
        "them, which takes some ten seconds. Set NUMBA_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )
    _uncached.clear()
