"""Compilation of the numerical loops, cached where the file system allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


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
    numba raises at decoration, that is at import, if neither the package's folder nor the
    user's cache folder is writable; the function is then compiled in each process.
    """
    try:
        return numba.njit(function, cache=True, nogil=True)
    except RuntimeError:
        return numba.njit(function, nogil=True)
