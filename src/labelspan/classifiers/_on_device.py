"""Nearest rows and their labels on a device: blocks of products, smallest entries, counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan import arrays
from labelspan.arrays import block_bytes, cast, namespace, rows_at, sums

# Rows beyond k whose distances are recomputed exactly, because rounding may have misplaced them.
SPARE = 16


def nearest(T: Any, Q: Any, k: int) -> Any:
    """Indices (n, k) of the rows of T nearest to those of Q, or to each of T, then by index.

    Integers are compared exactly; other numbers by products first, the nearest again by
    differences.
    """
    queries = T if Q is None else Q
    xp, n_rows = namespace(T), queries.shape[0]
    largest = whole_length(T) if Q is None else max(whole_length(T), whole_length(Q))
    # Neither sums of products nor distances combined with a row number round.
    exact = (3 * largest + 1) * T.shape[0] < 2**53
    search: Any = WholeNumbers(T, k, largest) if exact else Differences(T, k)
    chosen = xp.empty((n_rows, k), dtype=xp.int64, device=T.device)
    height = max(block_bytes(T) // search.row_bytes, 1)
    for start in range(0, n_rows, height):
        rows = slice(start, min(start + height, n_rows))
        chosen[rows, :] = search(rows_at(queries, rows), start if Q is None else None)
    return chosen


def whole_length(A: Any) -> float:
    """Largest sum of squares of a row, or slightly more; infinite if a number is not an integer."""
    xp = namespace(A)
    first = A[:1, :]
    # Checking one row first avoids a whole pass for real features.
    if not bool(xp.all(xp.round(first) == first)):
        return np.inf
    if not bool(xp.all(xp.round(A) == A)):
        return np.inf
    # Its rounding, in the precision of A, is smaller.
    return float(xp.max(xp.linalg.vector_norm(A, axis=1))) ** 2 * (1 + 1e-5)


class WholeNumbers:
    """Keys |t|^2 - 2 q't, times at least the number of rows, plus the index of the row t."""

    def __init__(self, T: Any, k: int, largest: float):
        xp, n_train = namespace(T), T.shape[0]
        self.k, self.largest = k, largest
        self.factors = arrays.KeyFactors.of(T, largest)
        # Half the bytes, if integers of that size are exact in the smaller type.
        self.single = largest < 2**24 and (3 * largest + 1) * n_train < 2**31
        self.row_bytes = (8 if self.single else 16) * n_train
        self.modulus = n_train if self.factors is None else self.factors.modulus
        if self.factors is None:
            self.T = cast(T, np.float32 if self.single else np.float64)
            exact = cast(T, np.float64)
            numbers = xp.arange(n_train, dtype=xp.float64, device=T.device)
            base = sums(exact * exact, axis=1) * n_train + numbers
            self.base = cast(base, np.int32) if self.single else base

    def __call__(self, rows: Any, own: int | None) -> Any:
        if self.factors is not None:
            keys = self.factors.keys(rows)
        elif self.single:
            keys = cast(arrays.whole_products(rows, self.T, self.largest), np.int32)
        else:
            keys = cast(rows, np.float64) @ self.T.T
        if self.factors is None:
            keys = arrays.less_multiple(self.base, keys, 2 * self.modulus)
        if own is not None:
            whole = self.single and self.factors is None
            arrays.fill_diagonal(keys, own, 2**31 - 1 if whole else np.inf)
        return cast(arrays.least(keys, self.k), np.int64) % self.modulus


class Differences:
    """The nearest by centred products, and some more, ordered by their differences."""

    def __init__(self, T: Any, k: int):
        xp = namespace(T)
        self.T, self.k = cast(T, np.float64), k
        self.n_candidates = min(k + SPARE, T.shape[0])
        # Four arrays of products, or of the rows that are compared again.
        self.row_bytes = 32 * max(T.shape[0], self.n_candidates * T.shape[1])
        self.mean = xp.mean(self.T, axis=0)
        self.centred = self.T - self.mean
        self.norms = sums(self.centred * self.centred, axis=1)

    def __call__(self, rows: Any, own: int | None) -> Any:
        xp, m = namespace(self.T), self.n_candidates
        rows = cast(rows, np.float64)
        squares = (rows - self.mean) @ self.centred.T
        squares *= -2.0
        squares += self.norms[None, :]
        if own is not None:
            arrays.fill_diagonal(squares, own, np.inf)
        near = xp.sort(arrays.smallest(squares, m), axis=1)
        found = xp.reshape(xp.take(self.T, xp.reshape(near, (-1,)), axis=0), (*near.shape, -1))
        found = found - rows[:, None, :]
        distances = sums(found * found, axis=2)
        if own is not None:
            numbers = xp.arange(own, own + rows.shape[0], dtype=near.dtype, device=near.device)
            far = near == numbers[:, None]
            distances = xp.where(far, xp.full_like(distances, np.inf), distances)
        order = xp.argsort(distances, axis=1, stable=True)[:, : self.k]
        starts = m * xp.arange(near.shape[0], dtype=order.dtype, device=near.device)
        flat = xp.take(xp.reshape(near, (-1,)), xp.reshape(order + starts[:, None], (-1,)))
        return xp.reshape(flat, order.shape)


def counted(Y: Any) -> Any:
    """Labels as the next two functions take them: a byte each, as they are read per neighbour."""
    return cast(Y, np.uint8)


def neighbour_histogram(neighbours: Any, Y: Any) -> np.ndarray:
    """Rows by label, membership and number of neighbours with it, (2, q, k + 1), on the host."""
    xp = namespace(Y)
    n_labels, n_counts = Y.shape[1], neighbours.shape[1] + 1
    counts = arrays.sums_of_rows(Y, neighbours)
    # A count is at most k, so adding k + 1 marks rows that have the label themselves.
    counts += n_counts * xp.astype(Y, counts.dtype)
    table = arrays.tally(places_of(counts, 2 * n_counts), 2 * n_counts * n_labels)
    whole = table.reshape(n_labels, 2, n_counts).astype(np.float64)
    return np.ascontiguousarray(whole.transpose(1, 0, 2))


def look_up(neighbours: Any, Y: Any, table: Any) -> Any:
    """table[l, number of neighbours with label l] for each row and label, (n, q)."""
    xp = namespace(Y)
    places = places_of(arrays.sums_of_rows(Y, neighbours), table.shape[1])
    return xp.reshape(xp.take(xp.reshape(table, (-1,)), places), (-1, Y.shape[1]))


def places_of(counts: Any, n_counts: int) -> Any:
    """Flat indices (n q,) of counts in a table (q, n_counts)."""
    xp = namespace(counts)
    places = cast(counts, np.int64)
    places += n_counts * xp.arange(counts.shape[1], dtype=xp.int64, device=counts.device)[None, :]
    return xp.reshape(places, (-1,))
