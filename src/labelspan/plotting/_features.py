"""Display of the features that count most in each direction."""

from __future__ import annotations

from typing import Any

from labelspan.inspection import top_features
from labelspan.plotting._axes import COLOURS, Chart


class TopFeaturesDisplay(Chart):
    """Bars of the largest weights of each direction, one panel per direction.

    Parameters
    ----------
    table : pandas.DataFrame
        That of :func:`labelspan.inspection.top_features`.
    value : {"weight", "correlation"}, default="weight"
        The column to draw.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan import OPLS
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.plotting import TopFeaturesDisplay
    >>> yeast = load_yeast()
    >>> display = TopFeaturesDisplay.from_estimator(OPLS(2).fit(yeast.X, yeast.Y), 5, X=yeast.X)
    >>> [ax.get_title() for ax in display.axes_]
    ['direction 1', 'direction 2']
    """

    def __init__(self, table: Any, value: str = "weight"):
        self.table = table
        self.value = value

    @classmethod
    def from_estimator(
        cls, estimator: Any, k: int = 10, *, X: Any = None, ax: Any = None
    ) -> TopFeaturesDisplay:
        """Draw the top features of a fitted reducer.

        Parameters
        ----------
        estimator : linear extractor, LabelPLS or Pipeline
            Fitted.
        k : int, default=10
            Features per direction.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features), or None
            Rows: draw correlations with the scores in place of weights.
        ax : array of matplotlib Axes, one per direction, or None
            Where to draw; None makes a figure.

        Returns
        -------
        TopFeaturesDisplay
            The drawn display.
        """
        table = top_features(estimator, k, X=X)
        return cls(table, "weight" if X is None else "correlation").plot(ax)

    def _draw(self, ax: Any) -> None:
        parts = list(self.table.groupby("direction"))
        height = max(len(part) for _, part in parts)
        size = (3.2 * len(parts), 0.28 * height + 1.0)
        panels = self._draw_on(ax, size, columns=len(parts))
        for panel, (direction, part) in zip(panels, parts, strict=True):
            ordered = part[::-1]
            colours = [COLOURS[0] if v > 0 else COLOURS[1] for v in ordered[self.value]]
            panel.barh(ordered["feature"].astype(str), ordered[self.value], color=colours)
            panel.axvline(0, color="black", linewidth=0.8)
            panel.set(title=f"direction {direction}", xlabel=self.value)
            panel.spines[["top", "right"]].set_visible(False)
