"""The critical-difference diagram."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.stats._nemenyi import NemenyiResult

INK = "#222222"
ACCENT = "#b3261e"


def critical_difference_diagram(result: NemenyiResult, *, ax: Any = None, title: str = "") -> Any:
    """Draw average ranks on a line, with bars over the methods that do not differ.

    Parameters
    ----------
    result : NemenyiResult
        What `nemenyi` returned.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure of fitting size.
    title : str, default=""
        Title of the diagram.

    Returns
    -------
    matplotlib Axes
        The best rank is on the left; save it by ``ax.figure.savefig(path)``.

    Notes
    -----
    The figure of Demsar (JMLR 2006). Needs matplotlib, which is imported here. Time
    O(n_methods^2).

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan.stats import critical_difference_diagram, nemenyi
    >>> ax = critical_difference_diagram(nemenyi([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6]]))
    >>> [text.get_text() for text in ax.texts if text.get_gid() == "method"]
    ['0', '1', '2']
    """
    average, names = result.ranks.average, result.ranks.names
    order = np.argsort(average, kind="stable")
    n_bars = len(result.groups)
    n_left = (len(order) + 1) // 2
    depth = 0.55 + 0.28 * n_bars
    ax = _axes(ax, result, depth + 0.5 * n_left, max(map(len, names)), title)
    _scale(ax, len(order))
    _ruler(ax, result.critical_difference, result.alpha)
    for level, group in enumerate(result.groups):
        ranks = average[list(group)]
        height = -0.35 - 0.28 * level
        bar = (ranks.min() - 0.04, ranks.max() + 0.04)
        ax.plot(bar, (height, height), color=ACCENT, linewidth=4, solid_capstyle="round")
    for place, method in enumerate(order):
        left = place < n_left
        row = place if left else len(order) - 1 - place
        _label(ax, average[method], names[method], -depth - 0.5 * row, left, len(order))
    return ax


def _axes(ax: Any, result: NemenyiResult, depth: float, longest: int, title: str) -> Any:
    if ax is None:
        from matplotlib import pyplot as plt

        size = (5.5 + 0.16 * longest, 0.42 * (depth + 1.9))
        _, ax = plt.subplots(figsize=size, layout="constrained")
    span = max(result.ranks.n_methods - 1, 1)
    margin = span * (0.12 + 0.022 * longest)
    # The ruler may be longer than the scale.
    right = 1 + max(span + margin, 1.05 * result.critical_difference)
    ax.set_xlim(1 - margin, right)
    ax.set_ylim(-depth - 0.1, 1.5)
    ax.set_axis_off()
    ax.set_title(title, color=INK)
    return ax


def _scale(ax: Any, n_methods: int) -> None:
    ax.plot((1, n_methods), (0, 0), color=INK, linewidth=1.2)
    for tick in range(1, n_methods + 1):
        ax.plot((tick, tick), (0, 0.16), color=INK, linewidth=1.2)
        ax.text(tick, 0.24, str(tick), ha="center", va="bottom", color=INK, gid="tick")


def _ruler(ax: Any, difference: float, alpha: float) -> None:
    ends = (1, 1 + difference)
    ax.plot(ends, (1.05, 1.05), color=ACCENT, linewidth=1.5)
    for end in ends:
        ax.plot((end, end), (0.95, 1.15), color=ACCENT, linewidth=1.5)
    text = f"CD = {difference:.2f} ($\\alpha$ = {alpha:g})"
    ax.text(sum(ends) / 2, 1.18, text, ha="center", va="bottom", color=ACCENT, gid="ruler")


def _label(ax: Any, rank: float, name: str, height: float, left: bool, n_methods: int) -> None:
    edge = 1 - 0.06 * (n_methods - 1) if left else n_methods + 0.06 * (n_methods - 1)
    ax.plot((rank, rank, edge), (0, height, height), color=INK, linewidth=0.9, zorder=0)
    side = "right" if left else "left"
    shift = -0.012 * (n_methods - 1) if left else 0.012 * (n_methods - 1)
    ax.text(edge + shift, height, name, ha=side, va="center", color=INK, gid="method")
    inner = "left" if left else "right"
    ax.text(
        edge - shift,
        height + 0.03,
        f"{rank:.2f}",
        ha=inner,
        va="bottom",
        fontsize=8,
        color="#666666",
        gid="rank",
    )
