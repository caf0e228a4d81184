"""Coordinates in which the metric a xx + b I is the identity, one function a statistic."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.linalg._block_cg import block_cg
from labelspan.linalg._eigenpairs import rank
from labelspan.linalg._spectral import spectral
from labelspan.moments import Moments, Root, Rows

Back = Callable[[np.ndarray], np.ndarray]


@singledispatch
def whiten(statistics: Any, K: np.ndarray | None, a: float, b: float) -> tuple[np.ndarray, Back]:
    """Whiten the thin factor F = xt K by the metric B = a xx + b I.

    Returns
    -------
    W : ndarray
        E'F for a basis E with E'BE = I whose span holds B^-1 F.
    back : callable
        From coordinates y to the direction E y.
    """
    raise TypeError(f"no whitening for {type(statistics).__name__}")


@whiten.register
def _(statistics: Moments, K: np.ndarray | None, a: float, b: float) -> tuple[np.ndarray, Back]:
    F = times(statistics.xt, K)
    if a == 0:
        return F / np.sqrt(b), lambda Y: Y / np.sqrt(b)
    L, info = linalg.lapack.dpotrf(ridged(statistics.xx, a, b).T, lower=1, overwrite_a=1)
    pivots = np.diag(L)
    if info != 0 or pivots.min() < 1e-4 * pivots.max():
        # The ridge is near the rounding of a singular xx: a rank cut keeps the null space out.
        return by_singular_values(statistics, K, a, b)

    def back(Y: np.ndarray) -> np.ndarray:
        return linalg.solve_triangular(L, Y, lower=True, trans="T", check_finite=False)

    return linalg.solve_triangular(L, F, lower=True, check_finite=False), back


@whiten.register
def _(statistics: Root, K: np.ndarray | None, a: float, b: float) -> tuple[np.ndarray, Back]:
    # Of a Root the condition number of X decides, not its square.
    return by_singular_values(statistics, K, a, b)


@whiten.register
def _(statistics: Rows, K: np.ndarray | None, a: float, b: float) -> tuple[np.ndarray, Back]:
    # P = B^-1 F by conjugate gradients; F'P = U m U' makes E = P U m^(-1/2) a B-orthonormal basis.
    X, T = statistics.operator, times(statistics.T, K)
    if X.shape[0] <= X.shape[1]:
        P = X.rmatmat(block_cg(lambda V: a * X.gram(V) + b * V, T))
    else:
        P = block_cg(lambda V: a * X.rmatmat(X.matmat(V)) + b * V, X.rmatmat(T))
    M = T.T @ X.matmat(P)
    m, U = np.linalg.eigh((M + M.T) / 2)
    r = rank(m[::-1], len(m))
    m, U = m[len(m) - r :], U[:, len(m) - r :]
    return np.sqrt(m)[:, None] * U.T, lambda Y: P @ (U @ (Y / np.sqrt(m)[:, None]))


def by_singular_values(
    statistics: Moments | Root, K: np.ndarray | None, a: float, b: float
) -> tuple[np.ndarray, Back]:
    """E = V (a s^2 + b)^(-1/2) for Xc = U s V'; the null space of X is left out."""
    form = spectral(statistics)
    scale = np.sqrt(a * form.s**2 + b)[:, None]
    # s / scale first: without a ridge it is 1 / sqrt(a), whatever the condition number.
    return (form.s[:, None] / scale) * times(form.UT, K), lambda Y: form.V @ (Y / scale)


def times(A: np.ndarray, K: np.ndarray | None) -> np.ndarray:
    """A K, where no K means the identity."""
    return A if K is None else A @ K


def ridged(xx: np.ndarray, a: float, b: float) -> np.ndarray:
    """A fresh a xx + b I."""
    B = a * xx
    B[np.diag_indices_from(B)] += b
    return B
