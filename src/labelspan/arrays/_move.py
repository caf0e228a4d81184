"""Move fitted arrays to the device of the X of ``fit``, or to the host."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from labelspan.arrays._arrays import is_device, like, namespace, to_host
from labelspan.arrays._stream import is_streamed

Convert = Callable[[Any], Any]
# Attributes that are read, not multiplied, stay on the host.
TABLES = ("classes_", "cv_results_")


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


def settle(estimator: Any, X: Any) -> None:
    """Move fitted arrays to the device of X, and remember that device."""
    known = vars(estimator)
    known.pop("_place", None)
    if not is_device(X):
        if is_streamed(X):
            learnt = known.keys() - estimator.get_params(deep=False).keys()
            known.update((name, converted(known[name], to_host)) for name in learnt)
        return
    remember_place(estimator, X)
    parameters = {*estimator.get_params(deep=False), *TABLES}
    for name in known.keys() - parameters:
        if not isinstance(known[name], BaseEstimator):
            known[name] = converted(known[name], lambda array: beside(X, array))


def beside(X: Any, array: Any) -> Any:
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
