"""Warn about fits that reproduce any labels on the training rows and so do not generalise."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from labelspan.linalg._spectral import spectral
from labelspan.linalg._whiten import is_regular
from labelspan.moments import Root

# A fit without a ridge warns if its rank is at least this share of n - 1.
NEARLY_ALL = 0.9


def warn_if_any_label_fits(
    n_rows: int, rank: int, scatter: Callable[[], float] | None, ridge: str = "ridge"
) -> None:
    """Warn if features of this rank, without a ridge, fit any label on the training rows.

    Centred labels of n rows have n - 1 degrees of freedom. At 90 percent of that rank, residuals
    hold a tenth of the noise. `scatter` gives the sum of eigenvalues, for the proposed ridge.
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


def warn_if_rows_fit(root: Root, n_rows: int, ridge: str) -> None:
    """The same from the factor of the rows; its rank is found where it can be that large."""
    if min(root.Rx.shape) >= NEARLY_ALL * (n_rows - 1):
        rank = len(root.Rx) if is_regular(root) else len(spectral(root).s)
        warn_if_any_label_fits(n_rows, rank, lambda: float(root.squares.sum()), ridge)
