"""A warning where centring leaves too few digits of a column."""

from __future__ import annotations

import warnings

import numpy as np

from labelspan.arrays import to_host

EPS = float(np.finfo(np.float64).eps)
# A centred column with fewer digits than this gives unreliable coefficients.
DIGITS = 8
# Columns named in the warning.
N_NAMED = 5


def warn_of_lost_digits(mean: np.ndarray, squares: np.ndarray, weight: float) -> None:
    """Warn of columns whose spread is so small relative to their mean that rounding affects it."""
    mean, squares = to_host(mean), to_host(squares)
    spread = np.sqrt(np.maximum(squares, 0.0) / weight) if weight > 0 else np.zeros_like(mean)
    # A constant column is exactly zero after centring, so none of its digits is used.
    lost = np.flatnonzero((spread > 0) & (spread < 10.0**DIGITS * EPS * np.abs(mean)))
    if len(lost) == 0:
        return
    shown = ", ".join(str(j) for j in lost[:N_NAMED]) + (", ..." if len(lost) > N_NAMED else "")
    worst = lost[np.argmin(spread[lost] / np.abs(mean[lost]))]
    warnings.warn(
        f"{len(lost)} column(s) of X ({shown}) vary so little about their mean that float64 "
        f"leaves fewer than {DIGITS} digits of them: column {worst} varies by "
        f"{spread[worst]:.3g} about {mean[worst]:.3g}. Subtract a constant near the mean where "
        "the data are made, or drop these columns.",
        UserWarning,
        stacklevel=2,
    )
