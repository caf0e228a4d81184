"""Block conjugate gradients: one Krylov space for all right-hand sides."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from labelspan.arrays import doubles, is_dask_array
from labelspan.linalg._eigenpairs import rank
from labelspan.linalg._graded import column_scales, is_graded
from labelspan.moments import CentredRows, Products, Rows, Sample

# Residual of each column relative to its right-hand side; the error of eigenvalues is its square.
TOLERANCE = 1e-8
MAX_ITERATIONS = 1000


Apply = Callable[[np.ndarray], np.ndarray]


def block_cg(apply: Apply, B: np.ndarray, tolerance: float = TOLERANCE) -> np.ndarray:
    """Solve A X = B (p, k) for a symmetric positive definite A that can only be applied.

    The residuals are kept as Q S with orthonormal Q (Dubrulle 2001, BCGrQ), which needs no
    deflation when columns converge early or are dependent. One Krylov space for all columns needs a
    third of the steps with 100 labels.
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
    """(a xx + b I)^-1 Xc'T, (D, k), from products on the smaller side of X."""
    X = rows.operator
    if X.shape[0] <= X.shape[1] and not is_graded(X.squares):
        return X.rmatmat(block_cg(lambda V: a * X.gram(V) + b * V, T))
    return solve_features(lambda V: X.rmatmat(X.matmat(V)), X.squares, X.rmatmat(T), a, b)


def solve_products(
    products: Products, F: np.ndarray, a: float, b: float, tolerance: float = TOLERANCE
) -> np.ndarray:
    """(a xx + b I)^-1 F, (D, k), one pass over the rows per step; least norm if b = 0."""
    return solve_features(products.features, products.squares, F, a, b, tolerance)


def solve_features(
    xx: Apply, squares: np.ndarray, F: np.ndarray, a: float, b: float, tolerance: float = TOLERANCE
) -> np.ndarray:
    """(a xx + b I)^-1 F, (D, k), where `xx` multiplies; with a ridge, columns of unit length."""
    inverse = 1.0 / column_scales(a * squares + b if b else np.ones(1))[:, None]

    def scaled(V: np.ndarray) -> np.ndarray:
        V = inverse * V
        return inverse * (a * xx(V) + b * V)

    return inverse * block_cg(scaled, inverse * F, tolerance)


def rows_are_independent(X: Any, weights: np.ndarray | None) -> bool:
    """Whether sparse Xc has rank n - 1: least squares then fits random numbers exactly."""
    n_rows, n_features = X.shape
    if n_rows > n_features:
        return False
    T = np.random.default_rng(0).standard_normal((n_rows, 4))
    products = Products.of(Sample(X, T, "products", weights), tt=True)
    F = products.features(W=np.eye(4))
    fitted = float(np.sum(F * solve_products(products, F, 1.0, 0.0)))
    # A missing direction contributes about 1 / n.
    return fitted > (1 - 0.1 / n_rows) * float(np.trace(products.tt))


class RowSide:
    """Solutions with B = a xx + b I from vectors with one number per row, for a wide X in memory.

    With G = Xc Xc' (n, n), B^-1 Xc' = Xc'(a G + b I)^-1; b = 0 if the rows are independent.
    """

    def __init__(self, products: Products, a: float, b: float) -> None:
        sample = products.sample
        self.rows = CentredRows(sample.X, sample.weights)
        self.a, self.b = a, b
        root = np.ones(len(sample.X.indptr) - 1) if sample.weights is None else sample.weights**0.5
        self._T, self._root = sample.Y, root[:, None]

    def labels(self, W: np.ndarray | None) -> np.ndarray:
        """Tc W, (n, k); Tc itself without a `W`."""
        return self.rows.project(self._root * doubles(self._T if W is None else self._T @ W))

    def scores(self, U: np.ndarray) -> np.ndarray:
        """Tc'U, (q, k)."""
        return self._T.T @ (self._root * self.rows.project(U))

    def solve(self, U: np.ndarray, tolerance: float = TOLERANCE) -> np.ndarray:
        """(a G + b I)^-1 U, (n, k)."""
        a, b = self.a, self.b
        return block_cg(lambda V: a * self.rows.gram(V) + b * V, U, tolerance)

    def fitted(self, Y: np.ndarray) -> np.ndarray:
        """G Y, (n, k); (U - b Y) / a is the same, with fewer digits where b is far above G."""
        return self.rows.gram(Y)

    def lift(self, Y: np.ndarray) -> np.ndarray:
        """Xc'Y, (D, k): for a solution Y of U, B^-1 Xc'U."""
        return self.rows.rmatmat(Y)


def row_side(products: Products, a: float, b: float) -> RowSide | None:
    """The solver for wide rows in memory, or None where the side of the features is better.

    Only there can columns be scaled, which matters if their scales are far apart above the ridge.
    Without a ridge the rows must be independent, so that all T can be fitted.
    """
    X = products.sample.X
    if is_dask_array(X) or X.shape[0] > X.shape[1] or a == 0:
        return None
    if b > 0:
        fits = not is_graded(a * products.squares + b)
    else:
        fits = rows_are_independent(X, products.sample.weights)
    return RowSide(products, a, b) if fits else None


def thin_qr(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A = Q R by one or two Cholesky steps if A is well conditioned, else by Householder."""
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
