"""Displays of curves: errors by codes, training times, scores by features kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from labelspan.labelspace import ErrorCurves, error_curves
from labelspan.plotting._axes import Chart, count_axis, style_of
from labelspan.selection import SelectionPath

PANELS = {
    "hamming_loss": "Hamming loss",
    "encoding": "encoding error",
    "prediction": "prediction error",
    "bound": "bound: encoding + prediction",
}


class ErrorCurvesDisplay(Chart):
    """Four errors of label-space classifiers against the number of codes.

    Figure 1 of Chen and Lin (2012): Hamming loss, encoding error, prediction error and their
    bound (1), one panel each, one curve per method.

    Parameters
    ----------
    curves : mapping of str to ErrorCurves
        Names of the methods and their curves, from :func:`labelspan.labelspace.error_curves`.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of four Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan import CPLST
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.plotting import ErrorCurvesDisplay
    >>> yeast = load_yeast()
    >>> model = CPLST().fit(yeast.X, yeast.Y)
    >>> display = ErrorCurvesDisplay.from_estimator(model, yeast.X, yeast.Y, [1, 7, 14])
    >>> [ax.get_title() for ax in display.axes_][:2]
    ['Hamming loss', 'encoding error']
    """

    def __init__(self, curves: Mapping[str, ErrorCurves]):
        self.curves = curves

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, Ms: Iterable[int] | None = None, *, ax: Any = None
    ) -> ErrorCurvesDisplay:
        """Compute the curves of one fitted classifier and draw them.

        Parameters
        ----------
        estimator : label-space classifier
            Fitted, with as many codes as the curves need.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features of the rows to evaluate.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
            Their labels.
        Ms : iterable of int or None, default=None
            Numbers of codes; None for all.
        ax : array of four matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        ErrorCurvesDisplay
            The drawn display.
        """
        return cls({type(estimator).__name__: error_curves(estimator, X, y, Ms)}).plot(ax)

    @classmethod
    def from_curves(
        cls, curves: Mapping[str, ErrorCurves], *, ax: Any = None
    ) -> ErrorCurvesDisplay:
        """Draw the curves of several methods.

        Parameters
        ----------
        curves : mapping of str to ErrorCurves
            Names of the methods and their curves.
        ax : array of four matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        ErrorCurvesDisplay
            The drawn display.
        """
        return cls(curves).plot(ax)

    def _draw(self, ax: Any) -> None:
        panels = self._draw_on(ax, (9, 6.5), 2, 2)
        for place, (name, curve) in enumerate(self.curves.items()):
            for panel, key in zip(panels, PANELS, strict=True):
                style = style_of(place)
                panel.plot(curve.M, getattr(curve, key), label=name, markersize=4, **style)
        for panel, title in zip(panels, PANELS.values(), strict=True):
            panel.set(title=title, xlabel="number of codes M")
            count_axis(panel.xaxis)
            panel.grid(alpha=0.25)
            panel.spines[["top", "right"]].set_visible(False)
        panels[0].legend(frameon=False)


class TrainingTimesDisplay(Chart):
    """Training time against the number of rows, one line per method, both scales logarithmic.

    Parameters
    ----------
    times : mapping of str to ndarray
        As :func:`labelspan.subspace.training_times` gives it.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of one Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan.plotting import TrainingTimesDisplay
    >>> display = TrainingTimesDisplay.from_times({"size": [100, 200], "ML_LS": [0.1, 0.3]})
    >>> display.ax_.get_xlabel()
    'training rows'
    """

    def __init__(self, times: Mapping[str, Any]):
        self.times = times

    @classmethod
    def from_times(cls, times: Mapping[str, Any], *, ax: Any = None) -> TrainingTimesDisplay:
        """Draw measured times.

        Parameters
        ----------
        times : mapping of str to ndarray
            Seconds per method; "size" holds the numbers of rows.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        TrainingTimesDisplay
            The drawn display.
        """
        return cls(times).plot(ax)

    def _draw(self, ax: Any) -> None:
        (ax,) = self._draw_on(ax, (6.4, 4.8))
        sizes = self.times["size"]
        for place, name in enumerate(name for name in self.times if name != "size"):
            ax.plot(sizes, self.times[name], label=name, **style_of(place))
        ax.set(xscale="log", yscale="log", xlabel="training rows", ylabel="seconds")
        ax.set_xticks(sizes, [f"{size}" for size in sizes])
        ax.set_xticks([], minor=True)
        ax.grid(True, which="both", alpha=0.3)
        ax.legend()


class SelectionPathDisplay(Chart):
    """Area under the ROC curve against the number of features kept, one line per method.

    Figure 2 of the CMLFS paper.

    Parameters
    ----------
    path : SelectionPath
        From :func:`labelspan.selection.selection_path`.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of one Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from labelspan.plotting import SelectionPathDisplay
    >>> from labelspan.selection import SelectionPath
    >>> m = np.array([5, 10])
    >>> path = SelectionPath(m, {"MLFS": m}, {"MLFS": np.array([0.6, 0.7])})
    >>> SelectionPathDisplay.from_path(path).ax_.get_xlabel()
    'number of features kept'
    """

    def __init__(self, path: SelectionPath):
        self.path = path

    @classmethod
    def from_path(cls, path: SelectionPath, *, ax: Any = None) -> SelectionPathDisplay:
        """Draw a comparison.

        Parameters
        ----------
        path : SelectionPath
            From :func:`labelspan.selection.selection_path`.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        SelectionPathDisplay
            The drawn display.
        """
        return cls(path).plot(ax)

    def _draw(self, ax: Any) -> None:
        (ax,) = self._draw_on(ax, (5.5, 4.0))
        for place, (name, auc) in enumerate(self.path.auc.items()):
            order = np.argsort(self.path.n_selected[name], kind="stable")
            kept = self.path.n_selected[name][order]
            ax.plot(kept, auc[order], label=name, **style_of(place))
        ax.set(xlabel="number of features kept", ylabel="AUC, mean over labels")
        ax.grid(alpha=0.3)
        ax.legend()
