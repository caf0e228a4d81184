"""The mean of ratios with a stated value of 0/0."""

from __future__ import annotations

import numpy as np


def mean_ratio(numerator: np.ndarray, denominator: np.ndarray, zero_division: float) -> float:
    """Mean of the ratios (n,), where 0/0 gives `zero_division`; NaN leaves those out."""
    ratio = np.full(len(numerator), float(zero_division))
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    ratio = ratio[~np.isnan(ratio)]
    return float(ratio.mean()) if len(ratio) else float("nan")
