"""Display of average ranks: the critical-difference diagram."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.plotting._axes import Display
from labelspan.stats import NemenyiResult

INK, FAINT, ACCENT = "#222222", "#666666", "#b3261e"


class CriticalDifferenceDisplay(Display):
    """Average ranks on a line, with bars over the methods that do not differ.

    The figure of Demsar (JMLR 2006); the best rank is on the left.

    Parameters
    ----------
    result : NemenyiResult
        What :func:`labelspan.stats.nemenyi` returned.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of one Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan.plotting import CriticalDifferenceDisplay
    >>> from labelspan.stats import nemenyi
    >>> result = nemenyi([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6]])
    >>> display = CriticalDifferenceDisplay.from_result(result)
    >>> [text.get_text() for text in display.ax_.texts if text.get_gid() == "method"]
    ['0', '1', '2']
    """

    def __init__(self, result: NemenyiResult):
        self.result = result

    @classmethod
    def from_result(
        cls, result: NemenyiResult, *, ax: Any = None, title: str = ""
    ) -> CriticalDifferenceDisplay:
        """Draw the result of a Nemenyi test.

        Parameters
        ----------
        result : NemenyiResult
            What :func:`labelspan.stats.nemenyi` returned.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of fitting size.
        title : str, default=""
            Title of the diagram.

        Returns
        -------
        CriticalDifferenceDisplay
            The drawn display.
        """
        return cls(result).plot(ax, title=title)

    def plot(self, ax: Any = None, *, title: str = "") -> CriticalDifferenceDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or None
            Where to draw; None makes a figure of fitting size.
        title : str, default=""
            Title of the diagram.

        Returns
        -------
        CriticalDifferenceDisplay
            The display itself.
        """
        average, names = self.result.ranks.average, self.result.ranks.names
        order = np.argsort(average, kind="stable")
        n_left = (len(order) + 1) // 2
        depth = 0.55 + 0.28 * len(self.result.groups)
        self._frame(ax, depth + 0.5 * n_left, max(map(len, names)), title)
        self._scale(len(order))
        self._ruler()
        for level, group in enumerate(self.result.groups):
            ranks, height = average[list(group)], -0.35 - 0.28 * level
            bar = (ranks.min() - 0.04, ranks.max() + 0.04)
            self.ax_.plot(bar, (height, height), color=ACCENT, lw=4, solid_capstyle="round")
        for place, method in enumerate(order):
            left = place < n_left
            row = place if left else len(order) - 1 - place
            self._method(average[method], names[method], -depth - 0.5 * row, left=left)
        return self

    def _frame(self, ax: Any, depth: float, longest: int, title: str) -> None:
        (ax,) = self._draw_on(ax, (5.5 + 0.16 * longest, 0.42 * (depth + 1.9)))
        span = max(self.result.ranks.n_methods - 1, 1)
        margin = span * (0.12 + 0.022 * longest)
        # The ruler may be longer than the scale.
        right = 1 + max(span + margin, 1.05 * self.result.critical_difference)
        ax.set(xlim=(1 - margin, right), ylim=(-depth - 0.1, 1.5))
        ax.set_axis_off()
        ax.set_title(title, color=INK)

    def _scale(self, n_methods: int) -> None:
        self.ax_.plot((1, n_methods), (0, 0), color=INK, lw=1.2)
        for tick in range(1, n_methods + 1):
            self.ax_.plot((tick, tick), (0, 0.16), color=INK, lw=1.2)
            self.ax_.text(tick, 0.24, str(tick), ha="center", va="bottom", color=INK, gid="tick")

    def _ruler(self) -> None:
        ends = (1, 1 + self.result.critical_difference)
        self.ax_.plot(ends, (1.05, 1.05), color=ACCENT, lw=1.5)
        for end in ends:
            self.ax_.plot((end, end), (0.95, 1.15), color=ACCENT, lw=1.5)
        text = f"CD = {self.result.critical_difference:.2f} ($\\alpha$ = {self.result.alpha:g})"
        style = {"ha": "center", "va": "bottom", "color": ACCENT, "gid": "ruler"}
        self.ax_.text(sum(ends) / 2, 1.18, text, **style)

    def _method(self, rank: float, name: str, height: float, *, left: bool) -> None:
        """A line from the rank to the side, the name outside it and the rank inside."""
        span, away = self.result.ranks.n_methods - 1, -1 if left else 1
        edge = (1 if left else span + 1) + away * 0.06 * span
        shift = away * 0.012 * span
        outer, inner = ("right", "left") if left else ("left", "right")
        self.ax_.plot((rank, rank, edge), (0, height, height), color=INK, lw=0.9, zorder=0)
        self.ax_.text(edge + shift, height, name, ha=outer, va="center", color=INK, gid="method")
        style = {"ha": inner, "va": "bottom", "fontsize": 8, "color": FAINT, "gid": "rank"}
        self.ax_.text(edge - shift, height + 0.03, f"{rank:.2f}", **style)
