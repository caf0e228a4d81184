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
    """Sets of `size` different rows, drawn at random, in random order (n_draws, size)."""
    if size**2 > n / 4:
        return np.array([rng.permutation(n)[:size] for _ in range(n_draws)])
    sets = rng.integers(n, size=(n_draws, size))
    while True:
        ordered = np.sort(sets, axis=1)
        twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if len(twice) == 0:
            return sets
        sets[twice] = rng.integers(n, size=(len(twice), size))


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
    """Squared length of the sum of the rows A = w (x - mean) of each set, (n_draws,)."""
    n_draws, size = sets.shape
    w = np.ones(X.shape[0]) if weights is None else weights
    found, height = np.empty(n_draws), max(HELD // X.shape[1], 1)
    for start in range(0, n_draws, height):
        part = sets[start : start + height]
        ends = np.arange(len(part) + 1) * size
        chosen = sparse.csr_array((w[part].ravel(), part.ravel(), ends), (len(part), X.shape[0]))
        sums, counts = chosen @ X, w[part].sum(axis=1)
        found[start : start + height] = squared_lengths(sums, mean, counts)
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
