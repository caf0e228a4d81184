"""Fits that reach any label on the training rows, and so say little about others."""

from __future__ import annotations

import warnings
from collections.abc import Callable

# Share of the n - 1 degrees of freedom from which on a fit without a ridge warns.
NEARLY_ALL = 0.9


def warn_if_any_label_fits(
    n_rows: int, rank: int, scatter: Callable[[], float] | None, ridge: str = "ridge"
) -> None:
    """Warn if features of this rank, without a ridge, fit any label on the training rows.

    Centred labels of n rows have n - 1 degrees of freedom. Features of rank n - 1 fit them all
    exactly, whatever they are; with 90 percent of them, the residuals hold a tenth of the noise
    and the scores of other rows about ten times as much.

    Parameters
    ----------
    n_rows : int
        Training rows.
    rank : int
        Rank of the centred features or of the centred kernel.
    scatter : callable or None
        Returns the sum of their eigenvalues, for the ridge that is proposed: a tenth of the mean.
        Only a warning asks for it, because it may read X.
    ridge : str, default="ridge"
        What to raise.
    """
    if rank < NEARLY_ALL * (n_rows - 1):
        return
    nearly = "" if rank >= n_rows - 1 else "nearly "
    proposal = f", e.g. {0.1 * total / rank:.2g}" if scatter and (total := scatter()) else ""
    warnings.warn(
        f"Without a ridge the features {nearly}fit any label on the {n_rows} training rows: their "
        f"rank is {rank}. Directions and scores are then mostly noise, and where prediction "
        f"errors are all 0 their order means nothing. Set {ridge} > 0{proposal}.",
        UserWarning,
        stacklevel=4,
    )
