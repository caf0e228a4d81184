"""Arrays on a device: their library and device, and copies to the host and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.compat import array_namespace, dispatches, move_to_host

# Arrays of these libraries stay on their device; others become NumPy arrays, as in scikit-learn.
LIBRARIES = frozenset({"torch", "cupy", "array_api_strict"})
# By type of array.
NAMESPACES: dict[type, Any] = {}


def is_device(array: Any) -> bool:
    """Whether this is an array of a library that supports devices."""
    kind = type(array)
    # A fit calls this some forty times, nearly always for these types.
    return kind is not np.ndarray and kind.__module__.partition(".")[0] in LIBRARIES


def is_followed(array: Any) -> bool:
    """Whether the fitted arrays stay on the device of this array (scikit-learn's option)."""
    return is_device(array) and dispatches()


def namespace(array: Any) -> Any:
    """NumPy itself, or the functions of the array's library under the names of the standard."""
    if not is_device(array):
        return np
    # A fit calls this some eighty times.
    kind = type(array)
    if kind not in NAMESPACES:
        NAMESPACES[kind] = array_namespace(array)
    return NAMESPACES[kind]


def to_host(array: Any) -> Any:
    """A NumPy array; an array already on the host is returned unchanged."""
    return move_to_host(detached(array)) if is_device(array) else array


def detached(array: Any) -> Any:
    """The array detached from torch's gradient record."""
    return array.detach() if getattr(array, "requires_grad", False) else array


def like(reference: Any, array: Any) -> Any:
    """A host array on the device of `reference`, then dense; one already there is unchanged."""
    if array is None or is_device(array) or not is_device(reference):
        return array
    xp = namespace(reference)
    array = array.toarray() if hasattr(array, "toarray") else array
    # torch warns of read-only arrays, such as blocks of a memory map, and rejects negative
    # strides, even for a single number.
    array = array.copy() if min(array.strides, default=0) < 0 else array
    contiguous = np.require(array, requirements=["C", "W"])
    return xp.asarray(contiguous, device=reference.device)


def rows_at(array: Any, rows: Any) -> Any:
    """Some rows of an array of any kind, by a slice or by indices on the host."""
    if not is_device(array):
        return array[rows]
    if isinstance(rows, np.ndarray):
        return namespace(array).take(array, like(array, rows), axis=0)
    # The array standard requires every axis to be indexed.
    return array[rows, ...]


def cast(array: Any, dtype: Any) -> Any:
    """The array in another precision, given by its NumPy name; not copied if it has it already."""
    if not is_device(array):
        return array.astype(dtype, copy=False)
    xp = namespace(array)
    return xp.astype(array, getattr(xp, np.dtype(dtype).name), copy=False)


def copied(array: Any) -> Any:
    """A copy that the caller may overwrite."""
    return namespace(array).asarray(array, copy=True) if is_device(array) else array.copy()


def diagonal(A: Any) -> np.ndarray:
    """The diagonal, on the host."""
    return to_host(namespace(A).linalg.diagonal(A)) if is_device(A) else A.diagonal()


def precision_of(X: Any) -> Any:
    """NumPy's name of the precision of arrays fitted on X: float32 or float64."""
    dtype = namespace(X).float32 if is_device(X) else np.float32
    return np.float32 if X.dtype == dtype else np.float64


def empty(reference: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """An uninitialised array on the device of `reference`."""
    if not is_device(reference):
        return np.empty(shape, dtype=dtype)
    xp = namespace(reference)
    return xp.empty(shape, dtype=getattr(xp, np.dtype(dtype).name), device=reference.device)


def finite(array: Any) -> bool:
    """Whether every entry is finite."""
    xp = namespace(array)
    return bool(xp.all(xp.isfinite(array)))


def sums(A: Any, axis: int | None = None) -> Any:
    """Sums of an array of any kind, sparse ones included."""
    return namespace(A).sum(A, axis=axis) if is_device(A) else A.sum(axis=axis)
