"""Display of a search over reducers: scores against dimensions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import resample
from sklearn.utils.validation import check_is_fitted

from labelspan.base import N_SIGNIFICANT, SIGNIFICANT
from labelspan.choice import measure_name, name_of, smallest_within, standard_error
from labelspan.extraction import LabelCCA
from labelspan.plotting._axes import Chart, style_of

# Rows that are tested; of more, so many at random.
MOST_TESTED = 5000


class ReducerCVDisplay(Chart):
    """Cross-validated score against the number of directions, one line per reducer.

    A line is the best score of a reducer at each dimension, over its parameters and those of the
    readout; its band is one standard error. All features are a black line across, PCA is dashed. A
    ring marks the choice, a square the fewest directions within one standard error of the best. A
    dotted line marks the number of directions that are more than noise.

    Parameters
    ----------
    curves : dict of str to ndarray of shape (3, n_dimensions)
        For each reducer the dimensions, the best scores and their standard errors.
    chosen : tuple of float
        Dimension and score of the choice.
    smallest : tuple of float
        Those of the smallest candidate within one standard error of the best.
    score_name : str
        Name of the measure.
    significant : tuple of (int, str) or None, default=None
        Number of directions that are more than noise, and of which reducer.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of one Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan import MVMD, OPLS, ReducerCV
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.plotting import ReducerCVDisplay
    >>> yeast = load_yeast()
    >>> search = ReducerCV([MVMD(), OPLS()], [1, 3, 9], cv=3).fit(yeast.X, yeast.Y)
    >>> display = ReducerCVDisplay.from_estimator(search, yeast.X, yeast.Y)
    >>> [line.get_label() for line in display.ax_.get_lines()][:2]
    ['MVMD()', 'OPLS()']
    >>> display.significant
    (12, 'OPLS')
    """

    def __init__(
        self,
        curves: dict[str, np.ndarray],
        chosen: tuple[float, float],
        smallest: tuple[float, float],
        score_name: str = "score",
        significant: tuple[int, str] | None = None,
    ):
        self.curves = curves
        self.chosen = chosen
        self.smallest = smallest
        self.score_name = score_name
        self.significant = significant

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, Y: Any = None, *, ax: Any = None
    ) -> ReducerCVDisplay:
        """Draw a fitted search.

        Parameters
        ----------
        estimator : ReducerCV
            Fitted, with a scorer that chose.
        X, Y : array-like, sparse matrices or frames, default=None
            The rows of ``fit``, to mark the number of directions that are more than noise: those
            of the chosen reducer where it tests them (``n_components="significant"``), else of
            :class:`labelspan.LabelCCA`. Of more than 5000 rows, 5000 at random are tested.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        ReducerCVDisplay
            The drawn display.
        """
        check_is_fitted(estimator, "best_index_")
        table, name, n_folds = estimator.cv_results_, estimator._picked_by, estimator.n_splits_
        mean, error = table[f"mean_test_{name}"], standard_error(table, name, n_folds)
        sizes = table["mean_n_components"]
        small = smallest_within(table, name, n_folds)
        methods = np.array([name_of(reducer) for reducer in table["param_reducer"]])
        curves = {
            str(method): best_by_size(sizes, mean, error, methods == method)
            for method in dict.fromkeys(methods.tolist())
        }
        points = [(float(sizes[i]), float(mean[i])) for i in (estimator.best_index_, small)]
        found = None if X is None else significant_directions(estimator.best_estimator_, X, Y)
        return cls(curves, points[0], points[1], measure_name(estimator), found).plot(ax)

    def _draw(self, ax: Any) -> None:
        (panel,) = self._draw_on(ax, (7, 4.5))
        for place, (method, (sizes, mean, error)) in enumerate(self.curves.items()):
            style = style_of(place)
            band = {"color": style["color"], "alpha": 0.12, "linewidth": 0}
            if method == "all features":
                best = int(np.argmax(mean))
                panel.axhline(mean[best], color="black", linewidth=1, label=method)
                continue
            style = {**style, "linestyle": "--"} if method == "PCA" else style
            panel.plot(sizes, mean, label=method, markersize=3, **style)
            panel.fill_between(sizes, mean - error, mean + error, **band)
        ring = {"linestyle": "none", "markerfacecolor": "none", "color": "black", "markersize": 11}
        panel.plot(*self.chosen, marker="o", label="chosen", **ring)
        panel.plot(*self.smallest, marker="s", label="smallest within 1 s.e.", **ring)
        if self.significant is not None:
            number, name = self.significant
            dotted = {"color": "black", "linestyle": ":", "linewidth": 1}
            # None has no place on the axis, only in the legend.
            draw = panel.axvline if number else lambda n, **style: panel.plot([], [], **style)
            draw(number, label=f"significant ({name}): {number}", **dotted)
        panel.set(
            xscale="log",
            xlabel="number of directions",
            ylabel=f"{self.score_name}, mean of the folds",
        )
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False, fontsize="small")


def significant_directions(reducer: Any, X: Any, Y: Any) -> tuple[int, str]:
    """How many directions are more than noise at .05, and of which reducer."""
    known = getattr(type(reducer), "_parameter_constraints", {}).get("n_components")
    model = clone(reducer) if known is N_SIGNIFICANT else LabelCCA()
    if X.shape[0] > MOST_TESTED:
        X, Y = resample(X, Y, replace=False, n_samples=MOST_TESTED, random_state=0)
    with warnings.catch_warnings():
        # One direction is kept by the fit if none is significant.
        warnings.simplefilter("ignore", UserWarning)
        model.set_params(n_components=SIGNIFICANT).fit(X, Y)
    return int(np.count_nonzero(model.p_values_ <= model.alpha)), type(model).__name__


def best_by_size(
    sizes: np.ndarray, mean: np.ndarray, error: np.ndarray, mine: np.ndarray
) -> np.ndarray:
    """Dimensions, best score at each and its standard error, (3, n_dimensions)."""
    scored = mine & ~np.isnan(mean) & (sizes > 0)
    present = np.unique(sizes[scored])
    places = [np.flatnonzero(scored & (sizes == size)) for size in present]
    best = [rows[np.argmax(mean[rows])] for rows in places]
    return np.array([present, mean[best], error[best]])
