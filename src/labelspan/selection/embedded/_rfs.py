"""Robust feature selection: rows of the residual and rows of the weights by their lengths."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from labelspan.arrays import densified, less_mean, scaled_rows
from labelspan.compat import Interval
from labelspan.moments import Sample
from labelspan.selection._scores import FeatureScore
from labelspan.selection.embedded._group_lasso import lengths
from labelspan.selection.embedded._rows import ROW_LEARNT, as_they_are, by_weights, needs_rows

# The smoothing starts at this share of the length of a mean row, and shrinks by this factor.
FIRST, SHRINK = 0.1, 0.7
# It shrinks when what scaling costs is at most this share of the gap.
CAUGHT_UP = 0.5


class RFS(FeatureScore):
    r"""Select the features of a robust regression: no square of a residual.

    .. math:: \min_{W, b} \; \sum_i \|x_i W + b' - y_i\|_2 + \gamma \sum_j \|w_j\|_2

    The problem of [1]_, with an intercept b that is not penalised. A row that no features explain
    counts by its distance, not by its square.

    Parameters
    ----------
    n_features : int, default=10
        Number of features to keep: those with the longest rows of W.
    gamma : float, default=1.0
        Weight of the penalty.
    fit_intercept : bool, default=True
        False is the equation of the paper, without b.
    tol : float, default=1e-3
        Duality gap, relative to the objective.
    max_iter : int, default=1000
        Largest number of turns.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        W'.
    intercept_ : ndarray of shape (n_labels,)
        b.
    objectives_ : ndarray of shape (n_iter_,)
        Objective after each turn.
    primal_objective_, dual_objective_ : float
        Objective, and a lower bound on the optimum.
    n_iter_ : int
        Number of turns.
    scores_ : ndarray of shape (n_features,)
        Lengths of the rows of W.
    support_ : ndarray of bool, shape (n_features,)
        Features kept.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the longest row.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    classes_ : ndarray
        Classes of a 1-d `y`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    The problem is convex. Each turn solves the ridge regression whose weights are the inverse
    lengths of the rows of the turn before, smoothed; the smoothing shrinks from turn to turn.
    The dual is max <Y, L> over rows of L of length at most 1 with ``||x_j' L|| <= gamma`` and
    columns that add up to zero; the weighted residuals of a turn, scaled into this set, are the
    certificate. Time O(n m^2 + m^3) per turn with m = min(n, D), memory O(nnz(X) + m^2).

    References
    ----------
    .. [1] F. Nie, H. Huang, X. Cai and C. Ding, "Efficient and robust feature selection via joint
       l2,1-norms minimization", NIPS 2010.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import RFS
    >>> yeast = load_yeast()
    >>> RFS(5).fit_transform(yeast.X[:300], yeast.Y[:300]).shape
    (300, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }
    _size: ClassVar[str] = "n_features"
    _needs_rows = needs_rows
    _summarise = as_they_are
    _score = by_weights
    _learnt: ClassVar[tuple[str, ...]] = (
        *ROW_LEARNT, "intercept_", "primal_objective_", "dual_objective_",
    )  # fmt: skip

    def __init__(
        self,
        n_features: int = 10,
        *,
        gamma: float = 1.0,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ):
        self.n_features = n_features
        self.gamma = gamma
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, sample: Sample) -> np.ndarray:
        found = robust(sample, self.gamma, self.fit_intercept, self.tol, self.max_iter)
        self.intercept_ = found.intercept
        self.primal_objective_, self.dual_objective_ = found.primal, found.dual
        self.objectives_, self.n_iter_ = np.array(found.objectives), len(found.objectives)
        if found.gap > self.tol:
            warnings.warn(
                f"Stopped after max_iter={self.max_iter} turns with a relative gap of "
                f"{found.gap:.2g}, above tol={self.tol:.2g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return found.W


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


def robust(sample: Sample, gamma: float, centre: bool, tol: float, max_iter: int) -> Robust:
    """Reweighted ridge regressions with shrinking smoothing, until the gap is at most `tol`."""
    n, D = sample.X.shape
    # Columns near zero keep their digits; the intercept is moved back at the end.
    mean = np.ravel(sample.X.mean(axis=0, dtype=np.float64)) if centre else np.zeros(D)
    X, rest = less_mean(sample.X, mean)
    shift = mean - rest
    Y, s = sample.Y, np.ones(n) if sample.weights is None else sample.weights
    b = (s @ Y) / s.sum() if centre else np.zeros(Y.shape[1])
    W, E = np.zeros((D, Y.shape[1])), Y - b
    scale = float(s @ lengths(E)) / s.sum()
    best = Robust(W, b, float(s @ lengths(E)), 0.0, [])
    if scale == 0:
        return best
    smooth, rows, objectives = FIRST * scale, np.full(D, 1.0), []
    lower = 0.0
    for _ in range(max_iter):
        h = s / np.sqrt(lengths(E) ** 2 + smooth**2)
        W, b = ridge(X, Y, h, rows, gamma, centre)
        E = Y - np.asarray(X @ W) - b
        primal = float(s @ lengths(E) + gamma * lengths(W).sum())
        objectives.append(primal)
        over, value = bound(X, Y, E * h[:, None], s, gamma)
        lower = max(lower, value)
        if primal <= best.primal:
            best = Robust(W, b - shift @ W, primal, lower, objectives)
        if best.primal - lower <= tol * best.primal:
            break
        # While scaling costs most of the gap, the turns have not caught up with the smoothing.
        if (over - 1.0) * value <= CAUGHT_UP * (primal - value):
            smooth = max(SHRINK * smooth, 1e-14 * scale)
        # In the units of W: a feature of unit effect changes the residual by its column.
        rows = np.sqrt(lengths(W) ** 2 + (smooth * lengths(W).max(initial=0.0) / scale) ** 2)
        rows = np.maximum(rows, np.finfo(float).tiny)
    return Robust(best.W, best.intercept, best.primal, lower, objectives)


def ridge(
    X: Any, Y: np.ndarray, h: np.ndarray, rows: np.ndarray, gamma: float, centre: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Minimise sum_i h_i |x_i W + b - y_i|^2 + gamma sum_j |w_j|^2 / rows_j."""
    n, D = X.shape
    total = h.sum()
    x_mean = (h @ X) / total if centre else np.zeros(D)
    y_mean = (h @ Y) / total if centre else np.zeros(Y.shape[1])
    root = np.sqrt(rows)
    XH = scaled_rows(X, h)
    if n >= D:
        A = densified(X.T @ XH) - total * np.outer(x_mean, x_mean)
        A *= root[:, None] * root
        A[np.diag_indices(D)] += gamma
        B = root[:, None] * (np.asarray(XH.T @ Y) - total * np.outer(x_mean, y_mean))
        W = root[:, None] * linalg.cho_solve(linalg.cho_factor(A, lower=True), B)
        return W, y_mean - x_mean @ W
    # In the space of the rows: K = (X - 1 m') diag(rows) (X - 1 m')'.
    XR = scaled_rows(X.T, rows).T
    K = densified(XR @ X.T)
    cross = np.asarray(XR @ x_mean)
    K = K - cross[:, None] - cross + x_mean @ (rows * x_mean)
    half = np.sqrt(h)
    K *= half[:, None] * half
    K[np.diag_indices(n)] += gamma
    C = half[:, None] * linalg.cho_solve(
        linalg.cho_factor(K, lower=True), half[:, None] * (Y - y_mean)
    )
    W = rows[:, None] * (np.asarray(X.T @ C) - np.outer(x_mean, C.sum(axis=0)))
    return W, y_mean - x_mean @ W


def bound(
    X: Any, Y: np.ndarray, dual: np.ndarray, s: np.ndarray, gamma: float
) -> tuple[float, float]:
    """What weighted residuals are divided by to be feasible, and their dual objective then.

    A turn leaves them with X'L = gamma W / rows, and with sums of zero if there is an intercept.
    """
    over = max(
        float((lengths(dual) / s).max()),
        float(lengths(np.asarray(X.T @ dual)).max()) / gamma,
        np.finfo(float).tiny,
    )
    return over, float(np.vdot(Y, dual)) / over
