"""Linear maps relative to the mean of the training rows; all projections and scores use them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import (
    cast,
    dense,
    empty,
    is_dask_array,
    is_device,
    like,
    namespace,
    precision_of,
    sums,
    to_host,
)
from labelspan.moments._collect import Sample, collect, row_blocks
from labelspan.moments._moments import EPS, Moments

# Scores are of order one, so a smaller shift is not worth a pass over the rows.
NEGLIGIBLE = 1e-12
# Elements of an extended-precision product held at a time.
BLOCK = 2**20
# A multiple of the rows that the kernels of OpenBLAS, MKL and BLIS process together.
GROUP = 48


def project(X: Any, mean: np.ndarray, components: np.ndarray) -> np.ndarray:
    """(X - mean) @ components.T by blocks of rows, in the dtype of X.

    Dense rows are centred first, because a large mean would cost digits afterwards. In a sparse X,
    only columns that are more than half full are; others vary as much as their means.
    """
    if is_device(X):
        return project_on_device(X, like(X, mean), like(X, components))
    rounded = mean.astype(X.dtype, copy=False)
    components = components.astype(X.dtype, copy=False)
    if sparse.issparse(X):
        projected = project_sparse(X, rounded, components)
    else:
        projected = np.empty((len(X), len(components)), dtype=X.dtype)
        for rows, product in products_of_rows(X, rounded, components.T):
            projected[rows] = product
    if rounded.dtype != mean.dtype:
        projected += (components @ (rounded - mean)).astype(X.dtype)
    return projected


def project_on_device(X: Any, mean: Any, components: Any) -> Any:
    """The same on the device of X, by blocks that fit its memory."""
    dtype = precision_of(X)
    rounded, components = cast(mean, dtype), cast(components, dtype)
    projected = empty(X, (X.shape[0], components.shape[0]), dtype)
    for rows in row_blocks(X):
        projected[rows, :] = (X[rows, :] - rounded) @ components.T
    if mean.dtype != rounded.dtype:
        projected += cast(cast(components, np.float64) @ (cast(rounded, np.float64) - mean), dtype)
    return projected


def project_sparse(X: Any, mean: np.ndarray, components: np.ndarray) -> np.ndarray:
    """The same for CSR; its full columns are centred first, by blocks of rows."""
    n_rows, n_features = X.shape
    full = 2 * np.bincount(X.indices, minlength=n_features) > n_rows
    if not full.any():
        return np.asarray(X @ components.T - components @ mean)
    others, columns = np.flatnonzero(~full), np.flatnonzero(full)
    part = components[:, others]
    projected = np.asarray(X[:, others] @ part.T - part @ mean[others])
    weights = np.ascontiguousarray(components[:, columns].T)
    for rows, product in products_of_rows(X[:, columns], mean[columns], weights):
        projected[rows] += product
    return projected


def products_of_rows(X: Any, mean: np.ndarray, B: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """(X - mean) @ B by blocks of one height, so that BLAS gives equal rows equal results."""
    filled: np.ndarray | None = None
    for rows in row_blocks(X):
        block = dense(X[rows])
        if filled is None:
            # Later blocks may have one row more.
            n_rows = len(block) + (len(block) < X.shape[0])
            n_rows += -n_rows % GROUP if n_rows > 1 else 0
            filled = np.zeros((n_rows, X.shape[1]), dtype=mean.dtype)
        np.subtract(block, mean, out=filled[: len(block)])
        yield rows, (filled @ B)[: len(block)]


def scores_about(X: Any, mean: np.ndarray, coef: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Scores ``(X - mean) @ coef.T + level`` in the dtype of X; `level` is that of the mean."""
    scores = project(X, mean, coef)
    scores += cast(like(X, level), precision_of(X))
    return scores


def level_at(
    X: Any,
    mean: np.ndarray,
    coef: np.ndarray,
    level: np.ndarray,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Scores (q,) at the float64 mean; rows are read again if its rounding shifts a score."""
    xp = namespace(coef)
    shift = dense(EPS * (xp.abs(like(coef, mean)) @ xp.abs(coef)))
    if is_dask_array(X) or shift.max(initial=0.0) <= NEGLIGIBLE:
        return level
    shifts = cast(project(X, mean, coef.T), np.float64)
    total = sums(shifts, axis=0) if weights is None else weights @ shifts
    return like(X, level) - total / (X.shape[0] if weights is None else sums(weights))


def score_at(mean: np.ndarray, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """``mean @ coef + intercept`` (q,), in extended precision where it is, not on a device."""
    if is_device(coef):
        return like(coef, mean) @ cast(coef, np.float64) + like(coef, intercept)
    mean, intercept = to_host(mean), to_host(intercept)
    scores = np.asarray(intercept, dtype=np.longdouble).copy()
    width = max(BLOCK // max(len(mean), 1), 1)
    for start in range(0, coef.shape[1], width):
        columns = slice(start, start + width)
        scores[columns] += mean.astype(np.longdouble) @ coef[:, columns].astype(np.longdouble)
    return scores.astype(np.float64)


def mean_of(X: Any) -> np.ndarray:
    """Mean of the rows of an ndarray or csr_array in float64."""
    if is_device(X):
        return Moments.of(X, np.empty((X.shape[0], 0)), xx=False, tt=False).x_mean
    if sparse.issparse(X):
        return np.asarray(X.astype(np.float64, copy=False).mean(axis=0)).ravel()
    return np.asarray(X.mean(axis=0, dtype=np.float64))


def total_scatter(X: Any) -> float:
    """Sum of squares of X about its mean."""
    return float(moments_of(X).squares.sum())


def moments_of(X: Any, weights: Any = None) -> Moments:
    """Means and squared lengths of the columns."""
    sample = Sample(X, np.empty((X.shape[0], 0)), weights=weights)
    return collect(sample, partial(Moments.of, xx=False, tt=False, xt=False), tall=False)


def longest_row(X: Any) -> float:
    """The largest Euclidean norm of a row."""
    rows = X.astype(np.float64, copy=False)
    squares = rows.multiply(rows).sum(axis=1) if sparse.issparse(X) else (rows**2).sum(axis=1)
    return float(np.sqrt(np.asarray(squares).max()))


def total_variance(X: Any, weights: np.ndarray | None = None) -> float:
    """Half the mean squared distance of two rows, in any origin; 1 for constant features."""
    # With weights, a device reads all rows for the squares.
    moments = moments_of(X, like(X, np.ones(X.shape[0])) if weights is None else weights)
    means, variances = dense(moments.x_mean), moments.squares / moments.weight
    total = float(variances[variances > (X.shape[0] * EPS * means) ** 2].sum())
    if not np.isfinite(total) or 0 < total < np.finfo(np.float64).tiny / EPS:
        raise ValueError(
            f"The features have a variance of {total:g}, from which no width of the kernel can be "
            "taken. Scale them, e.g. with sklearn.preprocessing.StandardScaler, or pass gammas."
        )
    return total or 1.0
