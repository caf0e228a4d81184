"""The low-rank problem with all labels observed, from the statistics only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from labelspan.linalg import signs_of


@dataclass(frozen=True)
class Factors:
    """B = P diag(s) V' in the coordinates of the row space: P (r, M), s (M,), V (q, M)."""

    P: np.ndarray
    s: np.ndarray
    V: np.ndarray


@dataclass(frozen=True)
class LowRank:
    """The problem in the coordinates of Xc = U diag(s) V': s (r,), U'Z (r, q), `total` ||Z||^2."""

    s: np.ndarray
    UT: np.ndarray
    total: float
    ridge: float

    def start(self, M: int) -> Factors:
        """The leading part of the ridge regression."""
        B = (self.s / (self.s**2 + self.ridge))[:, None] * self.UT
        if M == 0:
            return Factors(np.zeros((len(B), 0)), np.zeros(0), np.zeros((B.shape[1], 0)))
        # From the smaller Gram matrix; the start may lose digits but must be orthonormal.
        r, q = B.shape
        K, side = (B @ B.T, r) if r < q else (B.T @ B, q)
        vectors = linalg.eigh(K, subset_by_index=(side - M, side - 1), check_finite=False)[1]
        V = linalg.qr(B.T @ vectors if r < q else vectors, mode="economic")[0]
        return balanced(B @ V, V)

    def turn(self, factors: Factors) -> Factors:
        """W for the given H, H for that W, and both balanced."""
        a, root = self.s[:, None] ** 2, np.sqrt(factors.s)
        W = self._cross(factors.V) * root / (a * factors.s + self.ridge)
        inner = W.T @ (a * W)
        inner[np.diag_indices_from(inner)] += self.ridge
        right = (self.s[:, None] * W).T @ self.UT
        H = linalg.solve(inner, right, assume_a="pos", check_finite=False).T
        return balanced(W, H)

    def objective(self, factors: Factors) -> float:
        """The value of the problem."""
        return float(self.objectives(factors)[-1])

    def objectives(self, factors: Factors) -> np.ndarray:
        """The objective of the first 0, 1, ... M singular vectors: V is orthonormal."""
        fits = np.einsum("ij,ij->j", factors.P, self._cross(factors.V))
        sizes = np.square(self.s[:, None] * factors.P).sum(axis=0)
        gains = factors.s * (self.ridge - fits) + 0.5 * factors.s**2 * sizes
        return 0.5 * self.total + np.concatenate([[0.0], np.cumsum(gains)])

    def dual(self, factors: Factors) -> float:
        """Max <Z, N> - |N|^2 / 2 subject to ||Xc'N|| <= ridge, at a feasible N.

        N is the residual E, with singular vectors of Xc'E of s > ridge scaled by ridge / s.
        """
        E = self.UT - (self.s[:, None] * factors.P * factors.s) @ factors.V.T
        R = self.s[:, None] * E
        wide = R.shape[0] < R.shape[1]
        K = R @ R.T if wide else R.T @ R
        values, v = linalg.eigh(K, subset_by_value=(self.ridge**2, np.inf), check_finite=False)
        sizes = np.sqrt(values)
        v = R.T @ v / sizes if wide else v
        N = E - (E @ v * (1 - self.ridge / sizes)) @ v.T
        outside = self.total - np.square(self.UT).sum()
        return float(0.5 * outside + np.sum(self.UT * N) - 0.5 * np.square(N).sum())

    def _cross(self, V: np.ndarray) -> np.ndarray:
        """V' xt of the labels V, (r, M)."""
        product: np.ndarray = self.s[:, None] * (self.UT @ V)
        return product


def balanced(W: np.ndarray, H: np.ndarray) -> Factors:
    """Singular vectors and values of W H', by QR of both: O((r + q) M^2)."""
    (Q, R), (G, L) = (linalg.qr(A, mode="economic", check_finite=False) for A in (W, H))
    u, s, vt = linalg.svd(R @ L.T, check_finite=False)
    V = np.ascontiguousarray((G @ vt.T).T)
    signs = signs_of(V)
    return Factors((Q @ u) * signs, s, V.T * signs)
