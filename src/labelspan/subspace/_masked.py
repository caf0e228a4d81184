"""The shared subspace with missing labels, by descent from available cases."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from labelspan.linalg import EPS, Route, spectral
from labelspan.moments import Rows, anchored, centred, zero_constant

# Gradient at which the descent ends, relative to that at U = 0 and in the norm of the
# preconditioner; and the largest number of iterations.
TOLERANCE, MAX_TURNS = 1e-10, 1000
# Slope at which a line search ends, relative to the first one; and the largest number of trials.
SLOPE, TRIALS = 0.1, 6

#: From a gradient (p, q) and an orthonormal P (q, r) to a step (p, q).
Precondition = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Point:
    """Weights U (p, q), half of the gradient there, and singular bases Q (p, r), P (q, r) of U."""

    U: np.ndarray
    gradient: np.ndarray
    Q: np.ndarray
    P: np.ndarray


@dataclass(frozen=True)
class MaskedShared:
    r"""The problem over the weights U (p, q), for r shared directions.

    .. math:: \min_U f(U) = \sum_k \sum_{i: M_{ik} = 1} W_{ik} (x_i'u_k + c_k - s_{ik})^2
              + b \|U\|_F^2 + a \sum_{j > r} \sigma_j(U)^2

    The last sum is the minimum of :math:`\|U - \Theta' V\|_F^2` over V and orthonormal Theta, at
    the leading r left singular vectors of U. The columns of W sum to n, so that f / n is the
    objective of the method with the mean loss of each label over its own rows.

    The rows X (n, p) are centred if dense, shifted by any row if sparse. The weights W and labels S
    in [-1, 1] are (n, q), both 0 where missing; `prices` are a and b. With `centre` the intercepts
    c_k have their best values, X is centred and S is minus its `means` over the rows of each label.
    """

    X: Any
    weights: np.ndarray
    W: np.ndarray
    S: np.ndarray
    means: np.ndarray
    prices: tuple[float, float]
    r: int
    centre: bool
    precondition: Precondition

    @classmethod
    def of(
        cls, route: Route, statistics: Any, prices: tuple[float, float], r: int, centre: bool
    ) -> MaskedShared:
        """From rows and the statistics of all rows; every label must be observed somewhere."""
        X, Y, given = route.sample.X, route.sample.Y, route.sample.weights
        weights, seen = np.ones(len(Y)) if given is None else given, ~np.isnan(Y)
        W = seen * weights[:, None]
        W *= weights.sum() / W.sum(axis=0)
        S = np.where(seen, 2 * Y - 1, 0.0)
        means = centre * mean_over(W, S)
        S = np.where(seen, S - means, 0.0)
        zero_constant(S, np.abs(S).max(axis=0, initial=0.0))
        if centre:
            X = centred(anchored(X)[0], weights)[0]
        # A subspace that holds every U has no outside, so a would only add rounding.
        prices = (prices[0] if r < min(X.shape[1], Y.shape[1]) else 0.0, prices[1])
        precondition = preconditioner(statistics, *prices)
        return cls(X.astype(np.float64), weights, W, S, means, prices, r, centre, precondition)

    def descend(self, U: np.ndarray) -> tuple[Point, float, int]:
        """Descend from U until the gradient vanishes: point, relative residual, iterations.

        Conjugate gradients of Polak and Ribiere; O(nnz(X) q + n q + p^2 q + q^3) per step.
        """
        point, right = self.at(U), self.X.T @ self.weigh(self.S.copy())
        scale = np.sum(right * self.precondition(right, point.P))
        size, step, last = 1.0, np.zeros_like(U), point.gradient
        for turn in range(MAX_TURNS + 1):
            Z = self.precondition(point.gradient, point.P)
            kept = max(float(np.sum((point.gradient - last) * Z)) / size, 0.0)
            size = float(np.sum(point.gradient * Z))
            if size <= TOLERANCE**2 * scale or turn == MAX_TURNS:
                break
            step = kept * step - Z
            if np.sum(step * point.gradient) > -SLOPE * size:
                # Not a descent direction, or nearly so: restart.
                step = -Z
            last, length = point.gradient, self.length(point, step)
            if length == 0:
                break
            point = self.at(point.U + length * step)
        if size > TOLERANCE**2 * scale:
            warnings.warn(
                f"{turn} iterations left a gradient of {np.sqrt(size / scale):.1e} of that of zero "
                f"weights (tolerance {TOLERANCE:.0e}). Lower alpha, or raise beta.",
                ConvergenceWarning,
                stacklevel=2,
            )
        norm = np.linalg.norm(right)
        return point, float(np.linalg.norm(point.gradient) / (norm if norm > 0 else 1.0)), turn

    def at(self, U: np.ndarray) -> Point:
        """Subspace and half of the gradient at U."""
        a, b = self.prices
        Q, P = leading_vectors(U, self.r)
        shared = (U @ P) @ P.T
        gradient = self.X.T @ self.weigh(self.X @ U - self.S) + (a + b) * U - a * shared
        return Point(U, gradient, Q, P)

    def length(self, point: Point, step: np.ndarray) -> float:
        """Step length: approximately where the slope of f vanishes.

        Along the line the loss is a parabola, and the singular values of U + t D are those of
        the Gram matrix G + t H + t^2 K.
        """
        (a, b), scores = self.prices, self.X @ step
        first = float(np.sum(point.gradient * step))
        bend = float(np.sum(scores * self.weigh(scores.copy())) + (a + b) * np.sum(step**2))
        U, D = (point.U, step) if is_tall(step) else (point.U.T, step.T)
        G, H, K = U.T @ U, U.T @ D, D.T @ D
        H = H + H.T
        values, B = leading(G, self.r)
        top, top_slope = float(values.sum()), float(np.sum(B * (H @ B)))

        def slope(t: float) -> float:
            B = leading(G + t * (H + t * K), self.r)[1]
            rise = np.sum(B * (H @ B)) - top_slope
            return float(first + t * bend - a * (0.5 * rise + t * np.sum(B * (K @ B))))

        def change(t: float) -> float:
            rise = leading(G + t * (H + t * K), self.r)[0].sum() - top - t * top_slope
            return float(t * (first + 0.5 * t * bend) - 0.5 * a * rise)

        # For fixed P the function is a parabola above f, so a step to its minimum is a descent.
        curvature = bend - a * float(np.sum((step @ point.P) ** 2))
        if curvature <= 0:
            # Only rounding: neither the data nor the penalties depend on the step.
            return 0.0
        sure = -first / curvature
        t = crossing(slope, first, sure)
        return t if change(t) <= EPS * a * top else sure

    def weigh(self, Q: np.ndarray) -> np.ndarray:
        """Scores (n, q) minus their means over the rows of each label, times W; in place."""
        if self.centre:
            Q -= mean_over(self.W, Q)
        Q *= self.W
        return Q

    def objective(self, U: np.ndarray) -> float:
        """f(U) / n."""
        (a, b), left = self.prices, self.X @ U - self.S
        loss = np.sum(left * self.weigh(left.copy()))
        P = leading_vectors(U, self.r)[1]
        outside = np.sum((U - (U @ P) @ P.T) ** 2)
        return float(loss + b * np.sum(U**2) + a * outside) / float(self.weights.sum())

    def level(self, U: np.ndarray) -> np.ndarray:
        """Scores at the mean of all rows, (q,), with the best intercepts."""
        Q = self.X @ U
        return self.means + (self.weights @ Q) / self.weights.sum() - mean_over(self.W, Q)


def mean_over(W: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Means (q,) of Q (n, q) with weights W, whose columns have one sum."""
    means: np.ndarray = np.einsum("ij,ij->j", W, Q) / W[:, :1].sum()
    return means


def is_tall(U: np.ndarray) -> bool:
    """Whether the Gram matrix of the columns is the smaller one."""
    return U.shape[0] >= U.shape[1]


def leading(G: np.ndarray, r: int) -> tuple[np.ndarray, np.ndarray]:
    """The r largest eigenvalues of G, ascending, and their eigenvectors."""
    if r == 0:
        return np.zeros(0), np.zeros((len(G), 0))
    last = len(G) - 1
    return linalg.eigh(G, subset_by_index=(last + 1 - r, last), check_finite=False)


def leading_vectors(U: np.ndarray, r: int) -> tuple[np.ndarray, np.ndarray]:
    """Bases (p, r) and (q, r) of the leading singular vectors of U (p, q)."""
    small = U if is_tall(U) else U.T
    B = leading(small.T @ small, r)[1]
    other = linalg.qr(small @ B, mode="economic", check_finite=False)[0] if r else small[:, :0]
    return (other, B) if is_tall(U) else (B, other)


def crossing(slope: Callable[[float], float], first: float, t: float) -> float:
    """Approximate zero of a slope that is `first` < 0 at 0, by secants from the trial t > 0."""
    low, at_low, high, at_high = 0.0, first, np.inf, 0.0
    for _ in range(TRIALS):
        at = slope(t)
        if abs(at) <= SLOPE * abs(first):
            return t
        before, at_before = low, at_low
        if at < 0:
            low, at_low = t, at
        else:
            high, at_high = t, at
        if high < np.inf:
            t = low - at_low * (high - low) / (at_high - at_low)
        else:
            # Not far enough yet: use the secant, but at most four times as far.
            rise = at - at_before
            t = min(4 * t, t - at * (t - before) / rise) if rise > 0 else 4 * t
    return low if low > 0 else t


def preconditioner(statistics: Any, a: float, b: float) -> Precondition:
    """Half of the inverse second derivative of f without missing labels, for fixed P.

    (A + b I)^-1 on the labels P and (A + (a + b) I)^-1 off them, A the scatter or its diagonal.
    """
    if isinstance(statistics, Rows):
        squares, V = statistics.squares[:, None], None
    else:
        form = spectral(statistics)
        squares, V = form.s[:, None] ** 2, form.V
    on, off = squares + b, squares + a + b

    def solve(R: np.ndarray, P: np.ndarray) -> np.ndarray:
        C = R if V is None else V.T @ R
        inside = (C @ P) @ P.T
        C = inside / on + (C - inside) / off
        return C if V is None else V @ C

    return solve
