"""Rows by their lengths, not by their squares: ridge regressions with weights, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.arrays import densified, less_mean, scaled_rows
from labelspan.moments import Sample
from labelspan.selection.embedded._group_lasso import lengths

# The smoothing starts at this share of the length of a mean row, and shrinks by this factor.
FIRST, SHRINK = 0.1, 0.7
# It shrinks when what scaling costs is at most this share of the gap.
CAUGHT_UP = 0.5
TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Robust:
    """A solution with its objectives."""

    W: np.ndarray
    intercept: np.ndarray
    primal: float
    dual: float
    objectives: list[float]

    @property
    def gap(self) -> float:
        """Relative to the primal objective."""
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0


@dataclass(frozen=True)
class Turns:
    """Reweighted ridge regressions with shrinking smoothing.

    X is less a mean, of which `shift` is moved back at the end; Y has zeros where `observed` is
    False. `groups` are the labels that are observed on the same rows, `smooth` (n, n) is twice the
    weighted Laplacian of the rows.
    """

    X: Any
    Y: np.ndarray
    observed: np.ndarray
    weights: np.ndarray
    groups: list[np.ndarray]
    gamma: float
    centre: bool
    smooth: Any
    shift: np.ndarray

    @classmethod
    def of(cls, sample: Sample, gamma: float, centre: bool, smooth: Any) -> Turns:
        """The problem of some rows; NaN stands for labels that are not observed."""
        n, D = sample.X.shape
        mean = np.ravel(sample.X.mean(axis=0, dtype=np.float64)) if centre else np.zeros(D)
        X, rest = less_mean(sample.X, mean)
        observed = ~np.isnan(sample.Y)
        weights = np.ones(n) if sample.weights is None else sample.weights
        patterns, of = np.unique(observed, axis=1, return_inverse=True)
        groups = [np.flatnonzero(of.ravel() == g) for g in np.flatnonzero(patterns.any(axis=0))]
        Y = np.where(observed, sample.Y, 0.0)
        return cls(X, Y, observed, weights, groups, gamma, centre, smooth, mean - rest)

    def solve(self, tol: float, max_iter: int) -> Robust:
        """Turns until the gap is at most `tol`."""
        Y, s, D = self.Y, self.weights, self.X.shape[1]
        W = np.zeros((D, Y.shape[1]))
        counts = np.maximum(s @ self.observed, TINY)
        b = (s @ Y) / counts if self.centre else np.zeros(Y.shape[1])
        E = self.residual(W, b)
        scale = float(s @ lengths(E)) / s.sum()
        best = Robust(W, b, float(s @ lengths(E)), 0.0, [])
        if scale == 0:
            return best
        width, rows, objectives, lower = FIRST * scale, np.ones(D), [], 0.0
        for _ in range(max_iter):
            h = s / np.sqrt(lengths(E) ** 2 + width**2)
            W, b, U = self.ridge(h, rows)
            E = self.residual(W, b)
            primal = float(s @ lengths(E) + self.gamma * lengths(W).sum() + self.roughness(W))
            objectives.append(primal)
            unscaled, certified = self.bound(W, U)
            lower = max(lower, certified)
            if primal <= best.primal:
                best = Robust(W, b - self.shift @ W, primal, lower, objectives)
            if best.primal - lower <= tol * best.primal:
                break
            # While scaling costs most of the gap, the turns have not caught up with the smoothing.
            if unscaled - certified <= CAUGHT_UP * (primal - certified):
                width = max(SHRINK * width, 1e-14 * scale)
            # In the units of W: a feature of unit effect changes the residual by its column.
            rows = np.sqrt(lengths(W) ** 2 + (width * lengths(W).max(initial=0.0) / scale) ** 2)
            rows = np.maximum(rows, TINY)
        return Robust(best.W, best.intercept, best.primal, lower, objectives)

    def residual(self, W: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Of the observed labels."""
        return np.where(self.observed, self.Y - np.asarray(self.X @ W) - b, 0.0)

    def roughness(self, W: np.ndarray) -> float:
        """The term of the graph."""
        if self.smooth is None:
            return 0.0
        fitted = np.asarray(self.X @ W)
        return 0.5 * float(np.vdot(fitted, self.smooth @ fitted))

    @cached_property
    def curvature(self) -> Any:
        """X' smooth X, (D, D)."""
        return 0.0 if self.smooth is None else densified(self.X.T @ (self.smooth @ self.X))

    def ridge(self, h: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The W and b of least h_i |residual_i|^2 + gamma |w_j|^2 / rows_j + 2 roughness.

        And the residuals times h, (n, q), which from the space of the rows keep their digits where
        residuals vanish.
        """
        n, D = self.X.shape
        W, b = np.zeros((D, self.Y.shape[1])), np.zeros(self.Y.shape[1])
        U = np.zeros_like(self.Y)
        wide = n < D
        K = densified(scaled_rows(self.X.T, rows).T @ self.X.T) if wide else None
        for labels in self.groups:
            seen = h * self.observed[:, labels[0]]
            if K is None:
                W[:, labels], b[labels] = self.by_columns(seen, rows, self.Y[:, labels])
            else:
                C, b[labels] = self.by_rows(K, seen, self.Y[:, labels])
                W[:, labels] = rows[:, None] * np.asarray(self.X.T @ C)
                U[:, labels] = self.gamma * C
        if K is None:
            return W, b, h[:, None] * self.residual(W, b)
        if self.smooth is not None:
            U += self.smooth @ np.asarray(self.X @ W)
        return W, b, np.where(self.observed, U, 0.0)

    def by_columns(
        self, h: np.ndarray, rows: np.ndarray, Y: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """W and b by a system of side D."""
        total, root = h.sum(), np.sqrt(rows)
        x_mean = (h @ self.X) / total if self.centre else np.zeros(len(rows))
        y_mean = (h @ Y) / total if self.centre else np.zeros(Y.shape[1])
        XH = scaled_rows(self.X, h)
        A = densified(self.X.T @ XH) - total * np.outer(x_mean, x_mean) + self.curvature
        A *= root[:, None] * root
        A[np.diag_indices(len(A))] += self.gamma
        B = root[:, None] * (np.asarray(XH.T @ Y) - total * np.outer(x_mean, y_mean))
        W = root[:, None] * linalg.cho_solve(linalg.cho_factor(A, lower=True), B)
        return W, y_mean - x_mean @ W

    def by_rows(self, K: np.ndarray, h: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """C with W = diag(rows) X' C, and b, by a system of side n, for K = X diag(rows) X'.

        It is (gamma I + (diag(h) + smooth) K) C + h b' = diag(h) Y with 1' C = 0, each row divided
        by h: then its condition does not grow as residuals vanish.
        """
        n, seen = len(K), h > 0
        d = 1.0 / np.where(seen, h, 1.0)
        A = np.zeros((n + 1, n + 1))
        A[:n, :n] = seen[:, None] * K
        if self.smooth is not None:
            A[:n, :n] += d[:, None] * (self.smooth @ K)
        A[np.arange(n), np.arange(n)] += self.gamma * d
        if not self.centre:
            C = linalg.lu_solve(linalg.lu_factor(A[:n, :n]), seen[:, None] * Y)
            return C, np.zeros(Y.shape[1])
        unit = max(float(np.diag(A).max()), TINY)
        A[:n, n] = unit * seen
        A[n, :n] = unit
        B = np.vstack([seen[:, None] * Y, np.zeros((1, Y.shape[1]))])
        found = linalg.lu_solve(linalg.lu_factor(A), B)
        return found[:n], unit * found[n]

    def bound(self, W: np.ndarray, U: np.ndarray) -> tuple[float, float]:
        """Dual objective of weighted residuals U, and what it is of those scaled to be feasible.

        A turn leaves them with X' (U - smooth X W) = gamma W / rows, and with sums of zero if there
        is an intercept.
        """
        rough = self.roughness(W)
        own = U if self.smooth is None else U - self.smooth @ np.asarray(self.X @ W)
        over = max(
            float((lengths(U) / self.weights).max()),
            float(lengths(np.asarray(self.X.T @ own)).max()) / self.gamma,
            TINY,
        )
        along = float(np.vdot(self.Y, U))
        scale = min(1.0 / over, along / (2 * rough) if rough > 0 else np.inf)
        return along - rough, scale * along - scale**2 * rough
