"""Features in bins: where the edges lie, and which rows are in which bin, as a sparse matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import extremes
from labelspan.moments import Sample, collect

# Relative rounding of a sum of weights that ends at a quantile.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Range:
    """Smallest and largest value of each feature (D,); ``a + b`` are those of both samples."""

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, X: Any, Y: Any, weights: Any = None) -> Range:
        """Those of one block; of one of weight 0, nothing."""
        if weights is not None and not weights.any():
            return cls(np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf))
        return cls(*extremes(X))

    def __add__(self, other: Range) -> Range:
        return Range(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


@dataclass(frozen=True)
class Binning:
    """Inner edges (b - 1, D) of b bins; without edges, zero is one bin and all else the other.

    A value on an edge belongs to the bin above it if `closed_below`. Slot 0 is the bin of zero, the
    others follow: a sparse matrix of the slots 1 to b - 1 has no entries that X has not.
    """

    edges: np.ndarray | None = None
    closed_below: bool = True

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return 2 if self.edges is None else len(self.edges) + 1

    def slots(self, values: np.ndarray, columns: Any = slice(None)) -> np.ndarray:
        """Slots of values whose last axis is that of the features, or of those of `columns`."""
        if self.edges is None:
            return (values != 0).astype(np.int8)
        above = np.greater_equal if self.closed_below else np.greater
        found = np.zeros(values.shape, dtype=np.int8)
        for edge in self.edges:
            found += above(values, edge[columns])
            found -= above(0.0, edge)[columns]
        found[found < 0] += self.n_bins
        return found

    def indicators(self, X: Any, weights: np.ndarray | None = None) -> sparse.csr_array:
        """Rows times slots 1 to b - 1 of each feature, (n, (b - 1) D); entries are weights."""
        n, D = X.shape
        if sparse.issparse(X):
            slots = self.slots(X.data, X.indices)
            kept = slots > 0
            ends = np.append(0, np.cumsum(kept))
            indptr, columns, slots = ends[X.indptr], X.indices[kept], slots[kept]
        else:
            found = self.slots(X)
            rows, columns = np.nonzero(found)
            indptr = np.searchsorted(rows, np.arange(n + 1))
            slots = found[rows, columns]
        places = (slots.astype(np.int64) - 1) * D + columns
        data = np.ones(len(places))
        if weights is not None:
            data = np.repeat(weights, np.diff(indptr)).astype(np.float64)
        return sparse.csr_array((data, places, indptr), shape=(n, (self.n_bins - 1) * D))


def binning_of(sample: Sample, kind: str, bins: int) -> Binning:
    """The bins of a sample: equal widths, equal numbers of rows, or zero against all else."""
    if kind == "presence":
        return Binning()
    if kind == "width":
        span = collect(sample, Range.of, tall=False)
        return Binning(np.linspace(span.low, span.high, bins + 1)[1:-1])
    shares = np.arange(1, bins) / bins
    of = sparse_quantiles if sparse.issparse(sample.X) else dense_quantiles
    return Binning(of(sample.X, sample.weights, shares), closed_below=False)


def dense_quantiles(X: np.ndarray, weights: np.ndarray | None, shares: np.ndarray) -> np.ndarray:
    """Smallest values that at least these shares of the weight do not exceed, (b - 1, D)."""
    w = np.ones(len(X)) if weights is None else weights
    found = np.empty((len(shares), X.shape[1]))
    for j in range(X.shape[1]):
        order = np.argsort(X[:, j], kind="stable")
        upto = np.cumsum(w[order])
        places = np.searchsorted(upto, shares * upto[-1] * (1 - ROUNDING))
        found[:, j] = X[order[places], j]
    return found


def sparse_quantiles(X: Any, weights: np.ndarray | None, shares: np.ndarray) -> np.ndarray:
    """The same of sparse rows; all zeros of a column count as one entry."""
    n, D = X.shape
    w = np.ones(n) if weights is None else weights
    columns = np.append(X.indices, np.arange(D))
    values = np.append(X.data.astype(np.float64), np.zeros(D))
    stored = np.repeat(w, np.diff(X.indptr))
    zeros = np.maximum(w.sum() - np.bincount(X.indices, stored, minlength=D), 0.0)
    entry_weights = np.append(stored, zeros)
    order = np.lexsort((values, columns))
    upto, ends = np.cumsum(entry_weights[order]), np.cumsum(np.bincount(columns, minlength=D))
    before = np.append(0.0, upto[ends[:-1] - 1])
    total = upto[ends - 1] - before
    found = np.empty((len(shares), D))
    for k, share in enumerate(shares):
        # Sums of earlier columns round a target; no column may end before it.
        places = np.searchsorted(upto, before + share * total * (1 - ROUNDING))
        found[k] = values[order[np.minimum(places, ends - 1)]]
    return found
