"""Display of a bootstrap: eigenvalues with intervals, and angles."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.inspection import BootstrapResult
from labelspan.plotting._axes import COLOURS, Chart, count_axis


class BootstrapDisplay(Chart):
    """Eigenvalues with their intervals, and the angles between subspaces, one panel each.

    Parameters
    ----------
    result : BootstrapResult
        That of :func:`labelspan.inspection.bootstrap`.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of two Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan import MDDM
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.inspection import bootstrap
    >>> from labelspan.plotting import BootstrapDisplay
    >>> yeast = load_yeast()
    >>> model = MDDM(3).fit(yeast.X, yeast.Y)
    >>> result = bootstrap(model, yeast.X, yeast.Y, n_resamples=20)
    >>> len(BootstrapDisplay(result).plot().axes_)
    2
    """

    def __init__(self, result: BootstrapResult):
        self.result = result

    def _draw(self, ax: Any) -> None:
        values, angles = self._draw_on(ax, (8, 3.6), columns=2)
        found = self.result
        places = np.arange(1, len(found.eigenvalues) + 1)
        values.vlines(places, *found.intervals.T, color=COLOURS[0], linewidth=2)
        values.plot(places, found.eigenvalues, "o", color=COLOURS[0])
        values.set(xlabel="direction", ylabel=f"eigenvalue, {found.level:.0%} interval")
        count_axis(values.xaxis)
        angles.hist(found.angles, bins=20, color=COLOURS[0])
        angles.set(xlabel="angle to the subspace of the model, degrees", ylabel="resamples")
        for panel in (values, angles):
            panel.spines[["top", "right"]].set_visible(False)
