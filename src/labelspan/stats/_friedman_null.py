"""Null distribution of Friedman's statistic: the ranks of each block in random order."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from math import factorial, prod
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

# Limit of rank sums in one step of the exact distribution: hundredths of a second.
MOST_SUMS = 50_000
# With more blocks the F distribution of Iman and Davenport is close.
MOST_BLOCKS = 30
N_PERMUTATIONS = 9999


def exact_p_value(ranks: np.ndarray) -> float | None:
    """Probability of rank sums that differ as much; None if there are too many orders.

    Sums are kept sorted, because their order matters neither to the statistic nor to later sums.
    """
    # Twice a rank is an integer, even for ties. A block without differences shifts all sums
    # equally.
    rows = [row for row in np.rint(2 * ranks).astype(np.int64) if np.ptp(row)]
    if not rows:
        return 1.0
    observed = _spread(np.sum(rows, axis=0))
    sums, chances = np.sort(rows[0])[None], np.ones((1,))
    for place, row in enumerate(rows[1:], start=1):
        orders = _orders(row, MOST_SUMS // len(sums))
        if orders is None:
            return None
        moved = (sums[:, None] + orders).reshape(-1, len(row))
        chances = np.repeat(chances / len(orders), len(orders))
        if place == len(rows) - 1:
            return min(1.0, float(chances[_spread(moved) >= observed].sum()))
        sums, home = np.unique(np.sort(moved, axis=1), axis=0, return_inverse=True)
        chances = np.bincount(home.ravel(), weights=chances).astype(float)
    return 1.0


def permutation_p_value(ranks: np.ndarray, random_state: Any) -> float:
    """Share of random orders whose rank sums differ as much, the observed order among them."""
    rng = check_random_state(random_state)
    doubled = np.rint(2 * ranks).astype(np.int64)
    sums = np.zeros((N_PERMUTATIONS, ranks.shape[1]), dtype=np.int64)
    for row in doubled:
        sums += row[np.argsort(rng.random_sample(sums.shape), axis=1)]
    hits = np.count_nonzero(_spread(sums) >= _spread(doubled.sum(axis=0)))
    return (1 + hits) / (1 + N_PERMUTATIONS)


def _spread(sums: np.ndarray) -> np.ndarray:
    """Sum of squares; for fixed ranks both statistics of Friedman's test increase with it."""
    return (sums**2).sum(axis=-1)


def _orders(row: np.ndarray, most: int) -> np.ndarray | None:
    """All distinct orders of the ranks of a block; None if more than `most`."""
    counts = np.unique(row, return_counts=True)[1]
    # Python's integers, because the factorial of 171 exceeds even floats.
    if factorial(len(row)) // prod(map(factorial, counts.tolist())) > most:
        return None
    found: Iterable[tuple[int, ...]] = permutations(row.tolist())
    # Ties only: a set of all orders is twice as slow, and takes its memory.
    return np.array(list(dict.fromkeys(found) if counts.max() > 1 else found))
