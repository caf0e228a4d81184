"""Wilcoxon's signed ranks of one list of differences."""

from __future__ import annotations

import numpy as np
from scipy import stats

# As in SciPy, which takes the normal approximation beyond it in every version.
MAX_EXACT = 50


def signed_rank_test(
    difference: np.ndarray, alternative: str, zero_method: str
) -> tuple[float, float]:
    """Return the statistic and the p-value; SciPy's own choice of method depends on its version."""
    if zero_method == "wilcox":
        difference = difference[difference != 0]
    if not difference.any():
        return 0.0, 1.0
    ranks = stats.rankdata(np.abs(difference))
    shared = ranks[difference == 0].sum() / 2 if zero_method == "zsplit" else 0.0
    gains = ranks[difference > 0].sum() + shared
    losses = ranks[difference < 0].sum() + shared
    statistic = min(gains, losses) if alternative == "two-sided" else gains
    if len(difference) > MAX_EXACT:
        normal = stats.wilcoxon(difference, alternative=alternative, zero_method=zero_method)
        return float(statistic), float(normal.pvalue)
    less, greater = _exact_tails(ranks[difference != 0], gains - shared)
    two_sided = min(1.0, 2 * min(less, greater))
    p_value = {"less": less, "greater": greater, "two-sided": two_sided}[alternative]
    return float(statistic), p_value


def _exact_tails(ranks: np.ndarray, gains: float) -> tuple[float, float]:
    """Chance of a sum of gains as small, and as large, if each sign is that of a fair coin.

    Ranks of ties are whole or half numbers: twice a rank is a place in the distribution.
    """
    chances = np.ones(1)
    for step in np.rint(2 * ranks).astype(int).tolist():
        stay, move = np.pad(chances, (0, step)), np.pad(chances, (step, 0))
        chances = (stay + move) / 2
    place = round(2 * gains)
    less, greater = chances[: place + 1].sum(), chances[place:].sum()
    return min(1.0, float(less)), min(1.0, float(greater))
