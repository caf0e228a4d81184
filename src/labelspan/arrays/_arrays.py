"""Arrays of all kinds: dense and sparse ones of the host, and those that live on a device."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from labelspan.compat import array_namespace, dispatches, move_to_host

# Arrays of these libraries stay on their device; others become NumPy arrays, as in scikit-learn.
LIBRARIES = frozenset({"torch", "cupy", "array_api_strict"})
# By type of array.
NAMESPACES: dict[type, Any] = {}
Convert = Callable[[Any], Any]
# Attributes that are read, not multiplied, stay on the host.
TABLES = ("classes_", "cv_results_")


class Setting(NamedTuple):
    """What :func:`config_context` sets."""

    # An empty array on the device that computes the sums; None for the host.
    device: Any = None
    # Precision of the products that a device sums.
    sums: str = "float64"
    # Whether an estimator that can use sums of the device is being fitted.
    active: bool = False
    # Whether fits have the same bits for any number of threads and any chunks.
    reproducible: bool = False


PLAIN = Setting()
SETTING: ContextVar[Setting] = ContextVar("SETTING", default=PLAIN)


def is_dask_array(array: Any) -> bool:
    """Whether `array` is a Dask array, without importing Dask."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(array, module.Array)


def is_dask(thing: Any) -> bool:
    """Whether this is a Dask array, or a Dask data frame or a column of one."""
    return type(thing).__module__.startswith("dask")


def is_dask_frame(table: Any) -> bool:
    """Whether `table` is a Dask data frame or a column of one, without importing Dask."""
    module = sys.modules.get("dask.dataframe")
    return module is not None and isinstance(table, module.DataFrame | module.Series)


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


def cast(array: Any, dtype: Any, *, copy: bool = False) -> Any:
    """The array in another precision, by its NumPy name; copied if it changes, or if asked."""
    if not is_device(array):
        return np.array(array, dtype, order="C") if copy else array.astype(dtype, copy=False)
    xp = namespace(array)
    return xp.astype(array, getattr(xp, np.dtype(dtype).name), copy=copy)


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


def reference_on(device: Any) -> Any:
    """An empty array on a device, by its name or from another array there."""
    if device is None or is_device(device):
        return device
    if not isinstance(device, str):
        raise TypeError(
            f"device is {type(device).__name__}; allowed are a name that torch knows, such as "
            "'cuda', an array of torch or CuPy that lives on the device, and None."
        )
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            f"device={device!r} is a device of torch, which is not installed. Install torch, or "
            "pass an array of CuPy that lives on the device."
        ) from error
    return torch.empty(0, device=device)


def is_streamed(X: Any) -> bool:
    """Whether to send the rows of X to a device: X is dense and has no more columns than rows."""
    return (
        SETTING.get().active
        and isinstance(X, np.ndarray)
        and X.ndim == 2
        and X.dtype.kind == "f"
        and X.shape[0] >= X.shape[1]
    )


def in_memory(A: Any) -> Any:
    """The same in the memory of the host, computed if it is a Dask array; sparse stays sparse."""
    return A.compute() if is_dask_array(A) else to_host(A)


def on_host(statistics: Any) -> Any:
    """The same statistics as NumPy arrays, for solvers that run on the host only.

    Only statistics are copied, never the sample.
    """
    return converted(statistics, to_host)


def to_numpy(estimator: Any) -> Any:
    """Copy a fitted estimator to the host.

    Parameters
    ----------
    estimator : estimator
        Fitted on arrays of torch or CuPy under ``sklearn.config_context(array_api_dispatch=True)``,
        or on NumPy arrays.

    Returns
    -------
    object
        A copy whose fitted arrays are NumPy arrays, so pickle, skops and ONNX can use it on a
        machine without a device. The given estimator is unchanged.

    Examples
    --------
    >>> import labelspan as ls
    >>> yeast = ls.datasets.load_yeast()
    >>> type(ls.to_numpy(ls.MVMD(2).fit(yeast.X, yeast.Y)).components_)
    <class 'numpy.ndarray'>
    """
    if {"_place", "_chunks"} <= vars(estimator).keys():
        raise ValueError(
            f"This {type(estimator).__name__} keeps sums of chunks on {place_of(estimator._place)}."
            " Call estimator.finalize() first, which drops them."
        )
    moved = converted(estimator, to_host)
    vars(moved).pop("_place", None)
    return moved


def remember_place(estimator: Any, X: Any) -> None:
    """The device of the first chunk; later chunks and fitted arrays must be there too."""
    vars(estimator).pop("_place", None)
    if is_device(X):
        # An empty array, which moves with the others.
        vars(estimator)["_place"] = X[:0, :0]


def place_fitted(estimator: Any, X: Any) -> None:
    """Move fitted arrays to the device of X, and remember that device."""
    known = vars(estimator)
    known.pop("_place", None)
    if not is_device(X):
        if SETTING.get().active:
            # A device may have computed what was learnt.
            learnt = known.keys() - estimator.get_params(deep=False).keys()
            known.update((name, converted(known[name], to_host)) for name in learnt)
        return
    remember_place(estimator, X)
    parameters = {*estimator.get_params(deep=False), *TABLES}
    for name in known.keys() - parameters:
        if not isinstance(known[name], BaseEstimator):
            known[name] = converted(known[name], lambda array: moved_to(X, array))


def moved_to(X: Any, array: Any) -> Any:
    """Move a numeric array to where X is, its device or the host; leave names."""
    if not is_device(X):
        return to_host(array)
    return like(X, array) if is_device(array) or array.dtype.kind in "fiu" else array


def place_of(X: Any) -> str:
    """The device of an array, in words."""
    if not is_device(X):
        return "the host"
    return f"{namespace(X).__name__.rpartition('array_api_compat.')[2]}, {X.device}"


def converted(thing: Any, convert: Convert) -> Any:
    """A copy with every array in it converted."""
    if is_device(thing) or isinstance(thing, np.ndarray):
        return convert(thing)
    if isinstance(thing, dict):
        return {key: converted(value, convert) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        items = [converted(item, convert) for item in thing]
        return type(thing)(*items) if hasattr(thing, "_fields") else type(thing)(items)
    if isinstance(thing, BaseEstimator):
        moved = copy.copy(thing)
        vars(moved).update(converted(vars(thing), convert))
        return moved
    if is_dataclass(thing) and not isinstance(thing, type):
        moved = copy.copy(thing)
        for field in fields(thing):
            object.__setattr__(moved, field.name, converted(getattr(thing, field.name), convert))
        return moved
    return thing
