"""What one pass over the rows finds before a ridge is chosen: sums, ranges, and a fixed sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from labelspan.arrays import dense, values_of, with_values
from labelspan.compat import is_dask_array
from labelspan.gate import Labels
from labelspan.moments import Moments, Sample, checked, collect
from labelspan.ridge_cv._leave_one_out import Space, all_left_out

# Rows on which candidates are compared; more hardly change the choice.
COMPARED = 2000


@dataclass(frozen=True)
class Training:
    """Checked rows, and what was found in the first pass.

    Attributes
    ----------
    X, Y : array of shape (n, D) and (n, q)
        The rows, in memory or as Dask arrays, and their 0/1 labels.
    weights : ndarray of shape (n,) or None
        Weights of the rows.
    sums : Sums
        What one pass found.
    compared : tuple
        The rows on which candidates are compared: an array, where they are in it, their targets
        and their weights.
    order : ndarray of shape (n,) or None
        The rows in an order that depends on their content only; None for Dask arrays.
    """

    X: Any
    Y: Any
    weights: np.ndarray | None
    sums: Sums
    compared: tuple[Any, Any, np.ndarray, np.ndarray | None]
    order: np.ndarray | None = None

    @classmethod
    def of(cls, X: Any, labels: Labels, *, xx: bool) -> Training:
        """Read the rows once; `xx`: with the scatter of the columns."""
        lazy = is_dask_array(X)
        sample = Sample(X, labels.Y, weights=labels.weights)
        sums = collect(sample, partial(Sums.of, xx=xx, keep=lazy), tall=xx)
        checked(sums.moments)
        weights = labels.weights
        if lazy:
            _, rows, Y, *given = sums.rows
            compared = rows, slice(None), targets(Y), given[0] if given else None
            return cls(X, labels.Y, weights, sums, compared)
        order = np.argsort(content_keys(X), kind="stable")
        # In the order of the rows, unless only some of them are compared.
        at = order[:COMPARED] if len(order) > COMPARED else np.arange(len(order))
        w = None if weights is None else weights[at]
        return cls(X, labels.Y, weights, sums, (X, at, targets(labels.Y[at]), w), order)

    def left_out(self, space: Space, ridge: float) -> LeftOut:
        """Left-out scores of all rows, which are read once more."""
        of_block = partial(LeftOut.of, space=space, ridge=ridge)
        if is_dask_array(self.X):
            return collect(Sample(self.X, self.Y, weights=self.weights), of_block)
        return of_block(self.X, self.Y, self.weights)


@dataclass(frozen=True)
class Sums:
    """Moments of the rows, the range of each column, and some rows of a Dask array."""

    moments: Moments
    low: np.ndarray
    high: np.ndarray
    n_rows: int
    rows: tuple[np.ndarray, ...] = ()

    @classmethod
    def of(cls, X: Any, Y: Any, weights: np.ndarray | None = None, *, xx: bool, keep: bool) -> Sums:
        """Those of one block; `keep`: with the rows of the smallest keys."""
        moments = Moments.of(X, Y, weights, xx=xx, tt=False)
        if weights is not None and not weights.any():
            # A block of a Dask array, all of whose rows are left out.
            nothing = np.full(X.shape[1], np.inf)
            rows = (np.empty(0, np.uint64), dense(X[:0]), dense(Y[:0]), weights[:0])
            return cls(moments, nothing, -nothing, 0, rows if keep else ())
        low, high = (dense(edge).ravel().astype(np.float64) for edge in (X.min(0), X.max(0)))
        if not keep:
            return cls(moments, low, high, X.shape[0])
        keys = content_keys(X)
        first = np.argsort(keys, kind="stable")[:COMPARED]
        given = () if weights is None else (weights[first],)
        rows = keys[first], dense(X[first]), dense(Y[first]), *given
        return cls(moments, low, high, X.shape[0], rows)

    def __add__(self, other: Sums) -> Sums:
        rows = tuple(np.concatenate(pair) for pair in zip(self.rows, other.rows, strict=True))
        if rows:
            first = np.argsort(rows[0], kind="stable")[:COMPARED]
            rows = tuple(array[first] for array in rows)
        edges = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Sums(self.moments + other.moments, *edges, self.n_rows + other.n_rows, rows)

    def scale(self, scaling: str | None) -> np.ndarray:
        """What the columns are divided by, (D,); 1 for constant ones."""
        if scaling is None:
            return np.ones(len(self.low))
        spread = self.high - self.low
        if scaling == "standard":
            spread = np.sqrt(self.moments.squares / self.moments.weight)
        return np.where(spread > 0, spread, 1.0)


@dataclass(frozen=True)
class LeftOut:
    """Left-out scores (m, q) of rows, whether they have the labels, and their weights."""

    scores: np.ndarray
    positive: np.ndarray
    weights: np.ndarray | None

    @classmethod
    def of(
        cls, X: Any, Y: Any, weights: np.ndarray | None = None, *, space: Space, ridge: float
    ) -> LeftOut:
        """Those of one block."""
        if weights is not None and not weights.any():
            X, Y, weights = X[:0], Y[:0], weights[:0]
        T = targets(Y)
        return cls(all_left_out(space, X, T, weights, ridge), T > 0, weights)

    def __add__(self, other: LeftOut) -> LeftOut:
        w = None if self.weights is None else np.concatenate([self.weights, other.weights])
        scores = np.concatenate([self.scores, other.scores])
        return LeftOut(scores, np.concatenate([self.positive, other.positive]), w)


def targets(Y: Any) -> np.ndarray:
    """The labels as -1 and +1, dense."""
    return 2.0 * dense(Y) - 1.0


def content_keys(X: Any) -> np.ndarray:
    """Numbers (n,) that depend on the content of a row only, and spread like random ones.

    Sums of integers modulo 2^64, which are the same for dense and sparse rows and in any block.
    """
    with np.errstate(over="ignore"):
        rounded = values_of(X).astype(np.float32) + np.float32(0)
        bits = rounded.view(np.uint32).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        bits ^= bits >> np.uint64(29)
    factors = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64)
    return np.asarray(with_values(X, bits) @ (np.uint64(2) * factors + np.uint64(1)))
