"""Sums over blocks for least squares without a ridge: Gram matrices or, if needed, QR factors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelspan.arrays import is_device, on_host, regular_factor
from labelspan.linalg._least_norm import Triangle
from labelspan.moments import Available, Moments, Root, available


@dataclass(frozen=True)
class Gathered:
    """Moments of the blocks whose pivots show eight correct digits, QR factors of the others.

    A Gram matrix costs a third of a QR factor but squares the condition number, and chunks cannot
    be read again. A sum of safe blocks is safe: Gram matrices at least delta times their diagonals
    add up.
    """

    safe: Moments | None
    others: Triangle | None

    @classmethod
    def of(cls, X: Any, T: Any, weights: np.ndarray | None = None, *, tt: bool) -> Gathered:
        """Statistics of one block of rows; those of rows on a device are kept on the host."""
        home = on_host if is_device(X) else lambda statistics: statistics
        if X.shape[0] > X.shape[1]:
            moments = home(Available.of(X, T, weights, tt=tt))
            if upper_factor(moments.xx) is not None:
                return cls(moments, None)
        return cls(None, home(Triangle.of(X, T, weights, tt=tt)))

    def __add__(self, other: Gathered) -> Gathered:
        return Gathered(plus(self.safe, other.safe), plus(self.others, other.others))

    def moved(self, by: np.ndarray) -> Gathered:
        """The same statistics of X + by, for a row (D,)."""
        safe, others = self.safe, self.others
        return Gathered(safe and safe.moved(by), others and others.moved(by))

    def joined(self) -> Triangle:
        """One factor of all rows, with their products with T."""
        if self.safe is None:
            assert self.others is not None
            return self.others
        R = upper_factor(self.safe.xx)
        # The sum fails only by rounding; safe pivots were far above it.
        assert R is not None
        root = Root(self.safe.weight, self.safe.x_mean, np.zeros(0), R)
        thin = replace(self.safe, xx=None, x_squares=self.safe.squares.copy())
        return plus(Triangle(root, thin), self.others)

    @property
    def weight(self) -> float:
        """Number of rows."""
        return sum(part.weight for part in (self.safe, self.others) if part is not None)

    @property
    def x_mean(self) -> np.ndarray:
        """Mean of X."""
        if self.safe is None or self.others is None:
            part = self.safe or self.others
            assert part is not None
            return part.x_mean
        share = self.others.weight / self.weight
        return self.safe.x_mean + share * (self.others.x_mean - self.safe.x_mean)

    @property
    def kind(self) -> tuple[Any, ...]:
        """The kind of statistics; only those of one kind can be added."""
        part = self.safe or self.others
        assert part is not None
        return ("gathered", part.tt is not None)


def pooled(statistics: Any) -> Any:
    """Statistics of all rows, joined; of the available cases if labels are missing."""
    if isinstance(statistics, Gathered):
        statistics = statistics.joined()
    if isinstance(statistics, Triangle):
        return replace(statistics, moments=available(statistics.moments))
    return available(statistics)


def plus(a: Any, b: Any) -> Any:
    """The sum of those that are not None."""
    return a + b if a is not None and b is not None else a or b


def upper_factor(xx: np.ndarray) -> np.ndarray | None:
    """R (D, D) with R'R = xx; None if its nonzero columns are nearly dependent."""
    active = np.flatnonzero(np.diag(xx))
    if len(active) == 0:
        return np.zeros_like(xx)
    L = regular_factor(xx if len(active) == len(xx) else xx[np.ix_(active, active)], 1.0, 0.0)
    if L is None:
        return None
    R = np.zeros_like(xx)
    R[: len(active), active] = np.tril(L).T
    return R
