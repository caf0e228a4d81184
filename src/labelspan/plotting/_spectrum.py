"""Display of the eigenvalues that reducers keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelspan.plotting._axes import Chart, style_of


class SpectrumDisplay(Chart):
    """Eigenvalues of fitted reducers, and the share of their sum that the first directions keep.

    Figure 1 of Xu et al. (2016): on the left the eigenvalues over the first, on the right the
    cumulative shares, with the number of directions that each method needs for the share.

    Parameters
    ----------
    spectra : mapping of str to ndarray
        Names of the methods and their eigenvalues over the sum of all, descending.
    share : float in (0, 1), default=0.999
        The share that is marked.

    Attributes
    ----------
    counts_ : dict of str to int
        Directions that each method needs for the share; None if those known do not reach it.
    ax_, axes_, figure_ : Axes, ndarray of two Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan import MDDM, MVMD
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.plotting import SpectrumDisplay
    >>> yeast = load_yeast()
    >>> models = {m.__name__: m(None).fit(yeast.X, yeast.Y) for m in (MDDM, MVMD)}
    >>> SpectrumDisplay.from_estimators(models).counts_
    {'MDDM': 11, 'MVMD': 50}
    """

    def __init__(self, spectra: Mapping[str, Any], share: float = 0.999):
        self.spectra = spectra
        self.share = share
        if not 0 < share < 1:
            raise ValueError(f"share={share!r}; expected a number between 0 and 1.")
        sums = {name: np.cumsum(values) for name, values in spectra.items()}
        # Without the slack of a rounding unit, the order of a sum could add a direction.
        reached = {name: total >= share * (1 - 1e-12) for name, total in sums.items()}
        self.counts_ = {
            name: int(np.argmax(at)) + 1 if at.any() else None for name, at in reached.items()
        }

    @classmethod
    def from_estimators(
        cls, estimators: Mapping[str, Any], share: float = 0.999, *, ax: Any = None
    ) -> SpectrumDisplay:
        """Draw the eigenvalues of several fitted reducers.

        Parameters
        ----------
        estimators : mapping of str to reducer
            Names and fitted reducers; ``n_components=None`` keeps every eigenvalue.
        share : float in (0, 1), default=0.999
            The share that is marked.
        ax : array of two matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        SpectrumDisplay
            The drawn display.
        """
        return cls({n: shares_of(model) for n, model in estimators.items()}, share).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, share: float = 0.999, *, ax: Any = None
    ) -> SpectrumDisplay:
        """Draw the eigenvalues of one fitted reducer.

        Parameters
        ----------
        estimator : reducer
            Fitted.
        share : float in (0, 1), default=0.999
            The share that is marked.
        ax : array of two matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        SpectrumDisplay
            The drawn display.
        """
        return cls.from_estimators({type(estimator).__name__: estimator}, share, ax=ax)

    def _draw(self, ax: Any) -> None:
        left, right = self._draw_on(ax, (9, 3.8), 1, 2)
        for place, (name, values) in enumerate(self.spectra.items()):
            places, style = np.arange(1, len(values) + 1), style_of(place)
            count = self.counts_[name]
            left.plot(places, values / values[0], label=name, markersize=3, **style)
            told = name if count is None else f"{name}: {count}"
            right.plot(places, np.cumsum(values), label=told, markersize=3, **style)
        right.axhline(self.share, color="grey", linestyle="--", linewidth=1)
        left.set(yscale="log", xlabel="direction", ylabel="eigenvalue over the first")
        right.set(xscale="log", xlabel="number of directions", ylabel="share of the sum")
        for panel in (left, right):
            panel.grid(alpha=0.25)
            panel.legend(frameon=False)


def shares_of(estimator: Any) -> np.ndarray:
    """Eigenvalues of a fitted reducer over the sum of all, also of those that it does not keep."""
    check_is_fitted(estimator)
    values = np.asarray(estimator.eigenvalues_)
    kept = getattr(estimator, "explained_dependence_ratio_", None)
    if kept is None or len(kept) == 0 or kept[0] <= 0:
        raise ValueError(
            f"{type(estimator).__name__} does not know the sum of its eigenvalues "
            "(explained_dependence_ratio_). Fit it with n_components=None."
        )
    return values * (kept[0] / values[0])
