"""Arrays on a device: who they are, where they live, and the way to the host and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan._compat import array_namespace, dispatches, move_to_host

# Their arrays are followed; those of other libraries become NumPy arrays, as in scikit-learn.
LIBRARIES = frozenset({"torch", "cupy", "array_api_strict"})
# By type of array.
NAMESPACES: dict[type, Any] = {}


def is_device(array: Any) -> bool:
    """Whether this is an array of a library that keeps it on a device of its own."""
    kind = type(array)
    # It is asked some forty times in a fit, nearly always of these.
    return kind is not np.ndarray and kind.__module__.partition(".")[0] in LIBRARIES


def is_followed(array: Any) -> bool:
    """Whether the fitted arrays stay on the device of this array (scikit-learn's option)."""
    return is_device(array) and dispatches()


def namespace(array: Any) -> Any:
    """NumPy itself, or the functions of the array's library under the names of the standard."""
    if not is_device(array):
        return np
    # It is asked for some eighty times in a fit.
    kind = type(array)
    if kind not in NAMESPACES:
        NAMESPACES[kind] = array_namespace(array)
    return NAMESPACES[kind]


def to_host(array: Any) -> Any:
    """A NumPy array; what lies on the host already is returned as it is."""
    return move_to_host(detached(array)) if is_device(array) else array


def detached(array: Any) -> Any:
    """The array without a record of its gradients, which torch keeps where it is asked to."""
    return array.detach() if getattr(array, "requires_grad", False) else array


def like(reference: Any, array: Any) -> Any:
    """An array of the host beside `reference`; one that is there already as it is."""
    if array is None or is_device(array) or not is_device(reference):
        return array
    xp = namespace(reference)
    # torch warns of arrays that may not be written, such as blocks of a memory map, and takes no
    # negative stride, even of an array of one number.
    array = array.copy() if min(array.strides, default=0) < 0 else array
    contiguous = np.require(array, requirements=["C", "W"])
    return xp.asarray(contiguous, device=reference.device)


def rows_at(array: Any, rows: Any) -> Any:
    """Some rows of an array of any kind, by a slice or by their numbers, which the host knows."""
    if not is_device(array):
        return array[rows]
    if isinstance(rows, np.ndarray):
        return namespace(array).take(array, like(array, rows), axis=0)
    # The standard wants every axis named.
    return array[rows, ...]


def cast(array: Any, dtype: Any) -> Any:
    """The array in another precision, named as NumPy names it; no copy where it has it."""
    if not is_device(array):
        return array.astype(dtype, copy=False)
    xp = namespace(array)
    return xp.astype(array, getattr(xp, np.dtype(dtype).name), copy=False)


def copied(array: Any) -> Any:
    """A copy that is the caller's own."""
    return namespace(array).asarray(array, copy=True) if is_device(array) else array.copy()


def diagonal(A: Any) -> np.ndarray:
    """The diagonal, on the host."""
    return to_host(namespace(A).linalg.diagonal(A)) if is_device(A) else A.diagonal()


def precision_of(X: Any) -> Any:
    """NumPy's name of the precision of what is learnt from X: float32 or float64."""
    dtype = namespace(X).float32 if is_device(X) else np.float32
    return np.float32 if X.dtype == dtype else np.float64


def empty(reference: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array to be filled, where `reference` lives."""
    if not is_device(reference):
        return np.empty(shape, dtype=dtype)
    xp = namespace(reference)
    return xp.empty(shape, dtype=getattr(xp, np.dtype(dtype).name), device=reference.device)


def finite(array: Any) -> bool:
    """Whether every number is one."""
    xp = namespace(array)
    return bool(xp.all(xp.isfinite(array)))


def sums(A: Any, axis: int | None = None) -> Any:
    """Sums of an array of any kind, sparse ones included."""
    return namespace(A).sum(A, axis=axis) if is_device(A) else A.sum(axis=axis)
