"""Exact search for the most similar rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from labelspan.arrays import (
    cast,
    dense,
    densified,
    finite,
    floating,
    namespace,
    smallest,
    unit_rows,
    values_of,
)
from labelspan.metrics._input import check_choice

# Similarities, and numbers of pairs of rows, that are held at a time.
BLOCK_CELLS, PAIR_CELLS = 2**24, 2**21


def nearest(Q: Any, X: Any, k: int = 10, *, metric: str = "cosine") -> np.ndarray:
    """Find the k rows of an index that are most similar to each query, exactly.

    Parameters
    ----------
    Q : array-like or sparse of shape (n_queries, n_features)
        Queries.
    X : array-like or sparse of shape (n_rows, n_features)
        Rows of the index, on a device if the queries are.
    k : int, default=10
        Number of rows, at most n_rows.
    metric : {"cosine", "dot", "euclidean"}, default="cosine"
        Cosine of the angle, inner product, or distance.

    Returns
    -------
    ndarray of int64 of shape (n_queries, k)
        Row numbers, the most similar first; of rows with equal similarities, the first.

    Notes
    -----
    Products in float32, in blocks that never hold all of them, find the rows that come into
    question; these are compared in float64, and similarities count as equal if they are in float32.
    (On a device, in float32 only.) Time O(n_queries n_rows n_features), memory O(n_rows
    n_features). Rows of zeros have the cosine 0 with all others.

    Examples
    --------
    >>> from labelspan.metrics import nearest
    >>> nearest([[1.0, 0.1]], [[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], k=2)
    array([[1, 2]])
    """
    check_choice("metric", metric, ("cosine", "dot", "euclidean"))
    Q, X = rows_of(Q, "Q"), rows_of(X, "X")
    if Q.shape[1] != X.shape[1]:
        raise ValueError(
            f"Q has shape {tuple(Q.shape)} and X {tuple(X.shape)}; expected rows with the same "
            "number of columns. Transform both by the same model."
        )
    if not isinstance(k, Integral) or not 1 <= k <= X.shape[0]:
        raise ValueError(f"k={k!r}; expected an integer from 1 to {X.shape[0]}, the rows of X.")
    search = NearestRows.of(Q, X, int(k), metric)
    height = max(BLOCK_CELLS // X.shape[0], 1)
    blocks = (Q[start : start + height] for start in range(0, Q.shape[0], height))
    is_precise = isinstance(values_of(search.rows), np.ndarray)
    of_block = search.in_doubles if is_precise else search.in_singles
    found = [of_block(block) for block in blocks]
    return np.vstack(found) if found else np.empty((0, k), dtype=np.int64)


def rows_of(A: Any, name: str) -> Any:
    """Finite rows: an array, on the host or a device, or a CSR array."""
    A = floating(A)
    if A.ndim != 2:
        raise ValueError(f"{name} has shape {tuple(A.shape)}; expected rows, a 2-d array.")
    if not finite(values_of(A)):
        raise ValueError(f"{name} holds NaN or infinity. Leave these rows out, or impute them.")
    return A


@dataclass(frozen=True)
class NearestRows:
    """What all blocks of queries need: `rows` (n, D) in float32, half of their squares or 0.

    Queries and rows are divided by their scales, so that no product leaves the range of float32;
    distances are those from the `mean`, because far from the origin products would cancel.
    """

    X: Any
    k: int
    metric: str
    mean: Any
    scales: tuple[float, float]
    rows: Any
    halves: Any
    longest: float

    @classmethod
    def of(cls, Q: Any, X: Any, k: int, metric: str) -> NearestRows:
        """The search among rows X."""
        scales, mean = (largest(Q), largest(X)), 0.0
        if metric == "euclidean":
            scales = (max(scales),) * 2
            # Sparse rows stay sparse.
            if values_of(Q) is Q and values_of(X) is X:
                mean = namespace(X).mean(cast(X, np.float64) / scales[1], axis=0)
        rows = cast(precise(X, metric, mean, scales[1]), np.float32)
        lengths = squares(rows)
        halves = lengths / 2 if metric == "euclidean" else 0.0
        return cls(X, k, metric, mean, scales, rows, halves, float(lengths.max()) ** 0.5)

    def in_doubles(self, Q: Any) -> np.ndarray:
        """Row numbers by value in float64, rounded to float32, then by number."""
        Q = precise(Q, self.metric, self.mean, self.scales[0])
        S = cast(Q, np.float32) @ self.rows.T
        D = self.halves - densified(S)
        last = np.partition(D, self.k - 1, axis=1)[:, self.k - 1, None]
        query, row = np.nonzero(last + self._slack(Q)[:, None] >= D)
        values = np.concatenate([self._values(Q[q], x) for q, x in pieces(query, row, Q.shape[1])])
        order = np.lexsort((row, values, query))
        first = np.searchsorted(query, np.arange(Q.shape[0]))
        return row[order][first[:, None] + np.arange(self.k)].astype(np.int64)

    def _slack(self, Q: Any) -> np.ndarray:
        """Twice the largest rounding error of the products of each query."""
        error = 2.0 * (Q.shape[1] + 2) * np.finfo(np.float32).eps
        return np.asarray(
            error * self.longest * (squares(Q) ** 0.5 + self.longest), dtype=np.float32
        )

    def _values(self, Q: Any, numbers: np.ndarray) -> np.ndarray:
        """What is compared of pairs of a query and a row; row by row, whatever stands around."""
        X = precise(self.X[numbers], self.metric, self.mean, self.scales[1])
        Q, X = densified(Q), densified(X)
        found = ((Q - X) ** 2).sum(axis=1) if self.metric == "euclidean" else -(Q * X).sum(axis=1)
        return found.astype(np.float32)

    def in_singles(self, Q: Any) -> np.ndarray:
        """Row numbers by value in float32, then by number."""
        Q = cast(precise(Q, self.metric, self.mean, self.scales[0]), np.float32)
        D = self.halves - Q @ self.rows.T
        columns = smallest(D, self.k)
        values = dense(namespace(D).take_along_axis(D, columns, axis=1))
        columns = dense(columns)
        order = np.lexsort((columns, values), axis=1)
        return np.take_along_axis(columns, order, axis=1).astype(np.int64)


def precise(A: Any, metric: str, mean: Any, scale: float) -> Any:
    """Rows in float64: divided by a scale, of unit length for cosines, or less the mean."""
    A = cast(A, np.float64) / scale
    if metric != "cosine":
        return A - mean
    return unit_rows(A)


def squares(A: Any) -> Any:
    """Sums of squares of the rows."""
    return (A * A).sum(axis=1)


def largest(A: Any) -> float:
    """The largest absolute value; 1 if there is none."""
    values = values_of(A)
    return (float(namespace(values).max(abs(values))) if min(values.shape) else 0.0) or 1.0


def pieces(query: np.ndarray, row: np.ndarray, D: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs of numbers in pieces that fit."""
    height = max(PAIR_CELLS // max(D, 1), 1)
    for start in range(0, len(query), height):
        yield query[start : start + height], row[start : start + height]
