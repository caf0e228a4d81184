"""Columns whose units are far apart: rank decisions and decompositions after scaling them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.arrays import diagonal
from labelspan.linalg._eigenpairs import EPS, rank

Back = Callable[[np.ndarray], np.ndarray]

# For scales this far apart, a plain eigendecomposition keeps under ten digits of the smallest.
GRADED = 1e3
# For scales up to this far apart, a Gram matrix keeps eight digits of the smallest.
GRAM_GRADED = 1e4
# Eigenvalues down to this share of the largest keep ten digits in a plain eigendecomposition.
SAFE_VALUE = 1e-6


def column_scales(squares: np.ndarray) -> np.ndarray:
    """Powers of two, which divide exactly, near roots of squared lengths; the largest for 0."""
    _, exponents = np.frexp(np.sqrt(np.maximum(squares, 0.0)))
    positive = squares > 0
    neutral = exponents[positive].max() if positive.any() else 0
    return np.ldexp(1.0, np.where(positive, exponents, neutral))


def is_graded(squares: np.ndarray, apart: float = GRADED) -> bool:
    """Whether the rounding of the longest of columns, given squared lengths, hides the shortest."""
    squares = squares[squares > 0]
    return len(squares) > 0 and bool(squares.max() > apart**2 * squares.min())


def unit_pivots(L: Any, squares: np.ndarray) -> np.ndarray:
    """Shares of the columns of L L' that the columns before them do not explain, in any units."""
    return diagonal(L) ** 2 / np.where(squares > 0, squares, 1.0)


def scaled_cholesky(G: np.ndarray, scales: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """L (D, r) and the order of its rows, G[order][:, order] = s L L' s, rank cut after scaling."""
    unit = G / scales
    unit /= scales[:, None]
    cut = len(G) * EPS * float(np.diag(unit).max(initial=0.0))
    # G is symmetric, and LAPACK overwrites the memory order of its transpose without a copy.
    factor, order, r, _ = linalg.lapack.dpstrf(unit.T, tol=cut, lower=1, overwrite_a=1)
    return np.tril(factor)[:, :r], order - 1


def graded_root(G: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """R (r, D) with R'R = G, each column accurate relative to its own scale."""
    L, order = scaled_cholesky(G, scales)
    R = np.empty(L.shape[::-1])
    R[:, order] = L.T
    return R * scales


def jacobi(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, s, V of A = U diag(s) V' (m, k), m >= k, of full rank, with rows of any scale.

    One-sided Jacobi rotations after pivoted QR find each value, and entry of U, to a precision that
    does not depend on the scales (Demmel and Veselic 1992), at several times the cost.
    """
    if A.shape[1] == 0:
        return A, np.zeros(0), np.zeros((0, 0))
    if A.shape[0] > A.shape[1]:
        tall = LeastNorm.of(A)
        U, s, W = jacobi(tall.T)
        V = np.empty_like(W)
        V[tall.pivots] = W
        return tall.lift(U), s, V
    # Decompose A', whose columns are scaled: only vectors on that side are accurate in each entry.
    s, V, U, _, _, info = linalg.lapack.dgejsv(A.T, joba=0)
    if info != 0:
        raise linalg.LinAlgError(f"Jacobi rotations did not converge: dgejsv returned {info}.")
    return U, s, V


def scaled_svd(scales: np.ndarray, T: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, s, V of diag(scales) T without its null directions, which are those of T."""
    _, t, Wt = linalg.svd(T, full_matrices=False, check_finite=False)
    W = Wt[: rank(t**2, max(T.shape))].T
    if W.shape[1] == 0:
        return np.zeros((len(T), 0)), np.zeros(0), W
    U, s, V = jacobi(scales[:, None] * (T @ W))
    return U, s, W @ V


@dataclass(frozen=True)
class LeastNorm:
    """A (D, r) = Q T with rows of any scale; Q is kept as a product of reflections.

    Sorted rows, pivoted columns and factored reflections keep the error of each row small relative
    to that row (Cox and Higham 1998). Forming Q would lose its small entries.
    """

    reflections: np.ndarray
    tau: np.ndarray
    T: np.ndarray
    rows: np.ndarray
    pivots: np.ndarray

    @classmethod
    def of(cls, A: np.ndarray) -> LeastNorm:
        """Factorise; O(D r^2)."""
        rows = np.argsort(-np.abs(A).max(axis=1), kind="stable")
        (raw, tau), T, pivots = linalg.qr(A[rows], mode="raw", pivoting=True, check_finite=False)
        return cls(raw, tau, T[: A.shape[1]], rows, pivots)

    def lift(self, C: np.ndarray) -> np.ndarray:
        """Q C, (D, k) from (r, k)."""
        padded = np.zeros((len(self.rows), C.shape[1]), order="F")
        padded[: len(C)] = C
        lifted = self._reflected(padded, "N")
        out = np.empty_like(lifted)
        out[self.rows] = lifted
        return out

    def project(self, X: np.ndarray) -> np.ndarray:
        """X Q, (m, r) from (m, D)."""
        turned = self._reflected(np.asfortranarray(X[:, self.rows].T), "T")
        return turned[: len(self.T)].T

    def _reflected(self, C: np.ndarray, how: str) -> np.ndarray:
        """The full Q times C, or Q' times C for "T", in the memory of C."""
        work = max(1, 64 * C.shape[1])
        factors = self.reflections, self.tau
        return linalg.lapack.dormqr("L", how, *factors, C, work, overwrite_c=1)[0]

    def solve(self, C: np.ndarray) -> np.ndarray:
        """The x (D, k) of least norm with A'x = C."""
        inner = linalg.solve_triangular(self.T, C[self.pivots], trans="T", check_finite=False)
        return self.lift(inner)


def graded_basis(M: np.ndarray) -> np.ndarray:
    """Orthonormal basis Q of the columns of M = Q R, in their order; rows of any scale."""
    rows = np.argsort(-np.abs(M).max(axis=1), kind="stable")
    R = linalg.qr(M[rows], mode="r", check_finite=False)[0][: M.shape[1]]
    # Row by row, because forming Q from its reflections would lose the small entries.
    return linalg.solve_triangular(R, M.T, trans="T", check_finite=False).T


def after(back: Back, lift: Back) -> Back:
    """First `back`, then `lift`."""
    return lambda C: lift(back(C))
