"""Robust feature selection: rows of the residual and rows of the weights by their lengths."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelspan.compat import Interval
from labelspan.moments import Sample, warn_of_unobserved
from labelspan.registry import COUNTED
from labelspan.selection._scores import FeatureScore
from labelspan.selection.embedded._latent import Graph
from labelspan.selection.embedded._reweighted import Turns
from labelspan.selection.embedded._rows import ROW_LEARNT, as_they_are, by_weights, needs_rows


class RFS(FeatureScore):
    r"""Select the features of a robust regression: no square of a residual.

    .. math:: \min_{W, b} \; \sum_i \|x_i W + b' - y_i\|_2 + \gamma \sum_j \|w_j\|_2

    The problem of [1]_, with an intercept b that is not penalised. A row that no features explain
    counts by its distance, not by its square. `smoothness` adds the term of READER [2]_,
    smoothness tr(W' X' L X W) with the Laplacian L of the graph of nearest rows: scores of
    neighbours are alike, also of rows without labels.

    Parameters
    ----------
    n_features : int, default=10
        Number of features to keep: those with the longest rows of W.
    gamma : float, default=1.0
        Weight of the penalty.
    fit_intercept : bool, default=True
        False is the equation of the paper, without b.
    smoothness : float, default=0.0
        Weight of the graph of the rows.
    n_neighbors : int, default=5
        Number of neighbours in the graph; a pair weighs exp(-d^2 / t), t the mean of d^2.
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
    The dual is max <Y, U> over rows of U of length at most 1 with ``||x_j' U|| <= gamma`` and
    columns that add up to zero; the weighted residuals of a turn, scaled into this set, are the
    certificate. The graph subtracts ``2 smoothness X' L X W`` from ``X' U`` and smoothness
    tr(W' X' L X W) from the objective. Time O(n m^2 + m^3) per turn with m = min(n, D), memory
    O(nnz(X) + m^2); the graph takes O(n^2 D) once.

    Missing labels count for no residual: that of a row is over its observed labels. Labels that
    are observed on the same rows share their systems, each other group has one of its own.

    References
    ----------
    .. [1] F. Nie, H. Huang, X. Cai and C. Ding, "Efficient and robust feature selection via joint
       l2,1-norms minimization", NIPS 2010.
    .. [2] L. Sun, M. Kudo and K. Kimura, "READER: robust semi-supervised multi-label dimension
       reduction", IEICE Transactions on Information and Systems E100.D(10), 2017.

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
        "smoothness": [Interval(Real, 0, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
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
        smoothness: float = 0.0,
        n_neighbors: int = 5,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ):
        self.n_features = n_features
        self.gamma = gamma
        self.fit_intercept = fit_intercept
        self.smoothness = smoothness
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, sample: Sample) -> np.ndarray:
        warn_of_unobserved((~np.isnan(sample.Y)).sum(axis=0))
        smooth = None
        if self.smoothness > 0:
            smooth = 2 * self.smoothness * Graph(sample.X, self.n_neighbors).laplacian
        turns = Turns.of(sample, self.gamma, self.fit_intercept, smooth)
        found = turns.solve(self.tol, self.max_iter)
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

    def _refusals(self) -> dict[str, str]:
        return {"sample_weight": COUNTED} if self.smoothness else {}
