"""Axes of a display: the caller's, or those of a new figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from labelspan.system import require

# Colours of Okabe and Ito, safe for colour-blind readers, with markers for print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")


class Display:
    """What all displays share: the axes they were drawn on.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    axes_ : ndarray of matplotlib Axes
        One per panel.
    ax_ : matplotlib Axes
        The first of them.
    """

    figure_: Any
    axes_: np.ndarray
    ax_: Any

    def _draw_on(self, ax: Any, size: tuple[float, float], rows: int = 1, columns: int = 1) -> Any:
        """Axes (rows * columns,): the caller's, or those of a new figure of `size` inches."""
        plt = require("matplotlib.pyplot", "report", type(self).__name__)
        if ax is None:
            ax = plt.subplots(rows, columns, figsize=size, layout="constrained")[1]
        axes = np.ravel(np.asarray(ax, dtype=object))
        n_axes = rows * columns
        if len(axes) != n_axes:
            raise ValueError(
                f"ax holds {len(axes)} Axes; {type(self).__name__} draws on {n_axes}. "
                f"Pass plt.subplots({rows}, {columns})[1], or ax=None for a new figure."
            )
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        return axes


class Chart(Display, ABC):
    """A display that is drawn by its data alone."""

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, array of them if there are several panels, or None
            Where to draw; None makes a figure.

        Returns
        -------
        Display
            The display itself.
        """
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on the given axes, or on a new figure."""


def style_of(place: int) -> dict[str, Any]:
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)]}


def count_axis(axis: Any) -> None:
    axis.set_major_locator(
        require("matplotlib.ticker", "report", "plotting").MaxNLocator(integer=True)
    )
