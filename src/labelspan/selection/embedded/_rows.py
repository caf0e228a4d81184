"""What the selectors share that read all rows in every turn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from labelspan.arrays import dense
from labelspan.linalg import is_large_sparse
from labelspan.moments import Moments, Sample, summarise
from labelspan.selection._scores import FeatureScore
from labelspan.selection.embedded._group_lasso import Problem, Solution, lengths, solve

#: What such a selector learns.
ROW_LEARNT = (*FeatureScore._learnt, "coef_", "objectives_", "n_iter_")


def needs_rows(selector: Any) -> str:
    """Why there are no chunks."""
    return "it reads all rows in every turn. Use fit."


def as_they_are(selector: Any, sample: Sample) -> Sample:
    """The rows in place of sums."""
    return sample


def by_weights(selector: Any, sums: Sample) -> tuple[np.ndarray, np.ndarray]:
    """Scores of features: the lengths of the rows of the weights (D, k) that ``_solve`` learns."""
    W = selector._solve(replace(sums, Y=dense(sums.Y).astype(np.float64)))
    selector.coef_ = np.array(W.T, order="C")
    scores = lengths(W)
    return scores, scores


class Regression:
    """min_W |Xc W - Vc|^2 + gamma sum_j |w_j| for one X and changing V, by the gap of the lasso.

    The sums of X are made once; V (n, k) brings its products.
    """

    def __init__(self, sample: Sample):
        solver = "krylov" if is_large_sparse(sample.X) else "scatter"
        self.statistics: Any = summarise(replace(sample, solver=solver), tt=True)
        self.X = sample.X
        self.mean = self.statistics.x_mean
        self.last: Solution | None = None

    def fit(self, V: np.ndarray, gamma: float, tol: float) -> np.ndarray:
        """W (D, k) to a relative gap, from the solution before."""
        Vc = V - V.mean(axis=0)
        given = {"tt": Vc.T @ Vc}
        if isinstance(self.statistics, Moments):
            xt = np.asarray(self.X.T @ Vc) - np.outer(self.mean, Vc.sum(axis=0))
            given["xt"] = xt
        else:
            given["T"] = Vc
        problem = Problem.of(replace(self.statistics, **given))
        # Half of the objective has the squares in the units of the lasso.
        self.last = solve(problem, gamma / 2, self.last, tol, 100_000)
        W = np.zeros((len(problem.xt), V.shape[1]))
        W[self.last.kept] = self.last.W
        return W

    @property
    def gap(self) -> float:
        """Of the last fit."""
        return self.last.bounds.gap if self.last is not None else 0.0

    def fitted(self, W: np.ndarray) -> np.ndarray:
        """Xc W, (n, k)."""
        return np.asarray(self.X @ W) - self.mean @ W
