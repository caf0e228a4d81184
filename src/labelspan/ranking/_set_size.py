"""How many labels to predict: the threshold function of Sec. 3.8."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, lsqr

from labelspan.arrays import dense
from labelspan.cuts import midpoints
from labelspan.moments import centred, score_at, scores_about
from labelspan.ranking._fit import Fit

# A dense system whose smaller side exceeds this is solved iteratively, like a sparse one.
MAX_DIRECT = 2000
# Relative accuracy of the iterative least squares; starting at 0 gives the least-norm solution.
LSQR_TOL = 1e-4
# Scores held at a time, which stay near the cache.
BLOCK = 2**17


@dataclass(frozen=True)
class Threshold:
    """t(x) = coef . (x - mean) + level; labels that score above it are predicted."""

    coef: np.ndarray
    mean: np.ndarray
    level: np.ndarray
    # The columns of X that t uses, None for all.
    columns: np.ndarray | None = None

    def of(self, X: Any) -> np.ndarray:
        """The threshold t of every row, (n,)."""
        X = X if self.columns is None else X[:, self.columns]
        return scores_about(X, self.mean, self.coef[None], self.level)[:, 0]


def fit_threshold(
    X: Any, Y: Any, usable: np.ndarray, fit: Fit, mean: np.ndarray, weights: np.ndarray | None
) -> Threshold:
    """Regress the midpoints of Eq. (34) on x, by weighted least squares with an intercept.

    Only of `usable` rows; without any, a constant below (all labels) or above every score.
    """
    columns = X if fit.columns is None else X[:, fit.columns]
    if len(usable) == 0:
        zeros = np.zeros(columns.shape[1])
        return Threshold(zeros, zeros, np.array([-1.0 if (Y > 0).sum() else 1.0]), fit.columns)
    W, level = fit.W[:-1], score_at(mean, fit.W[:-1], fit.W[-1])
    targets = np.empty(len(usable))
    # Scores of all rows at once would be a second n x q array besides the pairs.
    size = max(1, BLOCK // Y.shape[1])
    for start in range(0, len(usable), size):
        rows = usable[start : start + size]
        scores = scores_about(X[rows].astype(np.float64, copy=False), mean, W.T, level)
        targets[start : start + size] = midpoints(scores, dense(Y[rows]))
    weights = None if weights is None else weights[usable]
    return replace(least_squares(columns[usable], targets, weights), columns=fit.columns)


def least_squares(X: Any, target: np.ndarray, weights: np.ndarray | None = None) -> Threshold:
    """Linear regression of least norm: by LAPACK for a dense X of moderate size, else by LSQR."""
    level = np.array([np.average(target, weights=weights)])
    w = np.ones(X.shape[0]) if weights is None else weights
    root = np.sqrt(w)
    if not sparse.issparse(X) and min(X.shape) <= MAX_DIRECT:
        rows, mean = centred(X, w)
        rows *= root[:, None]
        return Threshold(np.linalg.lstsq(rows, root * (target - level))[0], mean, level)
    mean = (w @ X) / w.sum()
    about_mean = LinearOperator(
        X.shape,
        matvec=lambda w: root * (X @ w.ravel() - float(mean @ w.ravel())),
        rmatvec=lambda r: X.T @ (root * r.ravel()) - mean * float(root @ r.ravel()),
        dtype=np.float64,
    )
    coef = lsqr(about_mean, root * (target - level), atol=LSQR_TOL, btol=LSQR_TOL)[0]
    return Threshold(coef, mean, level)
