"""Heat maps of label correlation: learnt, and of the labels themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from labelspan._labels import check_labels


def to_correlation(covariance: np.ndarray) -> np.ndarray:
    """Scale to a unit diagonal; rows of zero variance stay zero."""
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    return covariance * np.outer(scale, scale)


def label_correlation(Y: Any) -> np.ndarray:
    """Correlation of the label columns.

    Parameters
    ----------
    Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
        Label indicators.

    Returns
    -------
    ndarray of shape (n_labels, n_labels)
        Pearson correlation; 0 for a label that no row or every row has.

    Examples
    --------
    >>> from labelspan.ranking import label_correlation
    >>> label_correlation([[1, 0], [0, 1], [1, 0]]).round(6).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    Y = check_labels(Y).Y
    mean = np.asarray(Y.mean(axis=0)).ravel()
    product = Y.T @ Y
    product = product.toarray() if sparse.issparse(product) else product
    covariance = product / Y.shape[0] - np.outer(mean, mean)
    constant = (mean == 0) | (mean == 1)
    covariance[constant] = covariance[:, constant] = 0.0
    return to_correlation(covariance)


def plot_label_correlation(model: Any, Y: Any = None, *, axes: Any = None) -> np.ndarray:
    """Draw the learnt label covariance, scaled to a correlation, beside that of the labels.

    Parameters
    ----------
    model : fitted LaRankSVM, CLaRankSVM, MLFS or CMLFS
        With ``label_covariance_``.
    Y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or None
        Labels to compare with (Figure 1 of the paper); None draws the learnt one alone.
    axes : sequence of matplotlib Axes or None
        Where to draw; None makes a figure.

    Returns
    -------
    ndarray of Axes
        One, or two with `Y`.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.ranking import CLaRankSVM, plot_label_correlation
    >>> yeast = load_yeast()
    >>> model = CLaRankSVM(random_state=0).fit(yeast.X[:300], yeast.Y[:300])
    >>> len(plot_label_correlation(model, yeast.Y))  # doctest: +SKIP
    2
    """
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    check_is_fitted(model)
    panels = [("learnt: D, scaled", to_correlation(model.label_covariance_))]
    if Y is not None:
        panels.insert(0, ("of the labels Y", label_correlation(Y)))
    if axes is None:
        width = 5.0 * len(panels) + 0.6
        _, axes = plt.subplots(1, len(panels), figsize=(width, 4.6), layout="constrained")
    axes = np.atleast_1d(np.asarray(axes, dtype=object))
    if len(axes) < len(panels):
        raise ValueError(f"axes holds {len(axes)} Axes, {len(panels)} are needed.")
    names = getattr(model, "label_names_", None)
    for ax, (title, matrix) in zip(axes, panels, strict=False):
        image = ax.imshow(matrix, cmap="RdBu_r", vmin=-1.0, vmax=1.0)
        ax.set_title(f"Label correlation, {title}")
        ax.set_xlabel("label")
        ax.set_ylabel("label")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(integer=True))
        if names is not None and len(names) == len(matrix) <= 40:
            ax.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
            ax.set_yticks(range(len(names)), names, fontsize=7)
    axes[0].figure.colorbar(image, ax=list(axes[: len(panels)]), shrink=0.85, label="correlation")
    return axes[: len(panels)]
