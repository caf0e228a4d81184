"""Input validation of Dask arrays: blocks are checked and streamed, or refused with advice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from labelspan.arrays import (
    canonical,
    dense,
    is_dask_array,
    is_dask_frame,
    is_reproducible,
    values_of,
)
from labelspan.jit import is_loaded, kernel, read_only

# Numbers from which on a compiled loop pays, where numba is there.
COMPILED = 2**20


def from_frames(*tables: Any) -> list[Any]:
    """Dask frames as Dask arrays with known block lengths, computed in one graph."""
    import dask

    frames = [table for table in tables if is_dask_frame(table)]
    lengths = iter(dask.compute(*(frame.map_partitions(len) for frame in frames)))
    return [
        table.to_dask_array(lengths=[int(n) for n in next(lengths)])
        if is_dask_frame(table)
        else table
        for table in tables
    ]


def dask_rows(estimator: Any, X: Any) -> Any:
    """X, or the Dask array of a Dask frame, whose column names must match those of ``fit``."""
    if not is_dask_frame(X):
        return X
    validate_data(estimator, X._meta, reset=False, skip_check_array=True)
    return X.to_dask_array()


def refuse_dask(estimator: Any, reason: str, **arrays: Any) -> None:
    """Raise for a Dask array that an estimator does not accept, before anything is computed."""
    for name, array in arrays.items():
        if is_dask_array(array):
            raise TypeError(
                f"{name} is a Dask array; {type(estimator).__name__} {reason}. Compute it first: "
                f"{name}.compute()."
            )


def as_csr(Y: np.ndarray) -> sparse.csr_array:
    """The entries of a dense array, in float64; SciPy takes four times as long."""
    n_rows, n_columns = Y.shape
    if Y.dtype == bool and Y.size >= COMPILED and is_loaded():
        columns, indptr = np.empty(np.count_nonzero(Y) + 1, np.int32), np.zeros(n_rows + 1, int)
        find_ones(read_only(Y, bool).view(np.uint8), columns, indptr)
        columns = columns[:-1]
    else:
        entries = np.flatnonzero(Y)
        rows = entries // max(n_columns, 1)
        indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=n_rows)))
        columns = (entries - rows * n_columns).astype(np.int32)
    data = np.ones(len(columns)) if Y.dtype == bool else Y.ravel()[entries].astype(np.float64)
    return sparse.csr_array((data, columns, indptr), shape=Y.shape)


@kernel
def find_ones(Y, columns, indptr):  # type: ignore[no-untyped-def]
    """Put the columns of the ones of Y into `columns`, which is one longer, and where rows end."""
    k = np.uint64(0)
    for i in range(Y.shape[0]):
        row = Y[i]
        for j in range(len(row)):
            # Branch-free: always write, advance only on a one.
            columns[k] = j
            k += np.uint64(row[j])
        indptr[i + 1] = k


def check_block(X: Any) -> Any:
    """One block of a Dask array, on its worker: float32 or float64, finite, CSR if sparse."""
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    X = canonical(X.astype(dtype, copy=False))
    if not np.isfinite(values_of(X)).all():
        raise ValueError(
            "Input X contains NaN or infinity, in a block of a Dask array. Fill it in first, "
            "e.g. X = dask.array.nan_to_num(X), or drop the rows."
        )
    return X


def check_dask_rows(array: Any, name: str) -> None:
    """Refuse a Dask array whose blocks are not whole rows of numbers, and say how to repair it."""
    if array.ndim != 2:
        raise ValueError(
            f"{name} is a {array.ndim}-d Dask array; expected 2-d, (n_samples, n_columns). "
            f"Reshape it, or compute it first: {name}.compute()."
        )
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} is a Dask array of dtype {array.dtype}; expected numbers. "
            f"Convert it first: {name}.astype(float)."
        )
    if len(array.chunks[1]) > 1:
        raise ValueError(
            f"{name} is chunked along its columns into {len(array.chunks[1])} pieces; "
            f"rows must be whole. Call {name} = {name}.rechunk({{1: -1}}) first."
        )


def check_dask(X: Any, y: Any, min_samples: int = 1) -> None:
    """Refuse Dask arrays that cannot be read by blocks of rows, and say how to repair them."""
    for name, array in (("X", X), ("y", y)):
        if not is_dask_array(array):
            continue
        if is_reproducible():
            raise TypeError(
                f"{name} is a Dask array, whose workers add up in blocks of their own; "
                "reproducible=True takes the blocks one by one: pass them to fit_blocks."
            )
        check_dask_rows(array, name)
        if any(np.isnan(size) for size in array.chunks[0]):
            raise ValueError(
                f"{name} has row chunks of unknown size. "
                f"Call {name}.compute_chunk_sizes() before fit."
            )
    if len(X) != y.shape[0]:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {len(X)} rows, "
            f"y has {y.shape[0]}."
        )
    if len(X) < min_samples:
        raise ValueError(
            f"Found Dask array with {len(X)} sample(s) (shape={X.shape}) while a minimum of "
            f"{min_samples} is required."
        )
    if is_dask_array(y) and X.chunks[0] != y.chunks[0]:
        raise ValueError(
            f"X and y have different row chunks ({X.chunks[0][:3]}... and {y.chunks[0][:3]}...). "
            "Call y = y.rechunk({0: X.chunks[0]}) before fit."
        )


def set_n_features(estimator: Any, n_features: int, reset: bool) -> None:
    """Record or compare the number of features of a Dask array, as validate_data does."""
    if reset:
        estimator.n_features_in_ = n_features
        # Names of an earlier fit on a frame do not describe these columns.
        estimator.__dict__.pop("feature_names_in_", None)
        return
    # A tuner has no number of features if its estimator has none.
    known = getattr(estimator, "n_features_in_", n_features)
    if n_features != known:
        raise ValueError(
            f"X has {n_features} features, but {type(estimator).__name__} is expecting "
            f"{known} features as input."
        )


def lazily(
    estimator: Any,
    X: Any,
    function: Callable[[Any], np.ndarray],
    n_columns: int,
    dtype: Any = None,
) -> Any:
    """Apply a function of checked rows, (m, D) to (m, n_columns), lazily to blocks of a Dask array.

    The number of features is compared with that of the fitted estimator at once; each block is
    checked on its worker. Chunks of unknown length are fine; `dtype` None means that of X if
    float32.
    """
    check_dask_rows(X, "X")
    set_n_features(estimator, X.shape[1], reset=False)
    return by_blocks(X, function, n_columns, dtype)


def by_blocks(
    X: Any, function: Callable[[Any], np.ndarray], n_columns: int, dtype: Any = None
) -> Any:
    """A function of rows whose columns the caller has checked; see :func:`lazily`."""
    if dtype is None:
        dtype = np.float32 if X.dtype == np.float32 else np.float64
    return X.map_blocks(
        of_block,
        function,
        np.empty((0, n_columns), dtype=dtype),
        dtype=dtype,
        chunks=(X.chunks[0], (n_columns,)),
        meta=np.empty((0, 0), dtype=dtype),
    )


def of_block(X: Any, function: Callable[[Any], np.ndarray], empty: np.ndarray) -> np.ndarray:
    """Apply a function to one checked block; filtering may leave blocks without rows."""
    checked = check_block(X)
    return function(checked) if X.shape[0] else empty


def columns_of(estimator: Any, X: Any, columns: np.ndarray) -> Any:
    """Columns of a Dask array, in its dtype and sparsity; its blocks are checked."""
    check_dask_rows(X, "X")
    set_n_features(estimator, X.shape[1], reset=False)
    return X.map_blocks(passed, dtype=X.dtype, meta=X._meta)[:, columns]


def passed(X: Any) -> Any:
    """The block itself, if it passes the check."""
    check_block(X)
    return X


def with_complement(Y: Any) -> Any:
    """[y, 1 - y] for a single label; anything else unchanged."""
    if Y.shape[1] > 1:
        return Y
    y = dense(Y)
    return np.hstack([y, 1 - y])
