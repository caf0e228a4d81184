"""Upper tails of a null distribution: by its moments, or by draws from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from labelspan.linalg.permutation._null import Null

# Draws that agree with the statistic up to rounding are as large.
ROUNDING = 1e-10


def upper_tail(statistic: Any, null: Null) -> Any:
    """P(S >= statistic) of the Pearson III distribution with these moments; 1 without spread."""
    variance = np.asarray(null.variance, dtype=np.float64)
    spread = np.sqrt(np.where(variance > 0, variance, 1.0))
    z = (np.asarray(statistic) - null.mean) / spread
    return np.where(variance > 0, stats.pearson3.sf(z, null.skewness), 1.0)


def exceeds(drawn: Any, statistic: Any) -> Any:
    """Whether draws are at least as large as the statistic."""
    return drawn >= statistic - ROUNDING * abs(statistic)


def add_one(n_exceeding: Any, n_draws: int) -> Any:
    """The p-value of draws at random, which counts the statistic itself as one of them."""
    return (n_exceeding + 1.0) / (n_draws + 1.0)
