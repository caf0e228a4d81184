"""Displays of matrices: label correlation, labels that occur together, scores over a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from labelspan.plotting._axes import Chart, count_axis
from labelspan.ranking import label_correlation, to_correlation

# Labels up to which their names are written at the axes.
MAX_TICKS = 40


class LabelCorrelationDisplay(Chart):
    """Label correlation learnt by a ranking SVM, next to the correlation of the labels.

    Parameters
    ----------
    matrices : dict of str to ndarray of shape (n_labels, n_labels)
        Titles and correlations.
    label_names : sequence of str or None, default=None
        Names for the axes, written for up to 40 labels.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.plotting import LabelCorrelationDisplay
    >>> display = LabelCorrelationDisplay.from_labels(load_yeast().Y)
    >>> display.ax_.get_title()
    'Label correlation, of the labels Y'
    """

    def __init__(self, matrices: dict[str, np.ndarray], label_names: Sequence[str] | None = None):
        self.matrices = matrices
        self.label_names = label_names

    @classmethod
    def from_estimator(
        cls, estimator: Any, y: Any = None, *, ax: Any = None
    ) -> LabelCorrelationDisplay:
        """Draw the learnt label covariance, scaled to a correlation.

        Parameters
        ----------
        estimator : LaRankSVM, CLaRankSVM, MLFS or CMLFS
            Fitted.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or None
            Labels to compare with (Figure 1 of the CMLFS paper); None draws only the learnt one.
        ax : sequence of matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        LabelCorrelationDisplay
            The drawn display.
        """
        check_is_fitted(estimator)
        matrices = {} if y is None else {"of the labels Y": label_correlation(y)}
        matrices["learnt: D, scaled"] = to_correlation(estimator.label_covariance_)
        return cls(matrices, getattr(estimator, "label_names_", None)).plot(ax)

    @classmethod
    def from_labels(
        cls, y: Any, label_names: Sequence[str] | None = None, *, ax: Any = None
    ) -> LabelCorrelationDisplay:
        """Draw the correlation of label columns.

        Parameters
        ----------
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
            Labels.
        label_names : sequence of str or None, default=None
            Names for the axes.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        LabelCorrelationDisplay
            The drawn display.
        """
        return cls({"of the labels Y": label_correlation(y)}, label_names).plot(ax)

    def _draw(self, ax: Any) -> None:
        n_panels = len(self.matrices)
        axes = self._draw_on(ax, (5.0 * n_panels + 0.6, 4.6), 1, n_panels)
        names = self.label_names
        for panel, (title, matrix) in zip(axes, self.matrices.items(), strict=True):
            image = panel.imshow(matrix, cmap="RdBu_r", vmin=-1.0, vmax=1.0)
            panel.set(title=f"Label correlation, {title}", xlabel="label", ylabel="label")
            count_axis(panel.xaxis)
            count_axis(panel.yaxis)
            if names is not None and len(names) == len(matrix) <= MAX_TICKS:
                panel.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
                panel.set_yticks(range(len(names)), names, fontsize=7)
        self.figure_.colorbar(image, ax=list(axes), shrink=0.85, label="correlation")


class LabelCooccurrenceDisplay(Chart):
    """Share of the rows of one label that also have another; the most frequent labels first.

    Parameters
    ----------
    shares : ndarray of shape (n_shown, n_shown)
        Cell (i, j) is the share of the rows of label i that have label j.
    counts : ndarray of int of shape (n_shown,)
        Rows per label.
    label_names : sequence of str
        Their names.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of one Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.plotting import LabelCooccurrenceDisplay
    >>> yeast = load_yeast()
    >>> display = LabelCooccurrenceDisplay.from_labels(yeast.Y, yeast.label_names)
    >>> display.ax_.get_yticklabels()[0].get_text()
    'Class12 (1816)'
    """

    def __init__(self, shares: np.ndarray, counts: np.ndarray, label_names: Sequence[str]):
        self.shares = shares
        self.counts = counts
        self.label_names = label_names

    @classmethod
    def from_labels(
        cls,
        y: Any,
        label_names: Sequence[str] | None = None,
        *,
        max_labels: int = MAX_TICKS,
        ax: Any = None,
    ) -> LabelCooccurrenceDisplay:
        """Count and draw.

        Parameters
        ----------
        y : array or sparse array of shape (n_samples, n_labels)
            Label indicators.
        label_names : sequence of str or None, default=None
            Names for the axes; None for the column numbers.
        max_labels : int, default=40
            Number of labels to draw, the most frequent ones.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        LabelCooccurrenceDisplay
            The drawn display.
        """
        if max_labels < 1:
            raise ValueError(f"max_labels={max_labels}; at least 1 label is drawn")
        order, counts, shares = cooccurrence(y, max_labels)
        names = [str(label_names[i]) if label_names is not None else str(i) for i in order]
        return cls(shares, counts, names).plot(ax)

    def _draw(self, ax: Any) -> None:
        size = 2.0 + 0.25 * min(len(self.counts), MAX_TICKS)
        (ax,) = self._draw_on(ax, (size + 1.5, size))
        image = ax.imshow(self.shares, vmin=0.0, vmax=1.0, cmap="viridis")
        counted = [f"{n} ({c})" for n, c in zip(self.label_names, self.counts, strict=True)]
        ax.set_xticks(range(len(counted)), self.label_names, rotation=90)
        ax.set_yticks(range(len(counted)), counted)
        ax.set(xlabel="also has", ylabel="rows of label (count)")
        self.figure_.colorbar(image, ax=ax, label="share of rows")


class SensitivityDisplay(Chart):
    """Cross-validated score of a shared subspace against alpha and beta.

    Figure 3 of the ML_LS paper; a ring marks the best point.

    Parameters
    ----------
    scores : ndarray of shape (n_alphas, n_betas)
        Mean scores.
    alphas, betas : ndarray
        The grid.
    score_name : str
        Name of the scores.

    Attributes
    ----------
    ax_, axes_, figure_ : Axes, ndarray of one Axes, Figure
        Where it is drawn; `ax_` is the first of `axes_`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from labelspan import SharedSubspaceClassifierCV
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.plotting import SensitivityDisplay
    >>> yeast = load_yeast()
    >>> search = SharedSubspaceClassifierCV([0.1, 1], [0.1, 1], scoring="f1_micro", cv=3)
    >>> SensitivityDisplay.from_estimator(search.fit(yeast.X[:300], yeast.Y[:300])).ax_.get_xlabel()
    'beta'
    """

    def __init__(self, scores: np.ndarray, alphas: np.ndarray, betas: np.ndarray, score_name: str):
        self.scores = scores
        self.alphas = alphas
        self.betas = betas
        self.score_name = score_name

    @classmethod
    def from_estimator(
        cls, estimator: Any, scorer: str | None = None, *, ax: Any = None
    ) -> SensitivityDisplay:
        """Draw the scores of a search.

        Parameters
        ----------
        estimator : SharedSubspaceClassifierCV
            Fitted; of several n_components the chosen one is shown.
        scorer : str or None, default=None
            Name of the scorer; None means the first.
        ax : matplotlib Axes or None
            Where to draw; None makes a figure.

        Returns
        -------
        SensitivityDisplay
            The drawn display.
        """
        results, picked = estimator.cv_results_, estimator.best_params_["n_components"]
        name = scorer or next(key for key in results if key.startswith("mean_test_"))[10:]
        shown = [params["n_components"] == picked for params in results["params"]]
        alphas, i = np.unique(np.asarray(results["param_alpha"], float)[shown], return_inverse=True)
        betas, j = np.unique(np.asarray(results["param_beta"], float)[shown], return_inverse=True)
        scores = np.full((len(alphas), len(betas)), np.nan)
        scores[i, j] = results[f"mean_test_{name}"][shown]
        # A single scorer is called "score" in the results.
        single = name == "score" and isinstance(estimator.scoring, str)
        return cls(scores, alphas, betas, estimator.scoring if single else name).plot(ax)

    def _draw(self, ax: Any) -> None:
        (ax,) = self._draw_on(ax, (6.4, 4.8))
        image = ax.imshow(self.scores, origin="lower", cmap="viridis", aspect="auto")
        row, column = np.unravel_index(np.nanargmax(self.scores), self.scores.shape)
        ax.plot(column, row, "o", markersize=14, markerfacecolor="none", markeredgecolor="red")
        ax.set_xticks(range(len(self.betas)), [f"{b:g}" for b in self.betas], rotation=45)
        ax.set_yticks(range(len(self.alphas)), [f"{a:g}" for a in self.alphas])
        ax.set(xlabel="beta", ylabel="alpha")
        self.figure_.colorbar(image, ax=ax, label=f"mean {self.score_name}")


def cooccurrence(Y: Any, max_labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the most frequent labels, their counts, and the shares P(column | row)."""
    indicators = sparse.csr_array(Y > 0).astype(np.float64)
    counts = indicators.sum(axis=0).astype(np.int64)
    order = np.argsort(-counts, kind="stable")[:max_labels]
    chosen = indicators[:, order]
    common = (chosen.T @ chosen).toarray()
    return order, counts[order], common / np.maximum(counts[order], 1)[:, None]
