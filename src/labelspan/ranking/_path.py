"""The regularisation path over C; each solution starts from the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from labelspan.gate import check_features, check_labels
from labelspan.ranking._base import generator
from labelspan.ranking._clarank import CLaRankSVM
from labelspan.ranking._dual import DualState
from labelspan.ranking._fit import fit_fixed_weights, warn_unconverged
from labelspan.ranking._pairs import Pairs
from labelspan.ranking._rows import as_rows


@dataclass(frozen=True)
class RankingPath:
    """Solutions of :func:`ranking_path`.

    Attributes
    ----------
    Cs : ndarray of shape (n_costs,)
        Weights of the loss, ascending.
    coefs : ndarray of shape (n_costs, n_labels, n_features)
        Weight vectors.
    intercepts : ndarray of shape (n_costs, n_labels)
        Biases.
    primal_objectives, dual_objectives : ndarray of shape (n_costs,)
        Certificates.
    n_iters : ndarray of int, shape (n_costs,)
        Sweeps spent on each.
    """

    Cs: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    primal_objectives: np.ndarray
    dual_objectives: np.ndarray
    n_iters: np.ndarray

    def scores(self, X: Any) -> np.ndarray:
        """Score the labels of each row at each C.

        Parameters
        ----------
        X : ndarray or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_costs, n_samples, n_labels)
            W'x.
        """
        pairs = zip(self.coefs, self.intercepts, strict=True)
        return np.stack([np.asarray(X @ coef.T + intercept) for coef, intercept in pairs])


def ranking_path(
    X: Any,
    y: Any,
    Cs: Sequence[float] = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
    *,
    mu: float = 0.0,
    tol: float = 1e-3,
    max_iter: int = 1000,
    max_pairs: int | None = None,
    random_state: Any = None,
) -> RankingPath:
    """Fit LaRank (``mu=0``) or CLaRank for many C, each warm-started from the one before.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features.
    y : array-like, sparse matrix or frame of shape (n_samples, n_labels), n_labels > 1
        Label indicators, NaN where they are not observed; or 1-d classes of which there are more
        than two.
    Cs : sequence of float
        Weights of the loss; the default is the paper's grid.
    mu : float, default=0.0
        Weight of the label correlation.
    tol : float, default=1e-3
        Relative duality gap to reach at each C.
    max_iter : int, default=1000
        Largest number of sweeps at each C.
    max_pairs : int or None, default=None
        As in :class:`LaRankSVM`.
    random_state : int, RandomState instance or None, default=None
        As in :class:`LaRankSVM`.

    Returns
    -------
    RankingPath
        A solution for each C, ascending.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.ranking import ranking_path
    >>> yeast = load_yeast()
    >>> path = ranking_path(yeast.X[:300], yeast.Y[:300], [0.1, 1.0], random_state=0)
    >>> path.scores(yeast.X[:5]).shape
    (2, 5, 14)
    """
    costs = check_costs(Cs)
    X = check_features(CLaRankSVM(), X, reset=True)
    Y = check_labels(y, missing=True).Y
    check_consistent_length(X, Y)
    if Y.shape[1] == 1:
        raise ValueError(
            "y has 1 label; a path needs 2 or more. Pass the label, as 0 and 1, with its "
            "complement: np.column_stack([y, 1 - y])."
        )
    rng = generator(random_state)
    dual = DualState(as_rows(X), Pairs.of(Y, max_pairs, rng), costs[0], X.shape[1], Y.shape[1], rng)
    fits, sweeps, covariance = [], [0], None
    for C in costs:
        dual.set_cost(float(C))
        fit = fit_fixed_weights(dual, mu, tol, dual.n_sweeps + max_iter, covariance)
        warn_unconverged(fit.gap, tol, dual.n_sweeps - sweeps[-1], max_iter)
        covariance = fit.covariance if mu > 0 else None
        fits.append(fit)
        sweeps.append(dual.n_sweeps)
    return RankingPath(
        costs,
        np.stack([fit.W[:-1].T for fit in fits]),
        np.stack([fit.W[-1] for fit in fits]),
        np.array([fit.primal for fit in fits]),
        np.array([fit.dual for fit in fits]),
        np.diff(sweeps),
    )


def check_costs(Cs: Sequence[float]) -> np.ndarray:
    """Return sorted positive numbers; raise for the first that is not positive."""
    costs = np.sort(np.asarray(Cs, dtype=np.float64).ravel())
    if len(costs) == 0 or not (costs > 0).all() or not np.isfinite(costs).all():
        raise ValueError(f"Cs is {list(costs)}; it must hold positive numbers, e.g. [0.1, 1, 10].")
    return costs
