"""Statistics of chunks; rows are collected until there are enough to be worth adding."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import (
    copied,
    dense,
    is_dask_array,
    is_device,
    like,
    precision_of,
    stacked_rows,
)
from labelspan.gate import LARGE, SPARSE_LABEL_DENSITY, as_csr, has_holes
from labelspan.moments._collect import BLOCK_BYTES, Sample, row_blocks
from labelspan.moments._moments import anchored
from labelspan.system import one_blas_thread

# Buffer rows until they are as large as the statistics they will be added to, within these limits:
FEWEST_BYTES = 2**22
MOST_BYTES = 2**28
# Rows of a block if sums are reproducible.
FIXED_ROWS = 2**13
# So many small pieces are stacked, because a chunk may be a single row.
MOST_PIECES = 1024

Summarise = Callable[[Sample], Any]


class Pool:
    """Statistics of all rows of the chunks so far.

    Unless `about_first` is False, the first row is subtracted from all rows: a mean far above the
    spread would otherwise have no digits left to distinguish chunks. If `fixed`, rows are added up
    by FIXED_ROWS with one thread, whatever the chunks.
    """

    _fixed = False
    # Rows in the sum so far.
    _n_summed = 0

    def __init__(
        self, solver: str, shape: tuple[int, int], *, about_first: bool = True, fixed: bool = False
    ):
        self.solver, self.shape, self.about_first = solver, shape, about_first
        self._fixed = fixed
        self.n_rows = 0
        n_features, n_labels = shape
        # Without a ridge, the columns of a few rows would look dependent.
        height = {"thin": n_labels, "root": 4 * n_features}.get(solver, n_features)
        self._limit = min(max(FEWEST_BYTES, 8 * n_features * height), MOST_BYTES)
        # A string, because formats that store models do not treat a dtype as a plain value.
        self._single = True
        self._origin: np.ndarray | None = None
        # The sum so far, the collected rows and their bytes.
        self._state: tuple[Any, tuple[Sample, ...], int] = (None, (), 0)

    def plus(self, sample: Sample, summarise: Summarise) -> Pool:
        """The pool with the rows of a chunk added; this pool is unchanged."""
        # Avoid copy.copy, which doubles the time of this method.
        pool = Pool.of_state(vars(self))
        # Sums on a device subtract a mean of their own. Of sparse rows in fixed blocks, the row to
        # subtract depends on all rows of the first block.
        later = is_device(sample.X) or (pool._fixed and sparse.issparse(sample.X))
        if pool.about_first and pool._origin is None and not later:
            pool._origin = first_row(sample.X)
        pool._single = pool._single and precision_of(sample.X) == np.float32
        pool._add(sample, summarise)
        pool.n_rows += sample.X.shape[0]
        return pool

    def state(self) -> dict[str, Any]:
        """The state for :meth:`of_state`."""
        return dict(vars(self))

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> Pool:
        """A pool with this state."""
        pool = object.__new__(cls)
        vars(pool).update(state)
        return pool

    def _add(self, sample: Sample, summarise: Summarise) -> None:
        total, held, size = self._state
        if sample.weights is not None:
            sample = replace(sample, weights=copied(sample.weights))
        if self._fixed and is_device(sample.X):
            raise TypeError("X is on a device; reproducible=True is for sums on the host.")
        if is_dask_array(sample.X) or is_device(sample.X):
            self._state = self._plus(total, (sample,), summarise), held, size
            return
        if held and isinstance(held[0].X, tuple) != sparse.issparse(sample.X):
            total, held, size = self._plus(total, held, summarise), (), 0
        limit = FIXED_ROWS if self._fixed else self._limit
        for part in up_to(FIXED_ROWS, size, sample) if self._fixed else parts_of(sample):
            piece = self._copy(part)
            held, size = (*held, piece), size + (part.X.shape[0] if self._fixed else n_bytes(piece))
            if size >= limit:
                total, held, size = self._plus(total, held, summarise), (), 0
            elif len(held) == MOST_PIECES:
                held = (stacked(held),)
        self._state = total, held, size

    def threads(self) -> Any:
        """The context in which rows are added up and solved."""
        return one_blas_thread() if self._fixed else nullcontext()

    @property
    def dtype(self) -> np.dtype:
        """float32 if all chunks were, else float64."""
        return np.dtype(np.float32 if self._single else np.float64)

    def total(self, summarise: Summarise) -> tuple[Any, np.ndarray]:
        """Statistics of all rows, and the row to add to their ``x_mean``."""
        total, held, _ = self._state
        # In a copy, because the first rows may still be too few for an origin.
        pool = Pool.of_state(vars(self))
        total = pool._plus(total, held, summarise) if held else total
        origin = pool._origin
        if origin is None:
            zeros = np.zeros(self.shape[0])
            return total, like(getattr(total, "x_mean", zeros), zeros)
        moved = total.moved(origin)
        # If the mean is far above the spread, the difference is exact.
        return moved, (origin - moved.x_mean) + total.x_mean

    def _copy(self, sample: Sample) -> Sample:
        """Copy rows minus the first one, as three arrays if sparse; callers may reuse theirs."""
        X, origin = sample.X, self._origin
        if sparse.issparse(X):
            rows = X.data[: X.nnz].copy(), X.indices[: X.nnz].copy(), X.indptr.copy()
        else:
            rows = X.copy() if origin is None else X - origin
        # Not with dataclasses.replace, which takes as long as the subtraction.
        return Sample(rows, sample.Y, sample.solver, sample.weights, sample.part)

    def _plus(self, total: Any, held: tuple[Sample, ...], summarise: Summarise) -> Any:
        sample = stacked(held)
        if isinstance(sample.X, tuple):
            shape = len(sample.X[2]) - 1, self.shape[0]
            sample = replace(sample, X=sparse.csr_array(sample.X, shape=shape))
        if self._fixed:
            sample = in_one_form(sample)
            if self.about_first and self._origin is None:
                self._origin = first_row(sample.X)
        origin = self._origin
        if self._n_summed * self.shape[0] >= LARGE:
            sample = replace(sample, of_many=True)
        self._n_summed += sample.X.shape[0]
        with self.threads():
            if origin is None or not is_left(sample.X):
                block = summarise(sample)
            else:
                X, taken = taken_off(sample.X, origin)
                block = summarise(replace(sample, X=X))
                block = block.moved(taken - origin)
        if total is not None:
            # In place: nothing else uses the arrays of the block.
            block += total
        return block


def parts_of(sample: Sample) -> Iterable[Sample]:
    """Blocks of rows that fit into the cache; one block if sparse."""
    if sparse.issparse(sample.X) or sample.X.nbytes <= BLOCK_BYTES:
        return (sample,)
    arrays = ((*sample.at(rows), None)[:3] for rows in row_blocks(sample.X))
    return (replace(sample, X=X, Y=Y, weights=weights) for X, Y, weights in arrays)


def up_to(n_rows: int, n_held: int, sample: Sample) -> Iterable[Sample]:
    """The rows cut after every `n_rows`, of which the first `n_held` are there already."""
    edges = [0, *range(n_rows - n_held, sample.X.shape[0], n_rows), sample.X.shape[0]]
    for start, stop in pairwise(edges):
        X, Y, weights = (*sample.at(slice(start, stop)), None)[:3]
        yield replace(sample, X=X, Y=Y, weights=weights)


def in_one_form(sample: Sample) -> Sample:
    """The same rows in an order of memory, and with a kind of labels, that chunks do not decide."""
    X, Y = sample.X, np.asarray(dense(sample.Y), dtype=np.float64)
    X = X if sparse.issparse(X) else np.ascontiguousarray(X)
    few = np.count_nonzero(Y) < SPARSE_LABEL_DENSITY * Y.size and not has_holes(Y)
    return replace(sample, X=X, Y=as_csr(Y) if few else np.ascontiguousarray(Y))


def stacked(samples: tuple[Sample, ...]) -> Sample:
    """One sample of all collected rows; all X are dense, or all are sparse."""
    if len(samples) == 1:
        return samples[0]
    X, Y = [sample.X for sample in samples], [sample.Y for sample in samples]
    if not any(map(sparse.issparse, Y)):
        Y = [np.concatenate(Y)]
    if not all(map(sparse.issparse, Y)):
        # The density that decides between the two varies among chunks of a few rows.
        size = sum(labels.shape[0] * labels.shape[1] for labels in Y)
        few = sum(float(labels.sum()) for labels in Y) < SPARSE_LABEL_DENSITY * size
        Y = [as_csr(dense(labels)) if few else dense(labels) for labels in Y]
    weights = None
    if any(sample.weights is not None for sample in samples):
        ones = (np.ones(sample.Y.shape[0]) for sample in samples)
        given = (sample.weights for sample in samples)
        weights = np.concatenate([b if a is None else a for a, b in zip(given, ones, strict=True)])
    rows = stacked_csr(X) if isinstance(X[0], tuple) else np.concatenate(X)
    return replace(samples[0], X=rows, Y=stacked_rows(Y), weights=weights)


def stacked_csr(pieces: list[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """Data, column indices and row ends of vertically stacked CSR matrices."""
    data, indices, ends = zip(*pieces, strict=True)
    before = np.cumsum([0, *map(len, data)])
    moved = (end[1:] + n for end, n in zip(ends, before[:-1], strict=True))
    return np.concatenate(data), np.concatenate(indices), np.concatenate([[0], *moved])


def is_left(X: Any) -> bool:
    """Whether the first row was not subtracted from these rows."""
    return sparse.issparse(X) or is_dask_array(X)


def first_row(X: Any) -> np.ndarray:
    """The row to subtract: the first; if sparse, only in columns without zeros."""
    if is_dask_array(X):
        return np.zeros(X.shape[1])
    return anchored(X)[1] if sparse.issparse(X) else X[0].astype(np.float64)


def taken_off(X: Any, origin: np.ndarray) -> tuple[Any, np.ndarray]:
    """Sparse X minus `origin` where no zero changes, and the subtracted row."""
    taken = np.zeros_like(origin)
    if sparse.issparse(X):
        full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
        taken[full] = origin[full]
    if not taken.any():
        return X, taken
    data = X.data.astype(np.float64) - taken[X.indices]
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape), taken


def n_bytes(sample: Sample) -> int:
    """Bytes of collected rows."""
    X, Y = sample.X, sample.Y
    features = X[0].nbytes + X[1].nbytes if isinstance(X, tuple) else X.nbytes
    return int(features + (12 * Y.nnz if sparse.issparse(Y) else Y.nbytes))
