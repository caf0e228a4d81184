"""Kernel ridge regression for many ridges from one Cholesky factor and one Krylov space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.arrays import dense, namespace
from labelspan.kernels._gram import factor, in_place, restore, solve, too_small
from labelspan.linalg import EPS
from labelspan.system import one_blas_thread

Pair = tuple[np.ndarray, np.ndarray]
# A step, with its orthogonalisation, takes this many times as long per operation as a
# factorisation, because with few right-hand sides it waits for memory.
NARROW = 2.5
# Blocks of several right-hand sides need half to three quarters of the bound for one.
BLOCKS = 0.75
# Largest number of basis columns as a share of n; more would cost as much as a factor.
LARGEST = 0.25


class PathSolver:
    """P = (K + ridge I)^-1 T and K P for the ridges of a path; K is overwritten, then restored.

    K + ridge I is I + (ridge / sigma - 1) M times K + sigma I, M = (K / sigma + I)^-1: all ridges
    share the Krylov space of M. A step is 2 n^2 q, instead of n^3 / 3 per ridge; if that does not
    pay, or a residual exceeds `tol`, a ridge gets a factor.
    """

    def __init__(self, K: np.ndarray, T: np.ndarray, ridges: list[float], tol: float):
        self.K = K
        self.T = T
        self.ridges = sorted({ridge for ridge in ridges if not too_small(ridge, 1.0, K)})
        self.tol = tol
        self.residual = 0.0
        # The latest solutions by factors; not a cached method, whose cycle would keep K alive.
        self._by_factor: dict[float, Pair] = {}

    def __call__(self, ridge: float) -> Pair:
        """P and K P."""
        found = self._in_space.get(ridge) or self._by_factor.get(ridge)
        if found is None:
            found = solve(self.K, 1.0, ridge, self.T)
            if ridge in self.ridges:
                self.residual = max(self.residual, largest_residual(self.T, *found, ridge))
            # As much memory as K, or the last two: models come in the order of their ridges.
            kept = max(self.K.shape[0] // (2 * max(self.T.shape[1], 1)), 2)
            if len(self._by_factor) == kept:
                del self._by_factor[next(iter(self._by_factor))]
            self._by_factor[ridge] = found
        return found

    @cached_property
    def _in_space(self) -> dict[float, Pair]:
        """The solutions that the Krylov space holds."""
        space = self.space
        if space is None:
            return {}
        q = self.T.shape[1]
        P = space.images(np.hstack([space.coordinates(ridge, self.T) for ridge in self.ridges]))
        KP = self.K @ P
        found = {}
        for i, ridge in enumerate(self.ridges):
            pair = P[:, i * q : (i + 1) * q], KP[:, i * q : (i + 1) * q]
            residual = largest_residual(self.T, *pair, ridge)
            if residual <= self.tol:
                found[ridge] = pair
                self.residual = max(self.residual, residual)
        return found

    @property
    def space(self) -> Krylov | None:
        """The Krylov space; None if a factor for every ridge is cheaper."""
        n_rows, q = self.T.shape
        # On a device, a factorisation is faster than the steps of a Krylov space.
        few = len(self.ridges) < 2 or len(self.ridges) * q > n_rows
        if few or not in_place(self.K) or not self.T.any():
            return None
        expected = expected_steps(self.ridges, self.tol)
        limit = min(worthwhile_steps(n_rows, q, len(self.ridges)), int(LARGEST * n_rows / q))
        if expected > limit:
            return None
        limit = min(limit, int(2 * expected) + 1)
        ends = self.ridges[0], self.ridges[-1]
        diagonal = np.diagonal(self.K).copy()
        A = self.K.T
        try:
            sigma = float(np.sqrt(ends[0]) * np.sqrt(ends[1]))
            factor(A, sigma)
            # One thread: the solves are limited by memory, and OpenBLAS threads wait for each
            # other in such thin products.
            with one_blas_thread():
                return krylov(A, sigma, self.T, ends, (int(expected / 3), limit), self.tol)
        except ValueError:
            # Not positive definite for one of the ridges; its own factor will raise the error.
            return None
        finally:
            restore(A, diagonal)


def largest_residual(T: Any, P: Any, KP: Any, ridge: float) -> float:
    """Norms of the columns of T - (K + ridge I) P, relative to those of T."""
    norm = namespace(T).linalg.vector_norm
    sizes, residuals = dense(norm(T, axis=0)), dense(norm(T - KP - ridge * P, axis=0))
    return float(np.max(residuals[sizes > 0] / sizes[sizes > 0], initial=0.0))


def expected_steps(ridges: list[float], tol: float) -> float:
    """Steps of conjugate gradients for the condition number of the ends of the grid."""
    root = ridges[-1] ** 0.25 / ridges[0] ** 0.25
    rate = (root - 1) / (root + 1)
    if not rate < 1:
        return float("inf")
    return float(BLOCKS * (np.log(tol) - np.log(2)) / np.log(max(rate, EPS)))


def worthwhile_steps(n_rows: int, n_targets: int, n_ridges: int) -> int:
    """Steps that cost as much as the factors of all ridges but one."""
    saved = (n_ridges - 1) * n_rows**3 / 3
    return int(saved / (NARROW * 2 * n_rows**2 * n_targets))


@dataclass(frozen=True)
class Krylov:
    """An orthonormal basis W (n, k) of the block Krylov space of M = (K / sigma + I)^-1 from T.

    M W = W H + W_next coupling', where only the last block of W has nonzero rows in `coupling` (k,
    r), and the `first` columns span T.
    """

    sigma: float
    W: np.ndarray
    H: np.ndarray
    W_next: np.ndarray
    coupling: np.ndarray
    first: int

    def coordinates(self, ridge: float, T: np.ndarray) -> np.ndarray:
        """Coordinates y (k, q) of the solution M W y / sigma.

        (K + ridge I) M / sigma = I + (ridge / sigma - 1) M, projected on the basis.
        """
        projected = np.zeros((len(self.H), T.shape[1]))
        projected[: self.first] = self.W[:, : self.first].T @ T
        system = (ridge / self.sigma - 1.0) * self.H
        system[np.diag_indices_from(system)] += 1.0
        return np.asarray(linalg.solve(system, projected, assume_a="pos", check_finite=False))

    def images(self, y: np.ndarray) -> np.ndarray:
        """M W y / sigma."""
        y = y / self.sigma
        return np.asarray(self.W @ (self.H @ y) + self.W_next @ (self.coupling.T @ y))

    def is_solved(self, ridge: float, T: np.ndarray, tol: float) -> bool:
        """Whether every column is within the tolerance, without a product with K.

        In exact arithmetic the residual is (1 - ridge / sigma) W_next coupling' y.
        """
        left = np.linalg.norm(self.coupling.T @ self.coordinates(ridge, T), axis=0)
        left *= abs(ridge / self.sigma - 1.0)
        return bool(np.all(left <= tol * np.linalg.norm(T, axis=0)))


def krylov(
    L: np.ndarray,
    sigma: float,
    T: np.ndarray,
    ends: tuple[float, float],
    steps: tuple[int, int],
    tol: float,
) -> Krylov | None:
    """Extend the basis until both ends of the grid are solved; None if the steps do not suffice.

    L is the lower factor of K + sigma I, Fortran-contiguous; `steps`: after how many convergence is
    tested, and their largest number; `tol`: largest relative residual of a column.
    """
    enough, most = steps
    # Slightly less, because the true residual includes the rounding of K P.
    tol = 0.9 * tol
    block, _ = revealing_qr(T, float(np.linalg.norm(T, axis=0).max()))
    first = block.shape[1]
    W = np.empty((len(T), most * first), order="F")
    H = np.zeros((most * first, most * first))
    start = size = 0
    for step in range(most):
        start, size = size, size + block.shape[1]
        W[:, start:size] = block
        image = linalg.lapack.dpotrs(L, sigma * block, lower=1)[0]
        scale = float(np.linalg.norm(image, axis=0).max())
        basis = W[:, :size]
        # Twice is enough; once is not, because rounding errors grow from step to step.
        for _ in range(2):
            along = basis.T @ image
            image -= basis @ along
            H[:size, start:size] += along
        following, coupling = revealing_qr(image, scale)
        if step < enough and following.shape[1]:
            block = following
            continue
        couplings = np.zeros((size, following.shape[1]))
        couplings[start:] = coupling.T
        # Entries on both sides of the diagonal are the same numbers, rounded twice.
        square = np.triu(H[:size, :size])
        square += np.triu(square, 1).T
        space = Krylov(sigma, basis, square, following, couplings, first)
        if following.shape[1] == 0 or all(space.is_solved(ridge, T, tol) for ridge in ends):
            return space
        block = following
    return None


def revealing_qr(A: np.ndarray, scale: float) -> Pair:
    """Q (n, r) and R (r, m) with A = QR, with the rank above the rounding of `scale`."""
    Q, R, order = linalg.qr(A, mode="economic", pivoting=True, check_finite=False)
    r = int(np.sum(np.abs(np.diag(R)) > len(A) * EPS * scale))
    sorted_back = np.empty_like(R[:r])
    sorted_back[:, order] = R[:r]
    return Q[:, :r], sorted_back
