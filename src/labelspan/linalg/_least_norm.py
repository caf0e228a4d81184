"""Least squares without a ridge: pivoted Cholesky if it is accurate, else QR."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.arrays import (
    SAFE_PIVOT,
    cast,
    is_dask_array,
    like,
    moved_to,
    on_host,
    regular_factor,
)
from labelspan.gate import has_holes
from labelspan.linalg._eigenpairs import EPS
from labelspan.linalg._graded import (
    Back,
    LeastNorm,
    column_scales,
    is_graded,
    scaled_cholesky,
)
from labelspan.linalg._spectral import spectral
from labelspan.linalg._whiten import Whitened, by_factor, is_regular
from labelspan.moments import (
    Available,
    Moments,
    Root,
    Sample,
    available,
    checked,
    collect,
    collect_moments,
    completed,
    of_observed,
    row_blocks,
)


def least_norm(sample: Sample, *, tt: bool, signed: bool) -> tuple[Moments, Whitened]:
    """The moments and the least-norm regression: by QR if the pivots of xx lack eight digits."""
    statistics: Any
    missing = has_holes(sample.Y) if sample.missing is None else sample.missing
    if missing and not is_dask_array(sample.X):
        T, labels = completed(sample.Y, sample.weights, tt)
        found, one = least_norm(replace(sample, Y=T, missing=False), tt=False, signed=False)
        found = of_observed(found, labels)
        return (found.signed(), one._replace(W=2 * one.W)) if signed else (found, one)
    if not is_dask_array(sample.X):
        statistics = available(collect_moments(sample, xx=True, tt=tt))
        statistics = statistics.signed() if signed else statistics
        factor = regular_factor(statistics.xx, 1.0, 0.0)
        if factor is not None:
            return checked(statistics), by_factor(factor, statistics.xt)
        # Pivoted factors are computed on the host.
        statistics = on_host(statistics)
        solved = from_gram(statistics, sample)
        if solved is not None:
            return checked(statistics), solved
    of_block: Any = partial(Triangle.of, tt=tt)
    triangle: Any = collect(sample, of_block, whole_sparse=False, home=True)
    statistics = available(triangle.moments)
    statistics = statistics.signed() if signed else statistics
    return checked(statistics), from_triangle(triangle.root, statistics.xt)


def from_gram(statistics: Moments, sample: Sample) -> Whitened | None:
    """W and back from P'xx P = L L', or None if rounding in xx may have decided the rank.

    Pivots that are left out must be null directions of X itself: xx cannot tell 1e-16 from
    (1e-8)^2.
    """
    side, n_labels = statistics.xt.shape
    if not statistics.squares.any():
        return Whitened(np.zeros((0, n_labels)), lambda C: np.zeros((side, C.shape[1])))
    scales = column_scales(statistics.squares)
    L, order = scaled_cholesky(statistics.xx, scales)
    r = L.shape[1]
    pivots = np.diag(L) ** 2
    if r == side or pivots.min() < SAFE_PIVOT * pivots.max():
        return None
    if not is_null(null_basis(L, order), statistics, sample, scales):
        return None
    xt = (statistics.xt / scales[:, None])[order[:r]]
    W = linalg.solve_triangular(L[:r], xt, lower=True, check_finite=False)
    solve = in_range(L * scales[order, None])

    def back(C: np.ndarray) -> np.ndarray:
        coefficients = np.empty((side, C.shape[1]))
        coefficients[order] = solve(C)
        return coefficients

    return Whitened(W, back)


def in_range(L: np.ndarray) -> Back:
    """From C to the least-norm coefficients with L'x = C: L (L'L)^-1 C, in the range of L."""
    if is_graded((L**2).max(axis=1)):
        return LeastNorm.of(L).solve
    inner = linalg.cho_factor(L.T @ L, check_finite=False)
    return lambda C: L @ linalg.cho_solve(inner, C, check_finite=False)


def null_basis(L: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Columns N (D, D - r) with L'P'N = 0."""
    side, r = L.shape
    N = np.empty((side, side - r))
    N[order[:r]] = -linalg.solve_triangular(
        L[:r], L[r:].T, lower=True, trans="T", check_finite=False
    )
    N[order[r:]] = np.eye(side - r)
    return N


def is_null(N: np.ndarray, statistics: Moments, sample: Sample, scales: np.ndarray) -> bool:
    """Whether Xc N is zero up to rounding, with Xc in units of `scales`; one thin product."""
    lengths = np.linalg.norm(N, axis=0)
    N = N / scales[:, None]
    shift = statistics.x_mean @ N
    squares = np.zeros(N.shape[1])
    for rows in row_blocks(sample.X):
        X, _, *weights = sample.at(rows)
        left = np.square(moved_to(N, cast(X, np.float64) @ like(X, N)) - shift)
        squares += moved_to(N, weights[0]) @ left if weights else left.sum(axis=0)
    total = float(np.sum(statistics.squares / scales**2))
    rounding = EPS * max(sample.X.shape) * np.sqrt(total)
    return bool((np.sqrt(squares) <= rounding * lengths).all())


@dataclass(frozen=True)
class Triangle:
    """QR factor of Xc with its products with T; two add up with ``+``.

    T is not part of the factor: R^-T xt is as accurate as Q'T, and T may be sparse and wide.
    """

    root: Root
    moments: Moments

    @classmethod
    def of(cls, X: Any, T: Any, weights: np.ndarray | None = None, *, tt: bool) -> Triangle:
        """Triangle of one block of rows."""
        root = Root.of(X, np.empty((X.shape[0], 0)), weights)
        return cls(root, Available.of(X, T, weights, xx=False, tt=tt))

    def __add__(self, other: Triangle) -> Triangle:
        return Triangle(self.root + other.root, self.moments + other.moments)

    def moved(self, by: np.ndarray) -> Triangle:
        """Triangle of X + by, for a row (D,)."""
        return Triangle(self.root.moved(by), self.moments.moved(by))

    weight = property(attrgetter("moments.weight"))
    x_mean = property(attrgetter("moments.x_mean"))
    t_mean = property(attrgetter("moments.t_mean"))
    tt = property(attrgetter("moments.tt"))
    squares = property(attrgetter("root.squares"))


def from_triangle(root: Root, xt: np.ndarray) -> Whitened:
    """W and back from R: by substitution if R is well conditioned, else by its singular values."""
    R = root.Rx
    if is_regular(root):
        W = linalg.solve_triangular(R, xt, trans="T", check_finite=False)
        return Whitened(W, lambda C: linalg.solve_triangular(R, C, check_finite=False))
    form = spectral(root)
    V, s = form.V, form.s[:, None]
    return Whitened((V.T @ xt) / s, lambda C: V @ (C / s))


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
        if X.shape[0] > X.shape[1]:
            moments = on_host(Available.of(X, T, weights, tt=tt))
            if upper_factor(moments.xx) is not None:
                return cls(moments, None)
        return cls(None, on_host(Triangle.of(X, T, weights, tt=tt)))

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
