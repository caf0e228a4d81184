"""Sums of large dense blocks; rows are converted, centred and added while in the cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import blas

from labelspan import _validation
from labelspan._compat import is_dask_array
from labelspan._jit import ZERO, inner_kernel, kernel, read_only

# Entries per group of rows that stays in the cache for a second pass, and per part of a row.
CACHED, PART = 2**17, 1024
# The block is centred at the mean of this many first rows.
N_FIRST = 64


class Sums(NamedTuple):
    """Sums over the rows of one block, after subtracting a row near their mean.

    Attributes
    ----------
    origin : ndarray of shape (D,)
        The subtracted row, in the precision of X, so that a constant column becomes zero.
    total : ndarray of shape (D,)
        Sum of X - origin.
    squares : ndarray of shape (D,)
        Sum of squares of X - origin.
    labelled : ndarray of shape (q, D)
        Sums of the rows of X with each label.
    scatter : ndarray of shape (D, D) or None
        Sum of products of X - origin.
    """

    origin: np.ndarray
    total: np.ndarray
    squares: np.ndarray
    labelled: np.ndarray
    scatter: np.ndarray | None


def is_large(X: Any) -> bool:
    """Whether X (in memory, mapped or Dask) is dense and large enough for compiled loops."""
    dense = isinstance(X, np.ndarray) or (is_dask_array(X) and not sparse.issparse(X._meta))
    return dense and X.shape[0] * X.shape[1] >= _validation.LARGE


def indicators(X: Any, T: Any, weights: np.ndarray | None = None) -> sparse.csr_array | None:
    """T as CSR if label sums can be formed by adding rows; else None.

    This holds for complete rows on the host without weights and for 0/1 labels that are mostly 0.
    With more ones, a BLAS product is faster.
    """
    if weights is not None or not isinstance(X, np.ndarray) or not X.flags.c_contiguous:
        return None
    if not sparse.issparse(T):
        if 2 * np.count_nonzero(T) > T.size:
            return None
        T = sparse.csr_array(T)
    return T if (T.data == 1).all() else None


def labelled_rows(X: np.ndarray, T: sparse.csr_array, rows: slice) -> tuple[Any, Any]:
    """Rows of both as views, because SciPy checks each entry that it copies."""
    start, stop = T.indptr[rows.start], T.indptr[rows.stop]
    ends = T.indptr[rows.start : rows.stop + 1] - start
    arrays = T.data[start:stop], T.indices[start:stop], ends
    return X[rows], sparse.csr_array(arrays, shape=(len(ends) - 1, T.shape[1]))


def sums_of(X: np.ndarray, T: sparse.csr_array, *, xx: bool) -> Sums:
    """Sums of one block.

    float32 rows are added as they are: 24-bit numbers have exact float64 sums if the mean is far
    above the spread. For other rows, the origin is first subtracted into a buffer.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        Features, C-contiguous.
    T : csr_array of shape (n, q)
        Labels, all entries 1.
    xx : bool
        Whether the scatter is needed.

    Returns
    -------
    Sums
        Each number of X is read from memory once. Rounding is relative to the spread of the block,
        or to sqrt(n / 64) times it if the first rows differ from the others.
    """
    n_features, n_labels = X.shape[1], T.shape[1]
    origin = near_mean(X)
    total, squares = np.zeros(n_features), np.zeros(n_features)
    labelled = np.zeros((n_labels, n_features))
    ends, labels = read_only(T.indptr, np.int64), read_only(T.indices, np.int64)
    if X.dtype == np.float32 and not xx:
        rows = read_only(X, np.float32)
        add_rows(rows, origin, ends, labels, total, squares, labelled)
        labelled -= np.bincount(T.indices, minlength=n_labels)[:, None] * origin
        return Sums(origin, total, squares, labelled, None)
    scatter = np.zeros((n_features, n_features), order="F") if xx else None
    height = max(2 * CACHED // n_features, n_features if xx else 1)
    buffer, zero = np.empty((min(height, len(X)), n_features)), np.zeros(n_features)
    for start in range(0, len(X), height):
        rows = read_only(X[start : start + height], X.dtype)
        block = buffer[: len(rows)]
        subtract(rows, origin, block)
        of_rows = ends[start : start + len(rows) + 1]
        add_rows(read_only(block, np.float64), zero, of_rows, labels, total, squares, labelled)
        if xx:
            scatter = blas.dsyrk(1.0, block.T, beta=1.0, c=scatter, overwrite_c=True)
    return Sums(origin, total, squares, labelled, scatter)


def near_mean(X: np.ndarray) -> np.ndarray:
    """The mean of the first rows, rounded to the dtype of X, as float64."""
    first = X[0].astype(np.float64)
    mean = first + np.subtract(X[:N_FIRST], first, dtype=np.float64).mean(axis=0)
    return mean.astype(X.dtype).astype(np.float64)


def together(T: sparse.csr_array) -> np.ndarray:
    """T'T (q, q) of labels whose entries are all 1: counts of rows that have both labels."""
    counts = np.zeros((T.shape[1], T.shape[1]))
    count_pairs(read_only(T.indptr, np.int64), read_only(T.indices, np.int64), counts)
    return counts


@kernel
def count_pairs(ends, labels, counts):  # type: ignore[no-untyped-def]
    """Add 1 to the counts of all pairs of labels of each row."""
    for i in range(len(ends) - 1):
        for k in range(ends[i], ends[i + 1]):
            for m in range(ends[i], ends[i + 1]):
                counts[labels[k], labels[m]] += 1.0


@kernel
def subtract(X, origin, out):  # type: ignore[no-untyped-def]
    """Put X - origin into `out`, in float64."""
    for i in range(X.shape[0]):
        row = X[i]
        for j in range(X.shape[1]):
            out[i, j] = np.float64(row[j]) - origin[j]


@kernel
def add_rows(X, origin, ends, labels, total, squares, labelled):  # type: ignore[no-untyped-def]
    """Add X - origin to `total`, its squares to `squares` and rows of X to those of their labels.

    `ends` and `labels` are CSR: where the labels of each row end, and their numbers.
    """
    n_rows, n_features = X.shape
    n_labels = labelled.shape[0]
    height = max(CACHED // min(PART, max(n_features, 1)), 1)
    starts = np.empty(n_labels + 1, np.int64)
    # Unsigned, because loops that allow negative indices are four times slower.
    members = np.empty(height * n_labels, np.uint64)
    for start in range(0, n_rows, height):
        stop = min(start + height, n_rows)
        _by_label(ends, labels, start, stop, starts, members)
        for left in range(0, n_features, PART):
            right = min(left + PART, n_features)
            _add_all(X, origin, start, stop, left, right, total, squares)
            for label in range(n_labels):
                into = labelled[label, left:right]
                _add_some(X, members, starts[label], starts[label + 1], left, right, into)


@inner_kernel
def _by_label(ends, labels, start, stop, starts, members):  # type: ignore[no-untyped-def]
    """Sort the rows from `start` to `stop` by label; `starts` says where each label begins."""
    n_labels = len(starts) - 1
    starts[:] = ZERO
    for k in range(ends[start], ends[stop]):
        starts[labels[k] + 1] += 1
    for label in range(n_labels):
        starts[label + 1] += starts[label]
    for i in range(start, stop):
        for k in range(ends[i], ends[i + 1]):
            members[starts[labels[k]]] = i
            starts[labels[k]] += 1
    for label in range(n_labels, 0, -1):
        starts[label] = starts[label - 1]
    starts[0] = ZERO


@inner_kernel
def _add_all(X, origin, start, stop, left, right, total, squares):  # type: ignore[no-untyped-def]
    """Add parts of all rows minus the origin, and their squares; four rows at a time."""
    about, into, square = origin[left:right], total[left:right], squares[left:right]
    i = start
    while i + 4 <= stop:
        a, b = X[i, left:right], X[i + 1, left:right]
        c, d = X[i + 2, left:right], X[i + 3, left:right]
        for j in range(len(about)):
            p, q = np.float64(a[j]) - about[j], np.float64(b[j]) - about[j]
            r, s = np.float64(c[j]) - about[j], np.float64(d[j]) - about[j]
            into[j] += (p + q) + (r + s)
            square[j] += (p * p + q * q) + (r * r + s * s)
        i += 4
    while i < stop:
        a = X[i, left:right]
        for j in range(len(about)):
            p = np.float64(a[j]) - about[j]
            into[j] += p
            square[j] += p * p
        i += 1


@inner_kernel
def _add_some(X, members, k, end, left, right, into):  # type: ignore[no-untyped-def]
    """Add parts of the rows that have one label, four rows at a time."""
    while k + 4 <= end:
        a, b = X[members[k], left:right], X[members[k + 1], left:right]
        c, d = X[members[k + 2], left:right], X[members[k + 3], left:right]
        for j in range(len(into)):
            into[j] += (np.float64(a[j]) + np.float64(b[j])) + (np.float64(c[j]) + np.float64(d[j]))
        k += 4
    while k < end:
        a = X[members[k], left:right]
        for j in range(len(into)):
            into[j] += np.float64(a[j])
        k += 1
