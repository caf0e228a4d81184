"""Null distributions by draws: permutations of all labels, and random sets of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import scaled_rows, shared_product, side_by_side, squared_lengths
from labelspan.stats.dependence._rows import Rows

# Numbers of a product that are held at a time.
HELD = 2**22


def permutations(
    n: int, n_draws: int, groups: np.ndarray | None, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Random permutations of the rows, within `groups` if there are any."""
    if groups is None:
        for _ in range(n_draws):
            yield rng.permutation(n)
        return
    home = np.argsort(groups, kind="stable")
    for _ in range(n_draws):
        order = np.empty(n, dtype=np.intp)
        order[home] = np.lexsort((rng.random(n), groups))
        yield order


def statistic_of(
    rows: Rows, mean: np.ndarray | None, K: np.ndarray | None
) -> Callable[[Any], np.ndarray]:
    """The function from labels (n, q), dense or CSR, to the squared length of each column of A'Y.

    The rows of A add up to zero, so labels need not be centred.
    """
    if K is not None:
        return lambda Y: np.einsum("ij,ij->j", Y, K @ Y)
    assert mean is not None
    X, w = rows.X, rows.weights

    def squares(Y: Any) -> np.ndarray:
        Y = Y if w is None else scaled_rows(Y, w)
        return squared_lengths(shared_product(X, Y).T, mean, np.asarray(Y.sum(axis=0)).ravel())

    return squares


def permuted(
    Y: Any,
    statistic: Callable[[Any], np.ndarray],
    n_draws: int,
    groups: np.ndarray | None,
    rng: np.random.Generator,
) -> np.ndarray:
    """Statistics (n_draws, q) of the labels in random orders; a product holds several of them."""
    n, q = Y.shape
    drawn = np.empty((n_draws, q))
    together = max(HELD // max(n * q, 1), 1)
    orders = permutations(n, n_draws, groups, rng)
    for start in range(0, n_draws, together):
        size = min(together, n_draws - start)
        parts = [Y[next(orders)] for _ in range(size)]
        drawn[start : start + size] = statistic(side_by_side(parts)).reshape(size, q)
    return drawn


def row_sets(n: int, size: int, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """Sets of `size` different rows in random order (n_draws, size)."""
    sets = np.empty((size, n_draws), dtype=np.intp)
    for k in range(size):
        again = np.arange(n_draws)
        while len(again):
            sets[k, again] = rng.integers(n, size=len(again))
            again = again[(sets[:k, again] == sets[k, again]).any(axis=0)]
    return sets.T


def of_sets_by_gram(K: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Squared length of the sum of the first 1, 2, ... rows of each set, (n_draws, size)."""
    found = np.empty(sets.shape)
    total = np.zeros(len(sets))
    for k in range(sets.shape[1]):
        total = total + K[sets[:, k], sets[:, k]]
        for j in range(k):
            total += 2 * K[sets[:, j], sets[:, k]]
        found[:, k] = total
    return found


def of_sets_by_rows(
    X: Any, weights: np.ndarray | None, mean: np.ndarray, sets: np.ndarray
) -> np.ndarray:
    """The same from the rows A = w (x - mean), sparse or dense."""
    w = np.ones(X.shape[0]) if weights is None else weights
    found, height = np.empty(sets.shape), max(HELD // X.shape[1], 1)
    for start in range(0, len(sets), height):
        part = sets[start : start + height]
        sums, counts, draws = 0.0, np.zeros(len(part)), np.arange(len(part))
        for k in range(part.shape[1]):
            w_k = w[part[:, k]]
            one = sparse.csr_array((w_k, (draws, part[:, k])), (len(part), X.shape[0]))
            sums, counts = sums + one @ X, counts + w_k
            found[start : start + height, k] = squared_lengths(sums, mean, counts)
    return found


def pair_share(K: np.ndarray, least: float) -> tuple[float, float]:
    """Shares of the pairs of rows whose sum is at least as long as `least`, and the longest."""
    lengths = np.diag(K)
    n, above, most, largest = len(K), 0, 0, -np.inf
    for i in range(n - 1):
        squares = lengths[i] + lengths[i + 1 :] + 2 * K[i, i + 1 :]
        above += int(np.count_nonzero(squares >= least))
        top = float(squares.max())
        if top > largest * (1 + 1e-10):
            largest, most = top, 0
        most += int(np.count_nonzero(squares >= largest * (1 - 1e-10)))
    return above / (n * (n - 1) / 2), most / (n * (n - 1) / 2)
