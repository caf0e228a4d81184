"""Compilation of the sweep, cached on disk where some folder can be written."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numba

# Names of the kernels that numba could not cache; reported once, by the first fit.
_uncached: list[str] = []


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile at the first call, without the interpreter lock, cached if possible.

    numba looks for a folder it can write: ``NUMBA_CACHE_DIR``, the package's own, the user's.
    If there is none it raises while the package is imported; the function is compiled in
    memory then, and :func:`report_uncached` says so when somebody fits.
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
        f"{len(_uncached)} kernels of labelspan.ranking are compiled again in each process, "
        "which takes some ten seconds. Set NUMBA_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )
    _uncached.clear()
