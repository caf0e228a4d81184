"""Numerical loops: compiled at their first call, or run by Python where that costs less."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

# Python runs a loop at about a microsecond per step (per byte of a text), so that this many take
# as long as to import numba and to load a compiled loop from its cache, let alone to compile it.
INTERPRETED_STEPS = 2**18
# Where a counter starts: for a literal 0 numba compiles the kernels that take it once more.
ZERO = np.int64(0)


class Kernel:
    """A loop over arrays, compiled when it is called.

    Neither numba nor the compiled code is loaded before. A kernel may call other kernels: the
    compiler asks for `_numba_type_` and compiles them into the caller.

    Parameters
    ----------
    function : callable
        A function of arrays and numbers, in the part of Python that numba knows.
    is_inner : bool
        Whether only kernels call it. It is compiled as a part of them then, without an entry
        from Python and without a place in the cache, which is half of the work.
    """

    def __init__(self, function: Any, is_inner: bool) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.is_inner = is_inner
        self.dispatcher: Any = None
        self._n_steps = 0

    def __call__(self, *args: Any) -> Any:
        """Run the loop, compiled."""
        dispatcher = self.dispatcher or self.load()
        # With NUMBA_DISABLE_JIT the dispatcher is the function itself.
        if self.is_inner and dispatcher is not self.py_func:
            raise TypeError(
                f"{self.py_func.__name__} is an inner kernel, which only kernels can call; call "
                "its attribute interpreted, or declare it with @kernel."
            )
        return dispatcher(*args)

    def __reduce__(self) -> str:
        """Pickle by name, as a function is."""
        return str(self.py_func.__qualname__)

    def load(self) -> Any:
        """Give the dispatcher of numba, which compiles or loads the code at its first call."""
        # Importing numba takes longer than all of labelspan; see the class.
        from labelspan._jit import _compile

        with _compile.LOCK:
            if self.dispatcher is None:
                self.dispatcher = _compile.dispatcher(self.py_func, self.is_inner)
        return self.dispatcher

    @property
    def _numba_type_(self) -> Any:
        return (self.dispatcher or self.load())._numba_type_

    def for_steps(self, n_steps: int) -> Callable[..., Any]:
        """Choose Python for a short loop, and the compiled code for a long one.

        Parameters
        ----------
        n_steps : int
            About how many steps the loop takes, such as the bytes of a text.

        Returns
        -------
        callable
            The kernel itself if it is compiled, or if all the loops that Python ran would add up
            to more than ``INTERPRETED_STEPS``; else :attr:`interpreted`. The result is the same.
        """
        if self.dispatcher is not None or self._n_steps + n_steps > INTERPRETED_STEPS:
            return self
        self._n_steps += n_steps
        return self.interpreted

    @functools.cached_property
    def interpreted(self) -> Callable[..., Any]:
        """The loop in Python, with those of the kernels that it calls."""
        loop = self._plain

        @functools.wraps(self.py_func)
        def run(*args: Any) -> Any:
            # Unsigned numbers wrap around in compiled code, and bytes are compared that way.
            with np.errstate(over="ignore"):
                return loop(*args)

        return run

    @functools.cached_property
    def _plain(self) -> FunctionType:
        names = dict(self.py_func.__globals__)
        for name in self.py_func.__code__.co_names:
            if isinstance(names.get(name), Kernel):
                names[name] = names[name]._plain
        return FunctionType(self.py_func.__code__, names, self.py_func.__name__)


def is_loaded() -> bool:
    """Whether numba is imported: a kernel for a loop that NumPy could do costs little then."""
    return "labelspan._jit._compile" in sys.modules


def read_only(array: Any, dtype: Any) -> np.ndarray:
    """View an array as the one type of input that kernels are compiled for.

    Parameters
    ----------
    array : ndarray
        Any dtype and layout.
    dtype : dtype
        The one that the kernel takes.

    Returns
    -------
    ndarray
        C-contiguous, aligned and read-only; a copy only where that is needed. An array that can
        be written is another type to numba, and an array of the caller may be either.
    """
    view = np.require(array, dtype, ["C", "A"]).view(np.ndarray)
    view.flags.writeable = False
    return view


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a loop at its first call, without the interpreter lock, cached on disk.

    Parameters
    ----------
    function : callable
        A function of arrays and numbers, in the part of Python that numba knows.

    Returns
    -------
    Kernel
        Compiled for each combination of argument types: callers pass one dtype and layout.
    """
    return Kernel(function, is_inner=False)


def inner_kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a loop as a part of the kernels that call it.

    Parameters
    ----------
    function : callable
        A function of arrays and numbers, in the part of Python that numba knows.

    Returns
    -------
    Kernel
        Not to be called from Python, but for :attr:`Kernel.interpreted`.
    """
    return Kernel(function, is_inner=True)
