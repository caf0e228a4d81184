"""How labels occur together, as numbers and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan._system import require

MAX_TICKS = 40


def plot_label_cooccurrence(
    Y: Any,
    label_names: Sequence[str] | None = None,
    *,
    max_labels: int = 40,
    ax: Any = None,
) -> Any:
    """Draw the share of the rows of one label that also have another.

    Cell (i, j) is the share of the rows of label i that have label j; the most frequent
    labels come first.

    Parameters
    ----------
    Y : array or sparse array of shape (n_samples, n_labels)
        Label indicators.
    label_names : sequence of str, optional
        Names for the axes; by default the column numbers.
    max_labels : int, default=40
        Number of labels to draw, the most frequent ones.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes
        The axes with the picture.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from labelspan.datasets import load_yeast, plot_label_cooccurrence
    >>> yeast = load_yeast()
    >>> ax = plot_label_cooccurrence(yeast.Y, yeast.label_names)
    >>> ax.get_yticklabels()[0].get_text()
    'Class12 (1816)'
    >>> matplotlib.pyplot.close(ax.figure)
    """
    if max_labels < 1:
        raise ValueError(f"max_labels={max_labels}; at least 1 label is drawn")
    pyplot = require("matplotlib.pyplot", "report", "plotting")
    order, counts, shares = cooccurrence(Y, max_labels)
    names = [str(label_names[i]) if label_names is not None else str(i) for i in order]
    if ax is None:
        size = 2.0 + 0.25 * min(len(order), MAX_TICKS)
        _, ax = pyplot.subplots(figsize=(size + 1.5, size), layout="constrained")
    image = ax.imshow(shares, vmin=0.0, vmax=1.0, cmap="viridis")
    ax.set_xticks(range(len(order)), names, rotation=90)
    ax.set_yticks(range(len(order)), [f"{n} ({c})" for n, c in zip(names, counts, strict=True)])
    ax.set_xlabel("also has")
    ax.set_ylabel("rows of label (count)")
    ax.figure.colorbar(image, ax=ax, label="share of rows")
    return ax


def cooccurrence(Y: Any, max_labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the most frequent labels, their counts, and the shares P(column | row)."""
    indicators = sp.csr_array(Y > 0).astype(np.float64)
    counts = indicators.sum(axis=0).astype(np.int64)
    order = np.argsort(-counts, kind="stable")[:max_labels]
    chosen = indicators[:, order]
    common = (chosen.T @ chosen).toarray()
    return order, counts[order], common / np.maximum(counts[order], 1)[:, None]
