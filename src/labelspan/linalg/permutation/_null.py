"""Exact mean, variance and skewness of tr(K L_pi) over all n! permutations pi of the rows.

With S = sum_ij K_ij L_pi(i)pi(j), the expectation of S^m is a sum over the ways in which the 2m
indices coincide, that is over their set partitions p: (sum over distinct rows of the product of
entries of K) times (that of L) / (n (n - 1) ... (n - |p| + 1)). By Moebius inversion a sum over
distinct rows is a signed sum of sums over all rows, and those vanish where an index occurs once,
because the rows of a centred K sum to zero. Of the third moment eight are left, see `Side`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import factorial, perm, prod
from typing import Any

import numpy as np

# Sums over all rows, by the numbers of distinct indices and of diagonal entries in a product.
KINDS: tuple[dict[tuple[int, int], int], ...] = (
    {(1, 1): 0},
    {(2, 2): 0, (2, 0): 1, (1, 2): 2},
    {(3, 3): 0, (3, 1): 1, (2, 3): 2, (3, 0): 3, (1, 3): 4, (2, 0): 5, (2, 1): 6, (2, 2): 7},
)


@dataclass(frozen=True)
class Side:
    """Sums of a centred Gram matrix K (n, n) with diagonal k; numbers, or arrays of one length.

    T = tr K, T2 = tr K^2, T3 = tr K^3, S2 = sum k_i^2, S3 = sum k_i^3, U = sum K_ij^3, R = sum
    k_i (K^2)_ii and B = k'K k.
    """

    n: int
    T: Any
    T2: Any
    S2: Any
    T3: Any
    S3: Any
    U: Any
    R: Any
    B: Any

    @property
    def effective_rows(self) -> Any:
        """Number of rows of equal length with this sum of squared lengths, T^2 / S2."""
        squares = np.asarray(self.S2, dtype=np.float64)
        return np.divide(self.T**2, squares, out=np.zeros_like(squares), where=squares > 0)

    def sums(self, order: int) -> np.ndarray:
        """The sums of the moment of this order, in the order of `KINDS`."""
        T = self.T
        if order == 1:
            return np.array([T])
        if order == 2:
            return np.array([T**2, self.T2, self.S2])
        rest = (self.T3, self.S3, self.U, self.R, self.B)
        return np.array([T**3, T * self.T2, T * self.S2, *rest])


@dataclass(frozen=True)
class Null:
    """Moments of the statistic when rows of labels are permuted; numbers or arrays."""

    mean: Any
    variance: Any
    skewness: Any


def null_moments(features: Side, labels: Side) -> Null:
    """Moments of tr(K L_pi), for one K and one or several L."""
    first, second, third = (raw_moment(order, features, labels) for order in (1, 2, 3))
    # Zero the rounding error of a difference of equal numbers.
    variance = second - first**2
    variance = np.where(variance > 1e-12 * second, variance, 0.0)
    central = third - 3 * first * variance - first**3
    spread = np.where(variance > 0, variance, 1.0) ** 1.5
    return Null(first, variance, np.where(variance > 0, central / spread, 0.0))


def raw_moment(order: int, features: Side, labels: Side) -> Any:
    """Expectation of S^order."""
    x, y = features.sums(order), labels.sums(order)
    n, total = features.n, np.zeros(())
    for size, table in enumerate(tables(order), start=1):
        if size <= n:
            total = total + np.tensordot(x @ table, y, axes=1) / perm(n, size)
    return total


@lru_cache
def tables(order: int) -> tuple[np.ndarray, ...]:
    """For each number of distinct indices the matrix that joins the sums of both sides."""
    kinds = KINDS[order - 1]
    found = [np.zeros((len(kinds), len(kinds))) for _ in range(2 * order)]
    for partition in partitions(2 * order):
        size = max(partition) + 1
        distinct = np.zeros(len(kinds))
        for coarser in partitions(size):
            kind = kind_of(tuple(coarser[block] for block in partition), kinds)
            if kind is not None:
                distinct[kind] += moebius(coarser)
        found[size - 1] += np.outer(distinct, distinct)
    return tuple(found)


def partitions(size: int) -> Iterator[tuple[int, ...]]:
    """All set partitions of `size` things: the block of each, numbered by first occurrence."""
    grown: list[tuple[int, ...]] = [()]
    for _ in range(size):
        grown = [(*p, block) for p in grown for block in range(max(p, default=-1) + 2)]
    return iter(grown)


def moebius(coarser: tuple[int, ...]) -> int:
    """Sign and weight of a coarser partition in the sum over distinct indices."""
    sizes = [coarser.count(block) for block in set(coarser)]
    return prod((-1) ** (size - 1) * factorial(size - 1) for size in sizes)


def kind_of(indices: tuple[int, ...], kinds: dict[tuple[int, int], int]) -> int | None:
    """Which sum over all rows a product of entries is; None if it is zero."""
    if any(indices.count(index) == 1 for index in indices):
        return None
    diagonal = sum(a == b for a, b in zip(indices[::2], indices[1::2], strict=True))
    return kinds[len(set(indices)), diagonal]
