"""How many labels to predict: the threshold function of Sec. 3.8."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, lsqr

from labelspan.arrays import dense
from labelspan.gate import has_holes
from labelspan.linalg import regress
from labelspan.moments import mean_of, score_at, scores_about

# A dense system whose smaller side exceeds this is solved iteratively, like a sparse one.
MAX_DIRECT = 2000
# Relative accuracy of the iterative least squares; starting at 0 gives the least-norm solution.
LSQR_TOL = 1e-4
# Scores held at a time.
BLOCK = 2**21


@dataclass(frozen=True)
class Threshold:
    """t(x) = coef . (x - mean) + level; labels that score above it are predicted."""

    coef: np.ndarray
    mean: np.ndarray
    level: np.ndarray

    @property
    def intercept(self) -> float:
        """t(0)."""
        return float(score_at(self.mean, -self.coef[:, None], self.level)[0])

    def of(self, X: Any) -> np.ndarray:
        """The threshold t of every row, (n,)."""
        return scores_about(X, self.mean, self.coef[None], self.level)[:, 0]


def fit_threshold(
    X: Any,
    scores: Callable[[Any], np.ndarray],
    Y: Any,
    seen: np.ndarray | None,
    weights: np.ndarray | None = None,
) -> Threshold:
    """Regress the midpoints of Eq. (34) on x, by least squares with an intercept.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Features.
    scores : callable
        Scores (m, n_labels) of rows.
    Y : ndarray or csr_array of shape (n_samples, n_labels)
        Labels in {0, 1}, or NaN where they are not observed. Rows with none or all of the observed
        ones have no midpoint and do not count; if there are no others, t is a constant below (all
        labels) or above (no label) every score.
    seen : ndarray of int or None
        Columns of X that t may use; None means all.
    weights : ndarray of shape (n_samples,) or None
        Weights of the rows in the least squares.

    Returns
    -------
    Threshold
        The least-norm solution if it is not unique.
    """
    if has_holes(Y):
        count, n_seen = np.nansum(Y, axis=1), (~np.isnan(Y)).sum(axis=1)
    else:
        count, n_seen = np.asarray(Y.sum(axis=1)).ravel(), Y.shape[1]
    usable = np.flatnonzero((count > 0) & (count < n_seen))
    columns = X if seen is None else X[:, seen]
    if len(usable) == 0:
        zeros = np.zeros(columns.shape[1])
        return Threshold(zeros, zeros, np.array([1.0 if count.sum() == 0 else -1.0]))
    targets = np.empty(len(usable))
    # Scores of all rows at once would be a second n x q array besides the pairs.
    size = max(1, BLOCK // Y.shape[1])
    for start in range(0, len(usable), size):
        rows = usable[start : start + size]
        targets[start : start + size] = midpoints(scores(X[rows]), Y[rows])
    weights = None if weights is None else weights[usable]
    return least_squares(columns[usable], targets, weights)


def midpoints(scores: Any, Y: Any) -> np.ndarray:
    """Eq. (34): half-way between the lowest relevant and the highest irrelevant score."""
    Y = dense(Y)
    lowest = np.where(Y > 0, scores, np.inf).min(axis=1)
    highest = np.where(Y == 0, scores, -np.inf).max(axis=1)
    return (lowest + highest) / 2


def least_squares(X: Any, target: np.ndarray, weights: np.ndarray | None = None) -> Threshold:
    """Linear regression: direct for a dense X of moderate size, LSQR otherwise."""
    level = np.array([np.average(target, weights=weights)])
    mean = mean_of(X) if weights is None else (weights @ X) / weights.sum()
    if not sparse.issparse(X) and min(X.shape) <= MAX_DIRECT:
        solved = regress(X, target[:, None], 0.0, weights=weights)
        return Threshold(solved.coefficients()[:, 0], mean, level)
    root = np.ones(X.shape[0]) if weights is None else np.sqrt(weights)
    centred = LinearOperator(
        X.shape,
        matvec=lambda w: root * (X @ w.ravel() - float(mean @ w.ravel())),
        rmatvec=lambda r: X.T @ (root * r.ravel()) - mean * float(root @ r.ravel()),
        dtype=np.float64,
    )
    coef = lsqr(centred, root * (target - level), atol=LSQR_TOL, btol=LSQR_TOL)[0]
    return Threshold(coef, mean, level)
