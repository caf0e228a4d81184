"""The statistics of a one-pass method, along the route that was chosen."""

from __future__ import annotations

from functools import partial
from typing import Any

from labelspan.moments import Moments, Root, Rows, Sample, collect, warn_of_lost_digits


def summarise(sample: Sample, *, tt: bool) -> Moments | Root | Rows:
    """One pass over the sample.

    Parameters
    ----------
    sample : Sample
        With the solver that was chosen for it.
    tt : bool
        Whether the label scatter is needed.

    Returns
    -------
    Moments, Root or Rows
        All three have ``weight``, ``x_mean``, ``t_mean`` and ``tt``.
    """
    statistics: Any
    if sample.solver == "root":
        statistics = collect(sample, Root.of, whole_sparse=False)
    elif sample.solver == "krylov":
        statistics = Rows.of(sample.X, sample.Y)
    else:
        statistic: Any = partial(Moments.of, xx=sample.solver != "thin", tt=tt)
        statistics = collect(sample, statistic, tall=sample.solver != "thin")
    return checked(statistics)


def checked(statistics: Any) -> Any:
    """The statistics, after a warning of columns that centring has left few digits of."""
    warn_of_lost_digits(statistics.x_mean, statistics.squares, statistics.weight)
    return statistics
