"""Leading eigenpairs of the three shapes that occur: thin, pencil, sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, eigsh

from labelspan.linalg._eigenpairs import EigenPairs, n_directions, rank
from labelspan.linalg._whiten import whiten


def leading(
    statistics: Any, K: np.ndarray | None, n_components: Any, *, a: float = 0.0, b: float = 1.0
) -> EigenPairs:
    """Leading eigenpairs of F F' v = lambda (a xx + b I) v with the thin factor F = xt K.

    Parameters
    ----------
    statistics : Moments, Root or Rows
        Where xt and xx come from.
    K : ndarray of shape (q, r) or None
        Label side of the factor; None for the identity.
    n_components : int, float or None
        How many directions to keep.
    a, b : float
        The metric; a = 0 needs no xx.

    Returns
    -------
    EigenPairs
        With v' (a xx + b I) v = 1.

    Notes
    -----
    With B = L L' and W = L^-1 F, the eigenvectors y of W W' give v = L^-T y, and W W' is solved
    through its small side, min(D, r). Cost: one factorisation of B, O(D^2 r) and O(min(D, r)^3).
    """
    W, back = whiten(statistics, K, a, b)
    values, vectors = squared(W, n_components)
    return EigenPairs(values, back(vectors))


def squared(W: np.ndarray, n_components: Any) -> tuple[np.ndarray, np.ndarray]:
    """Positive eigenvalues of W W' and the kept eigenvectors, through the small side of W.

    A Gram matrix resolves eigenvalues down to eps times the largest, exactly as far as the
    eigenproblem itself is defined; the vectors near that floor are orthonormalised once more.
    """
    tall = W.shape[0] >= W.shape[1]
    values, vectors = descending(W.T @ W if tall else W @ W.T)
    values = values[: rank(values, max(W.shape))]
    n_kept = n_directions(values, values.sum(), n_components)
    vectors = vectors[:, :n_kept]
    if tall:
        vectors = W @ vectors / np.sqrt(values[:n_kept])
        if values[n_kept - 1] < 1e-6 * values[0]:
            vectors = orthonormal(vectors)
    return values, vectors


def leading_sum(G: np.ndarray, n_components: Any, noise: float = 0.0) -> EigenPairs:
    """Leading eigenpairs of a symmetric (D, D) matrix, only the asked-for ones if it is a number.

    Cost O(D^3); with an integer `n_components` no other eigenvector is computed. `noise` is the
    rounding that G came with, relative to eps, if it is above the D of an exact one.
    """
    side = len(G)
    if isinstance(n_components, int | np.integer) and n_components < side:
        subset = (side - int(n_components), side - 1)
        values, vectors = linalg.eigh(
            G, subset_by_index=subset, driver="evr", overwrite_a=True, check_finite=False
        )
        values, vectors = values[::-1], vectors[:, ::-1]
    else:
        values, vectors = descending(G)
    values = values[: rank(values, max(side, noise))]
    # A share is of the sum of all eigenvalues; they are all here unless a number was asked for.
    n_kept = n_directions(values, values.sum(), n_components)
    return EigenPairs(values, vectors[:, :n_kept])


def leading_operator(
    operator: tuple[int, Callable[[np.ndarray], np.ndarray]], n_components: Any
) -> EigenPairs:
    """Leading eigenpairs of a symmetric (D, D) operator that can only be applied.

    Lanczos iterations to machine precision from a fixed start, so that a second run, or another
    order of the features, gives the same. Cost O(n_components) applications or a few times that.
    """
    side, apply = operator
    G = LinearOperator((side, side), matvec=apply, dtype=np.float64)
    n_asked = min(int(n_components), side - 1)
    values, vectors = eigsh(G, k=n_asked, v0=np.ones(side), tol=0)
    values, vectors = values[::-1], vectors[:, ::-1]
    values = values[: rank(values, side)]
    n_kept = n_directions(values, np.inf, n_components)
    return EigenPairs(values, vectors[:, :n_kept])


def leading_pencil(A: np.ndarray, B: np.ndarray, n_components: Any) -> EigenPairs:
    """Leading eigenpairs of A v = lambda B v, both (D, D), B positive definite; v'Bv = 1.

    Cost O(D^3): one Cholesky factorisation and one symmetric eigenproblem.
    """
    try:
        L = linalg.cholesky(B, lower=True, check_finite=False)
    except linalg.LinAlgError as error:
        raise ValueError(
            "The ridge is lost in the rounding of a scatter matrix whose mean diagonal entry is "
            f"{np.trace(B) / len(B):.3g}. Raise ridge, or scale the features."
        ) from error
    half = linalg.solve_triangular(L, A, lower=True, check_finite=False)
    C = linalg.solve_triangular(L, half.T, lower=True, check_finite=False)
    pairs = leading_sum((C + C.T) / 2, n_components)
    return pairs.mapped(
        lambda Y: linalg.solve_triangular(L, Y, lower=True, trans="T", check_finite=False)
    )


def descending(G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All eigenpairs of a symmetric matrix, largest first; `G` is overwritten."""
    values, vectors = linalg.eigh(G, driver="evd", overwrite_a=True, check_finite=False)
    return values[::-1], vectors[:, ::-1]


def orthonormal(V: np.ndarray) -> np.ndarray:
    """Columns made orthonormal in order; they are nearly so already."""
    Q, R = linalg.qr(V, mode="economic", check_finite=False)
    return Q * np.sign(np.diag(R))
