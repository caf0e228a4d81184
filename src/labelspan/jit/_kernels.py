"""Numerical loops, compiled at their first call or run by Python if that costs less."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

# Python runs a loop at about a microsecond per step (per byte of a text). This many steps take as
# long as importing numba and loading a compiled loop from the cache; compiling takes longer.
INTERPRETED_STEPS = 2**18
# Start of counters; for a literal 0, numba would compile the kernels that take it again.
ZERO = np.int64(0)


class Kernel:
    """A loop over arrays, compiled when it is called; before that, numba is not even imported.

    Kernels may call others: the compiler reads `_numba_type_` and compiles them into the caller.
    `is_inner`: only kernels call it, so it has no Python entry and no cache file: half of the work.
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
        """Return the dispatcher of numba, which compiles or loads the code at its first call."""
        # Importing numba takes longer than all of labelspan; see the class.
        from labelspan.jit import _compile

        with _compile.LOCK:
            if self.dispatcher is None:
                self.dispatcher = _compile.dispatcher(self.py_func, self.is_inner)
        return self.dispatcher

    @property
    def _numba_type_(self) -> Any:
        return (self.dispatcher or self.load())._numba_type_

    def for_steps(self, n_steps: int) -> Callable[..., Any]:
        """The kernel if compiled, or after INTERPRETED_STEPS of Python; else `interpreted`."""
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
    return "labelspan.jit._compile" in sys.modules


def read_only(array: Any, dtype: Any) -> np.ndarray:
    """View an array as kernels take it, one type to numba: C-contiguous, aligned, read-only."""
    view = np.require(array, dtype, ["C", "A"]).view(np.ndarray)
    view.flags.writeable = False
    return view


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a loop at its first call per combination of types; no GIL, cached on disk."""
    return Kernel(function, is_inner=False)


def inner_kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a loop as a part of the kernels that call it; Python may call its ``interpreted``."""
    return Kernel(function, is_inner=True)
