"""Nearest rows and their labels on a device: blocks of products, the least of each row, counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan import _device as device
from labelspan._device import block_bytes, cast, namespace, rows_at, sums

# Rows beyond k whose distances are looked at again, exactly: rounding may have put them last.
SPARE = 16
# Arrays of the size of a block of products that a search holds.
ARRAYS_A_BLOCK = 4


def nearest(T: Any, Q: Any, k: int) -> Any:
    """Numbers (n, k) of the rows of T nearest to those of Q, or to its own others without Q.

    By distance, then by number. Whole numbers are compared as such, so that ties are exact; of
    others, the nearest by products are compared once more by differences.
    """
    queries = T if Q is None else Q
    xp, n_rows = namespace(T), queries.shape[0]
    bound = whole_bound(T) if Q is None else whole_bound(T, Q)
    chosen = xp.empty((n_rows, k), dtype=xp.int64, device=T.device)
    wide = max(T.shape[0], (k + SPARE) * T.shape[1])
    height = max(block_bytes(T) // (8 * ARRAYS_A_BLOCK * wide), 1)
    search: Any = Differences(T, k) if bound is None else WholeNumbers(T, k, bound)
    for start in range(0, n_rows, height):
        rows = slice(start, min(start + height, n_rows))
        chosen[rows, :] = search(rows_at(queries, rows), start if Q is None else None)
    return chosen


def whole_bound(*arrays: Any) -> float | None:
    """Largest square of a whole number in the arrays; None if some number is none."""
    bound = 0.0
    for A in arrays:
        xp = namespace(A)
        if not bool(xp.all(xp.round(A[:1, :]) == A[:1, :])) or not bool(xp.all(xp.round(A) == A)):
            return None
        bound = max(bound, float(xp.max(A)) ** 2, float(xp.min(A)) ** 2)
    # No sum of products rounds, and neither does a distance with the number of a row below it.
    largest = 4 * bound * arrays[0].shape[1] + 1
    return bound if largest * arrays[0].shape[0] < 2**53 else None


class WholeNumbers:
    """Keys |t|^2 - 2 q't, times the number of rows, plus the number of the row: no two tie."""

    def __init__(self, T: Any, k: int, bound: float):
        xp = namespace(T)
        self.n_train, self.k = T.shape[0], k
        # Half the bytes, where whole numbers of that size are exact in half the digits.
        self.terms = terms = T.shape[1] * bound
        self.single = terms < 2**24 and (3 * terms + 1) * self.n_train < 2**31
        self.T = cast(T, np.float32 if self.single else np.float64)
        exact = cast(T, np.float64)
        numbers = xp.arange(self.n_train, dtype=xp.float64, device=T.device)
        self.base = self._key(sums(exact * exact, axis=1) * self.n_train + numbers)

    def _key(self, values: Any) -> Any:
        return cast(values, np.int32) if self.single else values

    def __call__(self, rows: Any, own: int | None) -> Any:
        if self.single:
            keys = cast(device.whole_products(rows, self.T, self.terms), np.int32)
        else:
            keys = cast(rows, np.float64) @ self.T.T
        keys = device.less_multiple(self.base, keys, 2 * self.n_train)
        if own is not None:
            device.fill_diagonal(keys, own, 2**31 - 1 if self.single else np.inf)
        return cast(device.least(keys, self.k) % self.n_train, np.int64)


class Differences:
    """The nearest by products about the mean, and some more, in the order of their differences."""

    def __init__(self, T: Any, k: int):
        xp = namespace(T)
        self.T, self.k = cast(T, np.float64), k
        self.n_candidates = min(k + SPARE, T.shape[0])
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
            device.fill_diagonal(squares, own, np.inf)
        near = xp.sort(device.smallest(squares, m), axis=1)
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


def counts_of(neighbours: Any, Y: Any) -> Any:
    """How many neighbours have each label, (n, q)."""
    xp = namespace(Y)
    # A byte per count, as per label, where it holds them.
    dtype = np.uint8 if neighbours.shape[1] < 256 else np.int32
    counts = cast(xp.take(Y, neighbours[:, 0], axis=0), dtype)
    for j in range(1, neighbours.shape[1]):
        counts += cast(xp.take(Y, neighbours[:, j], axis=0), dtype)
    return counts


def histogram(neighbours: Any, Y: Any) -> np.ndarray:
    """Rows by label, membership and number of neighbours with it, (2, q, k + 1), on the host."""
    xp = namespace(Y)
    counts, has = counts_of(neighbours, Y), Y == 1
    table = []
    for j in range(neighbours.shape[1] + 1):
        here = counts == j
        table += [sums(device.as_bytes(rows), axis=0) for rows in (here, here & has)]
    # All at once to the host: (k + 1, 2, q), the rows with the label counted twice.
    whole = device.to_host(xp.stack(table)).reshape(-1, 2, Y.shape[1]).astype(np.float64)
    whole[:, 0] -= whole[:, 1]
    return np.ascontiguousarray(whole.transpose(1, 2, 0))


def look_up(neighbours: Any, Y: Any, table: Any) -> Any:
    """table[l, number of neighbours with label l] for each row and label, (n, q)."""
    xp = namespace(Y)
    counts = counts_of(neighbours, Y)
    places = cast(counts, np.int64)
    places += table.shape[1] * xp.arange(Y.shape[1], dtype=xp.int64, device=Y.device)[None, :]
    found = xp.take(xp.reshape(table, (-1,)), xp.reshape(places, (-1,)))
    return xp.reshape(found, counts.shape)
