"""The statistics of a one-pass method, along the route that was chosen."""

from __future__ import annotations

from functools import partial
from typing import Any

from labelspan.moments import Moments, Root, Rows, Sample, collect


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
    if sample.solver == "root":
        return collect(sample, Root.of, whole_sparse=False)
    if sample.solver == "krylov":
        return Rows.of(sample.X, sample.Y)
    statistic: Any = partial(Moments.of, xx=sample.solver != "thin", tt=tt)
    return collect(sample, statistic, tall=sample.solver != "thin")
