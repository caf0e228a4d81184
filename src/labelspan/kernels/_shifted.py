"""Kernel ridge regression for many ridges from one Cholesky factor: a shared Krylov space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg
from threadpoolctl import threadpool_limits

from labelspan.kernels._gram import factor, restore, solve, too_small
from labelspan.linalg._eigenpairs import EPS

# A step, with its orthogonalisation, takes so many times as long as its share of the operations
# of a factorisation: few right sides leave it waiting for memory.
NARROW = 2.5
# Blocks of several right sides need fewer steps than the bound for one: half to three quarters.
BLOCKS = 0.75


@dataclass(frozen=True)
class Krylov:
    """An orthonormal basis W of the block Krylov space of M = (K + sigma I)^-1 from T.

    M W = W H + W_next coupling', where `coupling` has rows for the last block of W alone.

    Attributes
    ----------
    sigma : float
        The ridge whose factor was computed.
    W : ndarray of shape (n, k)
        The basis; its first columns span T.
    H : ndarray of shape (k, k)
        W'MW, symmetric positive definite.
    W_next : ndarray of shape (n, r)
        The block that the basis would go on with.
    coupling : ndarray of shape (k, r)
        (M W)'W_next.
    first : int
        Number of columns of the first block.
    """

    sigma: float
    W: np.ndarray
    H: np.ndarray
    W_next: np.ndarray
    coupling: np.ndarray
    first: int

    def coordinates(self, ridge: float, F: np.ndarray) -> np.ndarray:
        """Coordinates y, (k, m), for right sides F that T spans.

        (K + ridge I) M = I + (ridge - sigma) M, so M W y solves the projected system.
        """
        projected = np.zeros((len(self.H), F.shape[1]))
        projected[: self.first] = self.W[:, : self.first].T @ F
        system = (ridge - self.sigma) * self.H
        system[np.diag_indices_from(system)] += 1.0
        return np.asarray(linalg.solve(system, projected, assume_a="pos", check_finite=False))

    def residual(self, ridge: float, y: np.ndarray) -> float:
        """Norm of F - (K + ridge I) P for P = M W y, without a product with K."""
        return abs(ridge - self.sigma) * float(np.linalg.norm(self.coupling.T @ y))

    def solution(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P = M W y, and K P = W y - sigma P, which holds for any y."""
        P = self.W @ (self.H @ y) + self.W_next @ (self.coupling.T @ y)
        return P, self.W @ y - self.sigma * P


class ShiftedSolver:
    """(a K + b I)^-1 F for F that T spans, with one Cholesky factor for all b / a.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Centred kernel; borrowed while the basis is built, unchanged afterwards.
    T : ndarray of shape (n, q)
        Its columns span all right sides.
    ridges : sequence of float
        All b / a to come. Those that drown in the rounding of K are solved one by one.
    tol : float
        Largest residual of a solution, relative to its right side.

    Notes
    -----
    With sigma between the ridges, K + ridge I is I + (ridge - sigma) M times K + sigma I, with
    M = (K + sigma I)^-1: conjugate gradients for all ridges live in the Krylov space of M, and
    the condition number is that of the ends of the grid, not of K. A step is one solve with q
    right sides, 2 n^2 q, in place of a factor of n^3 / 3 for every ridge; that pays if there
    are few labels for the rows, and otherwise every ridge has its own factor.
    """

    def __init__(self, K: np.ndarray, T: np.ndarray, ridges: list[float], tol: float):
        self.K = K
        self.T = T
        self.tol = tol
        self.ridges = sorted({ridge for ridge in ridges if not too_small(ridge, 1.0, K)})
        #: Largest residual so far, relative to the right side.
        self.residual = 0.0

    def __call__(self, a: float, b: float, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P and K P, as `labelspan.kernels._gram.solve` has them, within the tolerance."""
        if too_small(b, a, self.K) or self.basis is None:
            return solve(self.K, a, b, F)
        y = self.basis.coordinates(b / a, F)
        size, residual = float(np.linalg.norm(F)), self.basis.residual(b / a, y)
        if residual > 2 * self.tol * size:
            # A ridge that was not announced, or right sides that are small beside T.
            return solve(self.K, a, b, F)
        self.residual = max(self.residual, residual / size if size > 0 else 0.0)
        P, KP = self.basis.solution(y)
        return P / a, KP / a

    @cached_property
    def basis(self) -> Krylov | None:
        """The Krylov space; None if a factor for every ridge is cheaper."""
        if len(self.ridges) < 2 or not self.T.any():
            return None
        limit = worthwhile_steps(self.K.shape[0], self.T.shape[1], self.ridges)
        if expected_steps(self.ridges, self.tol) > limit:
            return None
        sigma = float(np.sqrt(self.ridges[0] * self.ridges[-1]))
        diagonal = np.diagonal(self.K).copy()
        A = self.K.T
        factor(A, sigma)
        try:
            # One thread: the solves wait for memory, and OpenBLAS has its threads wait for each
            # other in products as thin as these.
            with threadpool_limits(1, user_api="blas"):
                ends = self.ridges[0], self.ridges[-1]
                return krylov(A, sigma, self.T, ends, limit, self.tol)
        finally:
            restore(A, diagonal)


def expected_steps(ridges: list[float], tol: float) -> float:
    """Steps of conjugate gradients for the condition number of the ends of the grid."""
    root = (ridges[-1] / ridges[0]) ** 0.25
    return float(BLOCKS * np.log(tol / 2) / np.log(max((root - 1) / (root + 1), EPS)))


def worthwhile_steps(n_rows: int, n_targets: int, ridges: list[float]) -> int:
    """Steps that cost as much as the factors of all ridges but one."""
    saved = (len(ridges) - 1) * n_rows**3 / 3
    return int(saved / (NARROW * 2 * n_rows**2 * max(n_targets, 1)))


def krylov(
    L: np.ndarray, sigma: float, T: np.ndarray, ends: tuple[float, float], limit: int, tol: float
) -> Krylov | None:
    """Grow the basis until both ends of the grid are solved; None if `limit` steps do not do.

    Parameters
    ----------
    L : ndarray of shape (n, n)
        Cholesky factor of K + sigma I in the lower triangle, Fortran-contiguous.
    sigma : float
        Its ridge.
    T : ndarray of shape (n, q)
        Right sides.
    ends : tuple of float
        The least and the largest ridge.
    limit : int
        Most steps.
    tol : float
        Largest relative residual.
    """
    block, _ = orthonormal(T, float(np.linalg.norm(T)))
    first = block.shape[1]
    capacity = min((limit + 1) * first, len(T))
    W = np.empty((len(T), capacity), order="F")
    H = np.zeros((capacity, capacity))
    start = size = 0
    for _ in range(limit):
        start, size = size, size + block.shape[1]
        if size > capacity:
            return None
        W[:, start:size] = block
        image = linalg.lapack.dpotrs(L, block, lower=1)[0]
        scale = float(np.linalg.norm(image))
        basis = W[:, :size]
        # Twice is enough: the second pass removes what rounding left of the first.
        for _ in range(2):
            along = basis.T @ image
            image -= basis @ along
            H[:size, start:size] += along
        following, coupling = orthonormal(image, scale)
        couplings = np.zeros((size, following.shape[1]))
        couplings[start:] = coupling.T
        # What lies on both sides of the diagonal is the same number, rounded twice.
        square = np.triu(H[:size, :size])
        square += np.triu(square, 1).T
        space = Krylov(sigma, basis, square, following, couplings, first)
        if following.shape[1] == 0 or solved(space, T, ends, tol):
            return space
        block = following
    return None


def solved(space: Krylov, T: np.ndarray, ends: tuple[float, float], tol: float) -> bool:
    """Whether both ends are within the tolerance for the right sides T."""
    bound = tol * float(np.linalg.norm(T))
    return all(space.residual(ridge, space.coordinates(ridge, T)) <= bound for ridge in ends)


def orthonormal(A: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Q (n, r) and R (r, m) with A = QR, of the rank that stands out of the rounding of `scale`."""
    Q, R, order = linalg.qr(A, mode="economic", pivoting=True, check_finite=False)
    r = int(np.sum(np.abs(np.diag(R)) > len(A) * EPS * scale))
    sorted_back = np.empty_like(R[:r])
    sorted_back[:, order] = R[:r]
    return Q[:, :r], sorted_back
