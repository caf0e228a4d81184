"""The Bayesian signed-rank test of two methods."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from labelspan.stats._rounding import rounding_of_difference


@dataclass(frozen=True)
class BayesianResult:
    """Posterior probabilities that the first is better, both are equivalent, the second is better.

    Parameters
    ----------
    first, rope, second : float
        They sum to 1.
    """

    first: float
    rope: float
    second: float


def bayesian_signed_rank(
    first: Any,
    second: Any,
    *,
    rope: float = 0.01,
    prior_strength: float = 0.6,
    n_draws: int = 50_000,
    random_state: Any = None,
) -> BayesianResult:
    """Probability that one method is better in practice than another.

    Parameters
    ----------
    first, second : array-like of shape (n_datasets,)
        A measure of both methods, larger is better.
    rope : float, default=0.01
        Differences up to this size, plus the rounding of the scores, are practically irrelevant.
    prior_strength : float, default=0.6
        Weight of the prior's one pseudo-observation of a difference of 0.
    n_draws : int, default=50000
        Draws from the posterior.
    random_state : int, RandomState or None, default=None
        Seed of the draws.

    Returns
    -------
    BayesianResult

    Notes
    -----
    [1]_: the Dirichlet process weights the differences; a draw votes for the region where the
    weighted share of pairwise means is largest. Time O(n_draws n_datasets^2), memory
    O(n_draws n_datasets).

    References
    ----------
    .. [1] Benavoli, Corani, Demsar and Zaffalon, "Time for a change: a tutorial for comparing
       multiple classifiers through Bayesian analysis", JMLR 2017, section 4.2.

    Examples
    --------
    >>> from labelspan.stats import bayesian_signed_rank
    >>> result = bayesian_signed_rank([0.9, 0.8, 0.95], [0.5, 0.4, 0.5], random_state=0)
    >>> result.first > 0.9
    True
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.ndim != 1 or a.shape != b.shape or not np.isfinite(a - b).all():
        raise ValueError(
            f"first and second have shapes {a.shape} and {b.shape}; give two finite lists of one "
            "length."
        )
    _check_numbers(rope, prior_strength, n_draws)
    differences = np.concatenate([[0.0], a - b])
    slack = np.concatenate([[0.0], rounding_of_difference(a, b)])
    concentration = np.concatenate([[prior_strength], np.ones(len(a))])
    weights = check_random_state(random_state).dirichlet(concentration, n_draws)
    means = (differences[:, None] + differences) / 2
    # 0.82 - 0.81 is 0.01 only up to rounding.
    edge = rope + (slack[:, None] + slack) / 2
    shares = [
        _share(weights, where) for where in (means > edge, np.abs(means) <= edge, means < -edge)
    ]
    votes = np.column_stack(shares)
    winner = votes == votes.max(axis=1, keepdims=True)
    # Regions that share the largest weight share the vote.
    first_share, rope_share, second_share = (winner / winner.sum(axis=1, keepdims=True)).mean(0)
    return BayesianResult(float(first_share), float(rope_share), float(second_share))


def _check_numbers(rope: float, prior_strength: float, n_draws: int) -> None:
    if not (0 <= rope < np.inf and 0 < prior_strength < np.inf):
        raise ValueError(
            f"rope={rope} and prior_strength={prior_strength}; give finite numbers, rope >= 0 and "
            "prior_strength > 0."
        )
    if not isinstance(n_draws, Integral) or n_draws < 1:
        raise ValueError(f"n_draws={n_draws!r}; give an integer of at least 1, such as 50000.")


def _share(weights: np.ndarray, where: np.ndarray) -> np.ndarray:
    return ((weights @ where) * weights).sum(axis=1)
