"""The low-rank problem with missing labels, by products with the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.labelspace.leml._low_rank import Factors, LowRank, balanced
from labelspan.linalg import MaskedSystem, Route, Spectral, conjugate_gradients, spectral

# A step ends when its error is this share of its gain, because the next iteration starts there.
STEP_ERROR = 0.1


@dataclass(frozen=True)
class MaskedLowRank:
    r"""The problem :class:`LowRank` with a loss over the observed labels.

    .. math:: \min_{W, H, c} \tfrac12 \sum_{i, k: M_{ik} = 1} w_i (y_{ik} - c_k - x_i' W h_k)^2
              + \tfrac{\rho}{2} (\|W\|_F^2 + \|H\|_F^2)

    The intercepts c are those of the best fit, so scores and labels are centred on their means over
    the rows of a label: K(Q) = diag(w_k) (q_k - mean_k q_k) for each column of Q (n, q).

    `system` holds the rows, the mask and X'K(Y); Z the labels minus these means, 0 where missing;
    `form` the singular values and vectors of all rows, for a start and as the preconditioner.
    """

    system: MaskedSystem
    Z: np.ndarray
    form: Spectral
    ridge: float

    @classmethod
    def of(cls, route: Route, ridge: float) -> MaskedLowRank:
        """One pass over the rows."""
        system = MaskedSystem.of(route, 0.0, scatter=True)
        Z = np.nan_to_num(route.sample.Y - system.t_mean)
        return cls(system, Z, spectral(system.complete), ridge)

    def start(self, M: int) -> Factors:
        """The leading part of the ridge regression of available cases."""
        start = LowRank(self.form.s, self.form.UT, 0.0, self.ridge).start(M)
        return Factors(self.form.V @ start.P, start.s, start.V)

    def turn(self, factors: Factors) -> Factors:
        """Update W, then H, by conjugate gradients, and balance them."""
        root = np.sqrt(factors.s)
        W, H = factors.P * root, factors.V * root
        W = W + self._w_step(W, H)
        return balanced(W, H + self._h_step(W, H))

    def objective(self, factors: Factors) -> float:
        """The value of the problem."""
        N = self.residual(factors)
        return 0.5 * self._squares(N) + self.ridge * float(factors.s.sum())

    def objectives(self, factors: Factors) -> np.ndarray:
        """The objective of the first 0, 1, ... M singular vectors."""
        P, s, V = factors.P, factors.s, factors.V
        numbers = range(len(s) + 1)
        return np.array([self.objective(Factors(P[:, :m], s[:m], V[:, :m])) for m in numbers])

    def residual(self, factors: Factors) -> np.ndarray:
        """K(Y - X B), (n, q)."""
        left: np.ndarray = self.Z - self._scores(factors)
        return self.system.weigh(left)

    def dual(self, factors: Factors) -> float:
        """Max <Z, N> - |N|^2 / 2, over w, subject to ||X'N|| <= ridge, 1'N = 0, N = 0 if missing.

        N is the residual, scaled to be feasible.
        """
        N = self.residual(factors)
        R = self.system.X.T @ N
        K = R @ R.T if R.shape[0] < R.shape[1] else R.T @ R
        last = len(K) - 1
        largest = linalg.eigh(K, eigvals_only=True, subset_by_index=(last, last))[0]
        fit, squares = float(np.sum(self.Z * N)), self._squares(N)
        most = self.ridge / np.sqrt(max(largest, np.finfo(float).tiny))
        t = min(most, max(fit, 0.0) / squares) if squares > 0 else 0.0
        return t * fit - 0.5 * t**2 * squares

    def _scores(self, factors: Factors) -> np.ndarray:
        scores: np.ndarray = (self.system.X @ (factors.P * factors.s)) @ factors.V.T
        return scores

    def _squares(self, N: np.ndarray) -> float:
        """Sum of w e^2 for N = w e."""
        W = self.system.W
        return float(np.divide(N**2, W, out=np.zeros_like(N), where=W > 0).sum())

    def _w_step(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Correction of W: X'K(X W H') H + ridge W = X'K(Y) H is one system of D M unknowns."""
        X, shape = self.system.X, W.shape
        # After balancing H'H is diagonal, and so is the system of all rows in these coordinates.
        V, s, share = self.form.V, self.form.s[:, None], self.system.moments.observed.mean()
        scales = share * s**2 * np.einsum("ij,ij->j", H, H) + self.ridge

        def apply(flat: np.ndarray, _: Any) -> np.ndarray:
            C = flat.reshape(shape)
            out: np.ndarray = X.T @ (self.system.weigh((X @ C) @ H.T) @ H) + self.ridge * C
            return out.reshape(-1, 1)

        def precondition(flat: np.ndarray) -> np.ndarray:
            return (V @ ((V.T @ flat.reshape(shape)) / scales)).reshape(-1, 1)

        right = (self.system.right @ H).reshape(-1, 1) - apply(W.reshape(-1, 1), None)
        found = conjugate_gradients(apply, precondition, right, tolerance=STEP_ERROR)
        return found.reshape(shape)

    def _h_step(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Correction of H: for each label a system of M unknowns, over the rows of the label."""
        S = self.system.X @ W

        def apply(C: np.ndarray, labels: np.ndarray) -> np.ndarray:
            out: np.ndarray = S.T @ self.system.weigh(S @ C, labels) + self.ridge * C
            return out

        inner = W.T @ (self.system.moments.xx @ W)
        inner[np.diag_indices_from(inner)] += self.ridge
        factor = linalg.cho_factor(inner, check_finite=False)
        right = W.T @ self.system.right - apply(H.T, np.arange(len(H)))
        found = conjugate_gradients(
            apply,
            lambda R: linalg.cho_solve(factor, R, check_finite=False),
            right,
            tolerance=STEP_ERROR,
        )
        return found.T
