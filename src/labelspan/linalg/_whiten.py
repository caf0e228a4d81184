"""Coordinates in which the metric a xx + b I is the identity; one function per statistic."""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from labelspan import arrays
from labelspan.arrays import is_device, like, on_host, to_host
from labelspan.linalg._block_cg import row_side, solve_products, solve_rows
from labelspan.linalg._eigenpairs import EPS, rank
from labelspan.linalg._graded import Back, column_scales
from labelspan.linalg._spectral import Spectral, spectral
from labelspan.moments import Moments, Products, Root, Rows

# A Cholesky factor is used if the others leave at least this share of each column unexplained.
SAFE_PIVOT = 1e-8


class Whitened(NamedTuple):
    """The thin factor F = xt K in coordinates in which the metric B = a xx + b I is I.

    W = E'F (r, k) for a basis E with E'BE = I whose span holds B^-1 F, and `back` maps y to E y.
    `scales` are possible sizes of the rows of W; None if they are similar.
    """

    W: np.ndarray
    back: Back
    scales: np.ndarray | None = None


@singledispatch
def whiten(statistics: Any, K: np.ndarray | None, a: float, b: float) -> Whitened:
    """Whiten the thin factor F = xt K by the metric B = a xx + b I."""
    raise TypeError(f"no whitening for {type(statistics).__name__}")


@whiten.register
def _(statistics: Moments, K: np.ndarray | None, a: float, b: float) -> Whitened:
    F = times(statistics.xt, like(statistics.xt, K))
    squares = to_host(statistics.squares)
    scales = column_scales(squares)
    if a == 0:
        # A copy of F for a factor of 1 would cost MDDM a pass over D q numbers, and Y another.
        root = np.sqrt(b)
        return (
            Whitened(F, lambda Y: Y, scales)
            if b == 1
            else Whitened(F / root, lambda Y: Y / root, scales)
        )
    L = regular_factor(statistics.xx, a, b)
    if L is None and is_device(F):
        return whiten(on_host(statistics), to_host(K), a, b)
    if L is None:
        # The ridge is near the rounding of a singular xx, so a rank cut removes the null space.
        return by_singular_values(spectral(statistics), K, a, b)
    return by_factor(L, F, scales / np.sqrt(a * squares + b))


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
    if is_device(M):
        m, U = arrays.eigh((M + M.T) / 2)
        r = rank(m, side)
        scale, U = like(M, np.sqrt(m[:r]))[:, None], U[:, :r]
        return Whitened(scale * U.T, lambda Y: P @ (U @ (like(P, Y) / scale)))
    m, U = np.linalg.eigh((M + M.T) / 2)
    null = len(m) - rank(m[::-1], side)
    root, U = np.sqrt(m[null:])[:, None], U[:, null:]
    return Whitened(root * U.T, lambda Y: P @ (U @ (Y / root)))


def by_singular_values(form: Spectral, K: np.ndarray | None, a: float, b: float) -> Whitened:
    """E = V (a s^2 + b)^(-1/2) for Xc = U s V'; the null space of X is left out."""
    scale = np.sqrt(a * form.s**2 + b)[:, None]
    # s / scale first: without a ridge it is 1 / sqrt(a) for any condition number.
    share = form.s[:, None] / scale
    return Whitened(share * times(form.UT, K), lambda Y: form.V @ (Y / scale), share[:, 0])


def by_factor(L: np.ndarray, F: np.ndarray, scales: np.ndarray | None = None) -> Whitened:
    """E = L^-T for a Cholesky factor of the metric, B = L L'."""
    return Whitened(solve_lower(L, F), lambda Y: solve_lower(L, Y, transposed=True), scales)


def solve_lower(L: Any, B: Any, *, transposed: bool = False) -> Any:
    """L^-1 B for a lower triangular L (d, d), or L'^-1 B, on the device of L."""
    if is_device(L):
        return arrays.solve_triangular(L, like(L, B), transposed=transposed)
    trans = "T" if transposed else "N"
    return linalg.solve_triangular(L, B, lower=True, trans=trans, check_finite=False)


def regular_factor(
    xx: np.ndarray, a: float, b: float, total: np.ndarray | None = None
) -> np.ndarray | None:
    """Cholesky factor L of a xx + b I, or None if its columns are nearly dependent, in any units.

    If xx is a difference, `total` is the diagonal of the first matrix, whose rounding xx inherits.
    """
    if is_device(xx):
        L = arrays.cholesky(ridged(xx, a, b))
        info = int(L is None)
    else:
        L, info = linalg.lapack.dpotrf(ridged(xx, a, b).T, lower=1, overwrite_a=1)
    given = a * arrays.diagonal(xx) if total is None else to_host(total)
    # The pivots in units of the diagonal, see `unit_pivots`, without the division.
    if info != 0 or (arrays.diagonal(L) ** 2 < SAFE_PIVOT * (given + b)).any():
        return None
    return L


def regular_or_home(statistics: Any, moments: Moments) -> Any:
    """The statistics; on the host if X is rank-deficient, which their `moments` decide there."""
    singular = is_device(moments.xx) and regular_factor(moments.xx, 1.0, 0.0) is None
    return on_host(statistics) if singular else statistics


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


def ridged(xx: np.ndarray, a: float, b: float) -> np.ndarray:
    """A fresh a xx + b I."""
    B = a * xx
    if is_device(B):
        return arrays.add_to_diagonal(B, b)
    # A view of the diagonal, because indexing it would cost more than a small product.
    np.einsum("ii->i", B)[...] += b
    return B
