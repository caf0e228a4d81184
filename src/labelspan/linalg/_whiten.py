"""Coordinates in which the metric a xx + b I is the identity; one function per statistic."""

from __future__ import annotations

from functools import partial, singledispatch
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from labelspan.arrays import eigh, like, moved_to, regular_factor, solve_triangular
from labelspan.linalg._block_cg import row_side, solve_products, solve_rows
from labelspan.linalg._eigenpairs import EPS, rank
from labelspan.linalg._graded import Back, column_scales
from labelspan.linalg._spectral import Spectral, spectral
from labelspan.moments import Moments, Products, Root, Rows


class Whitened(NamedTuple):
    """The thin factor F = xt K in coordinates in which the metric B = a xx + b I is I.

    W = E'F (r, k) for a basis E with E'BE = I whose span holds B^-1 F, and `back` maps y to E y.
    `squares` are possible squared lengths of the rows of W; None if they are similar.
    """

    W: np.ndarray
    back: Back
    squares: np.ndarray | None = None


@singledispatch
def whiten(statistics: Any, K: np.ndarray | None, a: float, b: float) -> Whitened:
    """Whiten the thin factor F = xt K by the metric B = a xx + b I."""
    raise TypeError(f"no whitening for {type(statistics).__name__}")


@whiten.register
def _(statistics: Moments, K: np.ndarray | None, a: float, b: float) -> Whitened:
    F = statistics.xt if K is None else statistics.xt @ like(statistics.xt, K)
    squares = statistics.squares
    if a == 0 and b == 1:
        # A factor of 1 would cost MDDM a copy of D q numbers, and another to map back.
        return Whitened(F, lambda Y: Y, squares)
    if a == 0:
        root = float(np.sqrt(b))
        return Whitened(F / root, lambda Y: Y / root, squares)
    L = regular_factor(statistics.xx, a, b)
    if L is None:
        # The ridge is near the rounding of a singular xx, so a rank cut removes the null space.
        return by_singular_values(spectral(statistics), K, a, b)
    return by_factor(L, F, squares / (a * squares + b))


@whiten.register
def _(statistics: Spectral, K: np.ndarray | None, a: float, b: float) -> Whitened:
    return by_singular_values(statistics, K, a, b)


@whiten.register
def _(statistics: Root, K: np.ndarray | None, a: float, b: float) -> Whitened:
    # For a Root, the condition number of X matters, not its square; without a ridge, that of its
    # columns scaled to unit length.
    if b > 0 or not is_regular(statistics):
        return by_singular_values(spectral(statistics), K, a, b)
    R, root = statistics.Rx, np.sqrt(a)
    return Whitened(
        times(statistics.Rt, K) / root,
        lambda Y: linalg.solve_triangular(R, Y / root, check_finite=False),
    )


@whiten.register
def _(statistics: Rows, K: np.ndarray | None, a: float, b: float) -> Whitened:
    T = times(statistics.T, K)
    P = solve_rows(statistics, T, a, b)
    # F'P is rounded like the products over the rows or features, as in the direct solvers.
    length = max(min(len(T), len(P)), T.shape[1])
    return by_solution(P, T.T @ statistics.operator.matmat(P), length)


@whiten.register
def _(statistics: Products, K: np.ndarray | None, a: float, b: float) -> Whitened:
    short = row_side(statistics, a, b)
    if short is not None:
        T = short.labels(K)
        U = short.solve(T)
        return by_solution(short.lift(U), T.T @ short.fitted(U), max(T.shape))
    F = statistics.features(W=np.eye(len(statistics.t_mean)) if K is None else K)
    P = solve_products(statistics, F, a, b)
    return by_solution(P, F.T @ P, max(F.shape))


def by_solution(P: np.ndarray, M: np.ndarray, side: float) -> Whitened:
    """E = P U m^(-1/2) for a solution P = B^-1 F with F'P = M = U m U'."""
    m, U = eigh((M + M.T) / 2, overwrite=True)
    r = rank(m, side)
    root, U = like(M, np.sqrt(m[:r]))[:, None], U[:, :r]
    return Whitened(root * U.T, lambda Y: P @ (U @ (like(P, Y) / root)))


def by_singular_values(form: Spectral, K: np.ndarray | None, a: float, b: float) -> Whitened:
    """E = V (a s^2 + b)^(-1/2) for Xc = U s V'; the null space of X is left out."""
    size = np.sqrt(a * form.s**2 + b)
    # s / size first: without a ridge it is 1 / sqrt(a) for any condition number.
    share, scale = form.s / size, like(form.V, size)[:, None]
    T = form.UT if K is None else form.UT @ moved_to(form.UT, K)
    W = like(form.V, share)[:, None] * T
    return Whitened(W, lambda Y: form.V @ (like(form.V, Y) / scale), share**2)


def by_factor(L: np.ndarray, F: np.ndarray, squares: np.ndarray | None = None) -> Whitened:
    """E = L^-T for a Cholesky factor of the metric, B = L L'."""
    return Whitened(solve_triangular(L, F), partial(solve_triangular, L, transposed=True), squares)


def is_regular(root: Root) -> bool:
    """Whether the columns of Rx, in units of their lengths, are safely independent."""
    R = root.Rx
    if R.shape[0] < R.shape[1]:
        return False
    unit = R / column_scales(root.squares)
    # A triangular matrix is its own LU factor; the oldest supported SciPy lacks LAPACK's dtrcon.
    reciprocal, _ = linalg.lapack.dgecon(unit, np.abs(unit).sum(axis=0).max(initial=0.0))
    return bool(reciprocal > 1e3 * EPS * root.weight)


def times(A: np.ndarray, K: np.ndarray | None) -> np.ndarray:
    """A K, where no K means the identity."""
    return A if K is None else A @ K
