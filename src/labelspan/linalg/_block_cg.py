"""Block conjugate gradients: one Krylov space for all right-hand sides."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning

from labelspan.linalg._eigenpairs import rank
from labelspan.linalg._graded import column_scales, is_graded
from labelspan.moments import Products, Rows, Sample

# Residual of each column relative to its right-hand side; the error of eigenvalues is its square.
TOLERANCE = 1e-8
MAX_ITERATIONS = 1000


def block_cg(
    apply: Callable[[np.ndarray], np.ndarray], B: np.ndarray, tolerance: float = TOLERANCE
) -> np.ndarray:
    """Solve A X = B for a symmetric positive definite A that can only be applied.

    Parameters
    ----------
    apply : callable
        From V (p, k) to A V.
    B : ndarray of shape (p, k)
        Right-hand sides; they may be linearly dependent.
    tolerance : float
        Largest residual of a column relative to that column of `B`.

    Returns
    -------
    ndarray of shape (p, k)
        Solution; a ConvergenceWarning states the residual if `tolerance` was not reached.

    Notes
    -----
    The residuals are kept as Q S with orthonormal Q (Dubrulle 2001, BCGrQ), which needs no
    deflation when single columns converge early. SciPy's ``cg`` takes one right-hand side at a
    time; the shared Krylov space needs about a third of the iterations with 100 labels.
    """
    norms = np.linalg.norm(B, axis=0)
    U, s, Vt = linalg.svd(B, full_matrices=False, check_finite=False)
    r = rank(s, max(B.shape))
    Q, S = U[:, :r], s[:r, None] * Vt[:r]
    X, P = np.zeros_like(B), Q
    limit = tolerance * np.where(norms > 0, norms, 1.0)
    n_steps = 0
    while n_steps < MAX_ITERATIONS:
        if (np.linalg.norm(S, axis=0) <= limit).all():
            return X
        Z = apply(P)
        n_steps += 1
        factor, info = linalg.lapack.dpotrf(P.T @ Z)
        if info != 0:
            # Not positive because of rounding: A is singular to working precision along P.
            break
        X += P @ linalg.cho_solve((factor, False), S, check_finite=False)
        Q, C = thin_qr(Q - linalg.cho_solve((factor, False), Z.T, check_finite=False).T)
        P = Q + P @ C.T
        S = C @ S
    worst = float((np.linalg.norm(S, axis=0) / np.where(norms > 0, norms, 1.0)).max())
    warnings.warn(
        f"Conjugate gradients stopped after {n_steps} iterations at a relative residual "
        f"of {worst:.1e} (tolerance {tolerance:.0e}). Raise the ridge or scale the features.",
        ConvergenceWarning,
        stacklevel=2,
    )
    return X


def solve_rows(rows: Rows, T: np.ndarray, a: float, b: float) -> np.ndarray:
    """(a xx + b I)^-1 Xc'T, (D, k), from products with X and X' only.

    The system is solved on the smaller side of X. Columns whose scales are far apart are first
    scaled to unit length. This also preconditions the system, but only on the feature side.
    """
    X = rows.operator
    if is_graded(column_scales(X.squares)):
        scales = column_scales(a * X.squares + b)[:, None]
        inverse = 1.0 / scales

        def scaled(V: np.ndarray) -> np.ndarray:
            V = inverse * V
            return inverse * (a * X.rmatmat(X.matmat(V)) + b * V)

        return inverse * block_cg(scaled, inverse * X.rmatmat(T))
    if X.shape[0] <= X.shape[1]:
        return X.rmatmat(block_cg(lambda V: a * X.gram(V) + b * V, T))
    return block_cg(lambda V: a * X.rmatmat(X.matmat(V)) + b * V, X.rmatmat(T))


def solve_products(
    products: Products, F: np.ndarray, a: float, b: float, tolerance: float = TOLERANCE
) -> np.ndarray:
    """(a xx + b I)^-1 F, (D, k), one pass over the rows per step; least norm if b = 0."""
    if b == 0:
        # In other column units, another solution would have the least norm.
        return block_cg(lambda V: a * products.features(V), F, tolerance)
    inverse = 1.0 / column_scales(a * products.squares + b)[:, None]

    def scaled(V: np.ndarray) -> np.ndarray:
        V = inverse * V
        return inverse * (a * products.features(V) + b * V)

    return inverse * block_cg(scaled, inverse * F, tolerance)


def solve_independent_rows(rows: Rows, T: np.ndarray, a: float) -> np.ndarray:
    """The solution P of least norm (D, k) of a xx P = Xc'T if Xc fits every T: one of Xc P = T / a.

    It is Xc'(a Xc Xc')^-1 T. For a wide X, this side has the shorter vectors, and both orientations
    of X are stored, so a step costs less than half of one of :func:`solve_products`.
    """
    X = rows.operator
    return X.rmatmat(block_cg(lambda V: a * X.gram(V), T))


def rows_are_independent(X: Any, weights: np.ndarray | None) -> bool:
    """Whether Xc, sparse and in memory, has rank n - 1: least squares fits random numbers exactly.

    It costs one solve with four right-hand sides.
    """
    n_rows, n_features = X.shape
    if not sparse.issparse(X) or n_rows > n_features:
        return False
    T = np.random.default_rng(0).standard_normal((n_rows, 4))
    products = Products.of(Sample(X, T, "products", weights), tt=True)
    F = products.features(W=np.eye(4))
    fitted = float(np.sum(F * solve_products(products, F, 1.0, 0.0)))
    # A missing direction contributes about 1 / n.
    return fitted > (1 - 0.1 / n_rows) * float(np.trace(products.tt))


def thin_qr(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A = Q R from one or two Cholesky steps if A is well conditioned, else by Householder.

    One step leaves Q'Q - I at eps cond(A)^2. So one step suffices for a condition number below 1e2,
    and two below 1e6. Each costs a sixth of Householder's method.
    """
    R = np.eye(A.shape[1])
    for _ in range(2):
        factor, info = linalg.lapack.dpotrf(A.T @ A)
        pivots = np.abs(np.diag(factor))
        if info != 0 or pivots.min() < 1e-6 * pivots.max():
            Q, R_rest = linalg.qr(A, mode="economic", check_finite=False)
            return Q, R_rest @ R
        A = linalg.solve_triangular(factor, A.T, trans="T", check_finite=False).T
        R = np.triu(factor) @ R
        if pivots.min() > 1e-2 * pivots.max():
            break
    return A, R
