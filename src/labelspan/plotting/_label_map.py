"""A map of the rows in two directions, with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from labelspan.arrays import dense
from labelspan.gate import check_labels
from labelspan.plotting._axes import COLOURS, MARKERS, Display
from labelspan.plotting._shown import shown_labels
from labelspan.system import require

# Black and grey are for other rows.
OTHER, EMPTY = "#C8C8C8", "#5A5A5A"
# With more rows, points are rasterised, so that a vector file stays small.
MANY = 5000


class LabelMapDisplay(Display):
    """Map of rows in two directions of a reducer, with their labels.

    Create it with :meth:`from_estimator` or :meth:`from_projections`, which also draw it.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        The rows in the two directions.
    indicators : ndarray of bool of shape (n_samples, n_shown)
        Which row has which of the labels to show.
    label_names : sequence of str
        Their names.
    empty : ndarray of bool of shape (n_samples,)
        Rows without any label, shown or not.
    axis_names : sequence of two str, default=("direction 0", "direction 1")
        Names of the axes.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan import MDDM
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.plotting import LabelMapDisplay
    >>> yeast = load_yeast()
    >>> reducer = MDDM(2).fit(yeast.X, yeast.Y)
    >>> display = LabelMapDisplay.from_estimator(reducer, yeast.X, yeast.Y, n_labels=4)
    >>> [ax.get_title() for ax in display.axes_][:2]
    ['label 11: 1816 (75 %)', 'label 12: 1799 (74 %)']
    """

    def __init__(
        self,
        *,
        points: np.ndarray,
        indicators: np.ndarray,
        label_names: Sequence[str],
        empty: np.ndarray,
        axis_names: Sequence[str] = ("direction 0", "direction 1"),
    ):
        self.points = points
        self.indicators = indicators
        self.label_names = label_names
        self.empty = empty
        self.axis_names = axis_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        directions: tuple[int, int] = (0, 1),
        labels: Sequence[Any] | None = None,
        n_labels: int = 6,
        style: str = "panels",
        ax: Any = None,
        **kwargs: Any,
    ) -> LabelMapDisplay:
        """Transform the rows by a fitted reducer and draw them.

        Parameters
        ----------
        estimator : estimator
            Fitted transformer with at least two directions.
        X : array-like of shape (n_samples, n_features)
            Features, in any form that the estimator accepts.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or (n_samples,)
            Label indicators, or classes.
        directions, labels, n_labels, style, ax, **kwargs
            As in :meth:`from_projections`.

        Returns
        -------
        LabelMapDisplay
            The drawn map.
        """
        check_is_fitted(estimator)
        projected = estimator.transform(X)
        names = None if hasattr(y, "columns") else getattr(estimator, "label_names_", None)
        return cls.from_projections(
            projected,
            y,
            directions=directions,
            labels=labels,
            n_labels=n_labels,
            label_names=names,
            axis_names=axis_names_of(estimator, directions),
            style=style,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_projections(
        cls,
        projected: Any,
        y: Any,
        *,
        directions: tuple[int, int] = (0, 1),
        labels: Sequence[Any] | None = None,
        n_labels: int = 6,
        label_names: Sequence[str] | None = None,
        axis_names: Sequence[str] | None = None,
        style: str = "panels",
        ax: Any = None,
        **kwargs: Any,
    ) -> LabelMapDisplay:
        """Draw rows that are already projected.

        Parameters
        ----------
        projected : array-like or sparse matrix of shape (n_samples, n_components)
            The output of ``transform``.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or (n_samples,)
            Label indicators, or classes.
        directions : tuple of two int, default=(0, 1)
            Which columns of the projection to draw.
        labels : sequence of int or str, or None
            The labels to show, by number or by name; None means the most frequent ones.
        n_labels : int, default=6
            How many labels to show if `labels` is None.
        label_names : sequence of str or None
            Names of all labels; None means the columns of a frame, the classes, or numbers.
        axis_names : sequence of two str, or None
            Names of the axes.
        style : {"panels", "overlay"}, default="panels"
            One panel per label; or all labels in one panel, nested if a row has several, which is
            readable for up to some hundred rows.
        ax : matplotlib Axes, array of them, or None
            Where to draw: one Axes for "overlay", one per label for "panels"; None makes a figure.
        **kwargs
            Passed to ``Axes.scatter`` for the rows that have a label.

        Returns
        -------
        LabelMapDisplay
            The drawn map.
        """
        points = two_columns(projected, directions)
        check_consistent_length(points, y)
        shown = shown_labels(check_labels(y), label_names, labels, n_labels)
        names = axis_names or [f"direction {k}" for k in directions]
        display = cls(
            points=points,
            indicators=shown.indicators,
            label_names=shown.names,
            empty=shown.empty,
            axis_names=names,
        )
        return display.plot(ax, style=style, **kwargs)

    def plot(self, ax: Any = None, *, style: str = "panels", **kwargs: Any) -> LabelMapDisplay:
        """Draw the map.

        Parameters
        ----------
        ax, style, **kwargs
            As in :meth:`from_projections`.

        Returns
        -------
        LabelMapDisplay
            The drawn map itself.
        """
        if style not in ("panels", "overlay"):
            raise ValueError(f"style={style!r} is not known; use 'panels' or 'overlay'.")
        plt = require("matplotlib.pyplot", "report", "LabelMapDisplay")
        n_axes = len(self.label_names) if style == "panels" else 1
        self.axes_ = self._make_axes(plt, n_axes) if ax is None else given_axes(ax, n_axes, style)
        if style == "panels":
            for k, panel in enumerate(self.axes_):
                self._draw_panel(panel, k, kwargs)
                if ax is not None:
                    self._name_axes(panel, first_column=True, last_row=True)
        else:
            self._draw_overlay(self.axes_[0], kwargs)
        self.ax_ = self.axes_[0]
        self.figure_ = self.ax_.figure
        return self

    def _make_axes(self, plt: Any, n_axes: int) -> np.ndarray:
        """Panels with a common scale in up to three columns; only the outer ones are labelled."""
        if n_axes == 1:
            _, ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
            self._name_axes(ax, first_column=True, last_row=True)
            return np.array([ax], dtype=object)
        columns = min(3, n_axes)
        rows = -(-n_axes // columns)
        size = (3.1 * columns, 2.6 * rows + 0.3)
        figure, grid = plt.subplots(
            rows, columns, figsize=size, layout="constrained", sharex=True, sharey=True
        )
        panels = np.ravel(grid)
        for spare in panels[n_axes:]:
            figure.delaxes(spare)
        for k, panel in enumerate(panels[:n_axes]):
            last = k + columns >= n_axes
            panel.xaxis.set_tick_params(labelbottom=last)
            self._name_axes(panel, first_column=k % columns == 0, last_row=last)
        return panels[:n_axes]

    def _name_axes(self, ax: Any, *, first_column: bool, last_row: bool) -> None:
        if last_row:
            ax.set_xlabel(self.axis_names[0])
        if first_column:
            ax.set_ylabel(self.axis_names[1])

    def _draw_panel(self, ax: Any, k: int, kwargs: dict[str, Any]) -> None:
        has = self.indicators[:, k]
        self._scatter(ax, ~has, color=OTHER, alpha=0.5)
        self._scatter(ax, has, **{"color": COLOURS[k % len(COLOURS)], **kwargs})
        share = 100 * has.mean()
        ax.set_title(f"{self.label_names[k]}: {has.sum()} ({share:.0f} %)", fontsize=10)
        dress(ax)

    def _draw_overlay(self, ax: Any, kwargs: dict[str, Any]) -> None:
        none = ~self.indicators.any(axis=1)
        self._scatter(ax, none & ~self.empty, color=OTHER, alpha=0.6, label="other labels only")
        self._scatter(ax, self.empty, color=EMPTY, marker="x", linewidths=0.8, label="no label")
        # A row with several labels is drawn as nested points: the first label outermost.
        below = np.cumsum(self.indicators[:, ::-1], axis=1)[:, ::-1] - self.indicators
        for k, name in enumerate(self.label_names):
            has = self.indicators[:, k]
            style = {
                "color": COLOURS[k % len(COLOURS)],
                "marker": MARKERS[k // len(COLOURS) % len(MARKERS)],
                "sizes": self._size() * (1 + 1.6 * below[has, k]),
                # Opaque, because mixed colours could look like those of other labels.
                "alpha": 1.0,
                "label": f"{name} ({has.sum()})",
            }
            self._scatter(ax, has, **{**style, **kwargs})
        self._name_axes(ax, first_column=True, last_row=True)
        legend = ax.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
        for handle in legend.legend_handles:
            handle.set_sizes([30.0])
        dress(ax)

    def _scatter(self, ax: Any, rows: np.ndarray, **style: Any) -> None:
        if not rows.any():
            return
        n_rows = len(self.points)
        sizes = style.pop("sizes", self._size())
        defaults = {
            "s": sizes,
            "alpha": float(np.clip(30 / np.sqrt(n_rows), 0.35, 0.9)),
            "linewidths": 0,
            "rasterized": n_rows > MANY,
        }
        ax.scatter(self.points[rows, 0], self.points[rows, 1], **{**defaults, **style})

    def _size(self) -> float:
        return float(np.clip(600 / np.sqrt(len(self.points)), 3, 30))


def axis_names_of(estimator: Any, directions: tuple[int, int]) -> list[str]:
    """Names of the two directions, with their shares of the dependence if known."""
    known = hasattr(estimator, "get_feature_names_out")
    names = list(estimator.get_feature_names_out()) if known else []
    shares = getattr(estimator, "explained_dependence_ratio_", ())
    described = []
    for k in directions:
        name = names[k] if k < len(names) else f"direction {k}"
        described.append(f"{name} ({100 * shares[k]:.0f} %)" if k < len(shares) else str(name))
    return described


def two_columns(projected: Any, directions: tuple[int, int]) -> np.ndarray:
    projected = dense(projected)
    if projected.ndim != 2 or projected.shape[1] < 2:
        n_columns = projected.shape[1] if projected.ndim == 2 else 1
        raise ValueError(
            f"A map needs two directions, but the projection has {n_columns}. "
            "Fit the reducer with n_components=2 or more."
        )
    if len(directions) != 2 or not all(0 <= k < projected.shape[1] for k in directions):
        raise ValueError(
            f"directions={directions!r} is out of range; give two numbers from 0 to "
            f"{projected.shape[1] - 1}."
        )
    return projected[:, list(directions)]


def given_axes(ax: Any, n_axes: int, style: str) -> np.ndarray:
    axes = np.ravel(np.asarray(ax, dtype=object))
    if len(axes) < n_axes or (style == "overlay" and len(axes) > 1):
        raise ValueError(
            f"ax holds {len(axes)} Axes; style={style!r} draws on {n_axes}. "
            f"Pass {n_axes}, or ax=None for a new figure."
        )
    return axes[:n_axes]


def dress(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    ax.margins(0.04)
