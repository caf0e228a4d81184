"""Sums of large dense blocks; rows are converted, centred and added while in the cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import blas

from labelspan.gate import as_csr
from labelspan.jit import ZERO, inner_kernel, kernel, read_only

# Entries per group of rows that stays in the cache for a second pass, and per part of a row.
CACHED, PART = 2**17, 1024
# The block is centred at the mean of this many first rows.
N_FIRST = 64


class LargeSums(NamedTuple):
    """Sums over the rows of one block about `origin`, a row near their mean, in the precision of X.

    `total`, `squares` and `scatter` are of X - origin; `labelled` (q, D) are sums of the rows with
    each label, and `counts` their numbers.
    """

    origin: np.ndarray
    total: np.ndarray
    squares: np.ndarray
    labelled: np.ndarray
    counts: np.ndarray
    scatter: np.ndarray | None = None


def indicators(X: Any, T: Any, weights: np.ndarray | None = None) -> sparse.csr_array | None:
    """T as CSR if label sums can be formed by adding rows, else None.

    That needs rows on the host without weights, and 0/1 labels that are mostly 0.
    """
    if weights is not None or not isinstance(X, np.ndarray) or not X.flags.c_contiguous:
        return None
    if not sparse.issparse(T):
        ones = T == 1
        n_ones = np.count_nonzero(ones)
        if 2 * n_ones > T.size or np.count_nonzero(T != 0) > n_ones:
            return None
        return as_csr(ones)
    return T if (T.data == 1).all() else None


def labelled_rows(X: np.ndarray, T: sparse.csr_array, rows: slice) -> tuple[Any, Any]:
    """Rows of both as views, because SciPy checks each entry that it copies."""
    start, stop = T.indptr[rows.start], T.indptr[rows.stop]
    ends = T.indptr[rows.start : rows.stop + 1] - start
    arrays = T.data[start:stop], T.indices[start:stop], ends
    return X[rows], sparse.csr_array(arrays, shape=(len(ends) - 1, T.shape[1]))


def sums_of(X: np.ndarray, T: sparse.csr_array, *, xx: bool) -> LargeSums:
    """Sums of one C-contiguous block, from one read of memory; all entries of `T` are 1.

    float32 rows are added as they are: 24-bit numbers have exact float64 sums if the mean is far
    above the spread. For other rows, the origin is first subtracted into a buffer.
    """
    origin = near_mean(X)
    n_features, n_labels = X.shape[1], T.shape[1]
    labelled, counts = np.zeros((n_labels, n_features)), np.bincount(T.indices, minlength=n_labels)
    ends, labels = read_only(T.indptr, np.int64), read_only(T.indices, np.int32)
    if X.dtype == np.float32 and not xx:
        total, squares = add_as_they_come(X, origin, ends, labels, labelled)
        labelled -= counts[:, None] * origin
        return LargeSums(origin, total, squares, labelled, counts)
    total, squares, scatter = add_buffered(X, origin, ends, labels, labelled, xx)
    return LargeSums(origin, total, squares, labelled, counts, scatter)


def add_as_they_come(
    X: np.ndarray, origin: np.ndarray, ends: np.ndarray, labels: np.ndarray, labelled: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sums and squares (D,) of X - origin, and sums by label; short rows several at a time."""
    n_features = X.shape[1]
    fold = max(PART // n_features, 1)
    n_wide = len(X) // fold
    wide, rest = X[: n_wide * fold], np.subtract(X[n_wide * fold :], origin, dtype=np.float64)
    total, squares = np.zeros(fold * n_features), np.zeros(fold * n_features)
    step = max(CACHED // (8 * min(PART, fold * n_features)), 1) * 8 * fold
    add_rows(
        read_only(X, np.float32),
        read_only(wide.reshape(n_wide, fold * n_features), np.float32),
        np.tile(origin, fold),
        ends,
        labels,
        members_of(ends, step),
        step,
        total,
        squares,
        labelled,
    )
    total, squares = (A.reshape(fold, -1).sum(axis=0) for A in (total, squares))
    return total + rest.sum(axis=0), squares + (rest**2).sum(axis=0)


def add_buffered(
    X: np.ndarray,
    origin: np.ndarray,
    ends: np.ndarray,
    labels: np.ndarray,
    labelled: np.ndarray,
    xx: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The same, and the scatter, of rows that are taken about the origin first, some at a time."""
    n_features = X.shape[1]
    total, squares = np.zeros(n_features), np.zeros(n_features)
    scatter = np.zeros((n_features, n_features), order="F") if xx else None
    step = max(CACHED // (2 * n_features), 1)
    # Whole steps; for the product at least as tall as wide.
    height = step * max(-(-n_features // step) if xx else 1, 4)
    buffer, members = np.empty((min(height, len(X)), n_features)), members_of(ends, step)
    for start in range(0, len(X), height):
        rows = read_only(X[start : start + height], X.dtype)
        block, of_rows = buffer[: len(rows)], ends[start : start + len(rows) + 1]
        take_rows(rows, origin, of_rows, labels, members, step, block, total, squares, labelled)
        if xx:
            # The lower triangle: the other one takes up to an eighth longer.
            scatter = blas.dsyrk(1.0, block.T, beta=1.0, c=scatter, lower=1, overwrite_c=True)
    return total, squares, scatter


def members_of(ends: np.ndarray, step: int) -> np.ndarray:
    """Room for the labels of so many rows."""
    counts = np.diff(np.append(ends[::step], ends[-1]))
    return np.empty(int(counts.max(initial=1)), np.uint64)


def near_mean(X: np.ndarray) -> np.ndarray:
    """The mean of the first rows, rounded to the dtype of X, as float64."""
    first = X[0].astype(np.float64)
    mean = first + np.subtract(X[:N_FIRST], first, dtype=np.float64).mean(axis=0)
    return mean.astype(X.dtype).astype(np.float64)


def together(T: sparse.csr_array) -> np.ndarray:
    """T'T (q, q) of labels whose entries are all 1: counts of rows that have both labels."""
    counts = np.zeros((T.shape[1], T.shape[1]))
    count_pairs(read_only(T.indptr, np.int64), read_only(T.indices, np.int32), counts)
    return counts


@kernel
def count_pairs(ends, labels, counts):  # type: ignore[no-untyped-def]
    """Add 1 to the counts of all pairs of labels of each row."""
    for i in range(len(ends) - 1):
        for k in range(ends[i], ends[i + 1]):
            for m in range(ends[i], ends[i + 1]):
                counts[labels[k], labels[m]] += 1.0


@kernel
def add_rows(  # type: ignore[no-untyped-def]
    X, wide, origin, ends, labels, members, step, total, squares, labelled
):
    """Add X - origin to `total`, its squares to `squares` and rows of X to those of their labels.

    `wide` are the rows of X, several as one. `ends` and `labels` are CSR; `members` is room for the
    labels of `step` rows.
    """
    n_features, n_labels = X.shape[1], labelled.shape[0]
    fold = wide.shape[1] // n_features
    starts = np.empty(n_labels + 1, np.int64)
    for start in range(0, X.shape[0], step):
        stop = min(start + step, X.shape[0])
        _by_label(ends, labels, start, stop, starts, members)
        for left in range(0, wide.shape[1], PART):
            right = min(left + PART, wide.shape[1])
            _add_all(wide, origin, start // fold, stop // fold, left, right, total, squares)
            right = min(right, n_features)
            for label in range(n_labels):
                into = labelled[label, left:right]
                _add_some(X, members, starts[label], starts[label + 1], left, right, into)


@kernel
def take_rows(  # type: ignore[no-untyped-def]
    X, origin, ends, labels, members, step, out, total, squares, labelled
):
    """Put X - origin into `out`, and add that to `total`, to `squares` and to its labels."""
    n_features, n_labels = X.shape[1], labelled.shape[0]
    starts = np.empty(n_labels + 1, np.int64)
    for start in range(0, X.shape[0], step):
        stop = min(start + step, X.shape[0])
        _by_label(ends, labels, start, stop, starts, members)
        _take_all(X, origin, start, stop, out, total, squares)
        for label in range(n_labels):
            into = labelled[label]
            _add_some(out, members, starts[label], starts[label + 1], 0, n_features, into)


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
    """Add parts of all rows, and their squares, about the origin; eight at a time."""
    about, into, square = origin[left:right], total[left:right], squares[left:right]
    i = start
    while i + 8 <= stop:
        a, b, c, d = (
            X[i, left:right],
            X[i + 1, left:right],
            X[i + 2, left:right],
            X[i + 3, left:right],
        )
        e, f, g, h = (
            X[i + 4, left:right],
            X[i + 5, left:right],
            X[i + 6, left:right],
            X[i + 7, left:right],
        )
        for j in range(len(about)):
            p, q = np.float64(a[j]) - about[j], np.float64(b[j]) - about[j]
            r, s = np.float64(c[j]) - about[j], np.float64(d[j]) - about[j]
            t, u = np.float64(e[j]) - about[j], np.float64(f[j]) - about[j]
            v, w = np.float64(g[j]) - about[j], np.float64(h[j]) - about[j]
            into[j] += ((p + q) + (r + s)) + ((t + u) + (v + w))
            square[j] += ((p * p + q * q) + (r * r + s * s)) + ((t * t + u * u) + (v * v + w * w))
        i += 8
    while i < stop:
        a = X[i, left:right]
        for j in range(len(about)):
            p = np.float64(a[j]) - about[j]
            into[j] += p
            square[j] += p * p
        i += 1


@inner_kernel
def _take_all(X, origin, start, stop, out, total, squares):  # type: ignore[no-untyped-def]
    """Put all rows about the origin into `out`, and add them and their squares; four at a time."""
    i = start
    while i + 4 <= stop:
        a, b, c, d = X[i], X[i + 1], X[i + 2], X[i + 3]
        k, m, n, o = out[i], out[i + 1], out[i + 2], out[i + 3]
        for j in range(len(origin)):
            p, q = np.float64(a[j]) - origin[j], np.float64(b[j]) - origin[j]
            r, s = np.float64(c[j]) - origin[j], np.float64(d[j]) - origin[j]
            k[j], m[j], n[j], o[j] = p, q, r, s
            total[j] += (p + q) + (r + s)
            squares[j] += (p * p + q * q) + (r * r + s * s)
        i += 4
    while i < stop:
        a, k = X[i], out[i]
        for j in range(len(origin)):
            p = np.float64(a[j]) - origin[j]
            k[j] = p
            total[j] += p
            squares[j] += p * p
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
