"""Feature selection by mutual information with the labels: nine criteria on tables of counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from labelspan.arrays import dense
from labelspan.compat import Interval, StrOptions
from labelspan.gate import check_size
from labelspan.moments import Sample, collect, scaled
from labelspan.registry import IN_MEMORY
from labelspan.selection._binning import binning_of
from labelspan.selection._scores import FeatureScore
from labelspan.selection._tables import BinnedRows, Counts

#: Criteria that need counts of features and labels only.
OF_PAIRS = ("mim",)
#: Criteria that add a feature at a time: whether the redundancy is a mean over those selected.
GREEDY = {"mrmr": True, "mdmr": True, "lrfs": True, "scls": False, "d2f": False, "pmu": False}
# Scores that differ by less, relative to the largest, are equal: the first feature wins.
TIE = 1e-12


class InformationSelector(FeatureScore):
    r"""Select features by their mutual information with the labels.

    With I(f; l) in bits from counts of binned features, R(f) the sum of I(f; l) over labels and S
    the features selected so far, the next one has the largest

    .. math::
        \text{mim} &: R(f) \\
        \text{mrmr} &: R(f) - \tfrac{1}{|S|}\sum_s I(f; s) \\
        \text{mdmr} &: R(f) - \tfrac{1}{|S|}\sum_s \big(I(f; s) - \sum_l I(f; l \mid s)\big) \\
        \text{scls} &: R(f)\,\big(1 - \sum_s I(f; s) / H(f)\big) \\
        \text{d2f} &: R(f) - \sum_s\sum_l I(f; s; l) \\
        \text{pmu} &: R(f) - \sum_s\sum_l I(f; s; l) - \sum_{l<m} I(f; l; m) \\
        \text{lrfs} &: \sum_{l \ne m} I(f; l \mid m) - \tfrac{1}{|S|}\sum_s I(f; s) \\
        \text{fimf} &: R(f) - \sum_{l<m \in Q} I(f; l; m)

    with I(a; b; c) = I(a; b) - I(a; b | c) and Q the labels of largest entropy. "grro" solves
    (I + alpha F) W + beta W L = I(f; l) once, with F = I(f; g), 1 on its diagonal, and the cosine
    distances L of the labels; its score is the sum of a row of W.

    Parameters
    ----------
    n_features : int, default=10
        Number of features to keep; all, with a warning, if there are fewer.
    criterion : str, default="mim"
        What the next feature maximises: "mim" [1]_, "mrmr" [2]_, "mdmr" [3]_, "scls" [4]_,
        "d2f" [5]_, "pmu" [6]_, "lrfs" [7]_, "fimf" [8]_ or "grro" [9]_.
    bins : int, default=3
        Number of bins per feature, 2 to 100.
    binning : {"width", "quantile", "presence"}, default="width"
        "width": bins of equal width from the smallest to the largest value, which a value on an
        edge belongs to the upper of. "quantile": bins of about equal numbers of rows. "presence":
        zero is one bin and everything else the other, whatever `bins` says; for counts of words.
    n_entropic : int, default=10
        Size of Q, for "fimf".
    alpha : float, default=100.0
        Weight of the redundancy, for "grro".
    beta : float, default=0.1
        Weight of the distances of labels, for "grro".

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Value of the criterion, in bits: of a selected feature when it was selected, of the others
        after the last one.
    label_scores_ : ndarray of shape (n_features, n_labels)
        I(f; l).
    redundancy_ : ndarray of shape (n_features,)
        What the features selected before have taken off the score of each; zeros for the criteria
        without S.
    selection_path_ : ndarray of int, shape (n_selected,)
        Selected features, in the order of selection.
    support_ : ndarray of bool, shape (n_features,)
        Features kept; the first on ties. Features with one bin come last.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the first feature selected; those that were not follow by their scores.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    classes_ : ndarray
        Classes of a 1-d `y`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    All counts are products of sparse matrices, E'Y and E'E with E the indicators of the bins, less
    one bin per feature: the bin of zero, so that sparse X stays sparse. For b bins, c labels per
    row: I(f; l) takes O(nnz(E) c + b D q); each selected feature adds O(nnz(E)), and O(nnz(E) c +
    b^2 D q) with "d2f", "pmu" and "mdmr"; pairs of labels, "pmu" and "lrfs", add O(nnz(E) c^2 +
    b D q^2), "grro" O(D^3). Memory O(nnz(E) + b D q), for "grro" also D^2.

    Only "mim" learns from chunks, with "presence", and from Dask arrays, where "width" takes one
    pass more. "mim", "mrmr" and "scls" take missing labels: I(f; l) is then over the rows where l
    is observed.

    References
    ----------
    .. [1] K. Sechidis, N. Nikolaou and G. Brown, "Information theoretic feature selection in
       multi-label data through composite likelihood", S+SSPR 2014.
    .. [2] H. Peng, F. Long and C. Ding, "Feature selection based on mutual information", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 27(8), 2005.
    .. [3] Y. Lin, Q. Hu, J. Liu and J. Duan, "Multi-label feature selection based on
       max-dependency and min-redundancy", Neurocomputing 168, 2015.
    .. [4] J. Lee and D.-W. Kim, "SCLS: multi-label feature selection based on scalable criterion
       for large label set", Pattern Recognition 66, 2017.
    .. [5] J. Lee and D.-W. Kim, "Mutual information-based multi-label feature selection using
       interaction information", Expert Systems with Applications 42(4), 2015.
    .. [6] J. Lee and D.-W. Kim, "Feature selection for multi-label classification using
       multivariate mutual information", Pattern Recognition Letters 34(3), 2013.
    .. [7] P. Zhang, G. Liu and W. Gao, "Distinguishing two types of labels for multi-label feature
       selection", Pattern Recognition 95, 2019.
    .. [8] J. Lee and D.-W. Kim, "Fast multi-label feature selection based on information-theoretic
       feature ranking", Pattern Recognition 48(9), 2015.
    .. [9] J. Zhang et al., "Multi-label feature selection via global relevance and redundancy
       optimization", IJCAI 2020.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import InformationSelector
    >>> yeast = load_yeast()
    >>> selector = InformationSelector(5, criterion="scls").fit(yeast.X, yeast.Y)
    >>> selector.transform(yeast.X).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions({*OF_PAIRS, *GREEDY, "fimf", "grro"})],
        "bins": [Interval(Integral, 2, 100, closed="both")],
        "binning": [StrOptions({"width", "quantile", "presence"})],
        "n_entropic": [Interval(Integral, 2, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
    }
    _learnt: ClassVar[tuple[str, ...]] = (
        *FeatureScore._learnt, "label_scores_", "redundancy_", "selection_path_",
    )  # fmt: skip
    _size: ClassVar[str] = "n_features"

    def __init__(
        self,
        n_features: int = 10,
        *,
        criterion: str = "mim",
        bins: int = 3,
        binning: str = "width",
        n_entropic: int = 10,
        alpha: float = 100.0,
        beta: float = 0.1,
    ):
        self.n_features = n_features
        self.criterion = criterion
        self.bins = bins
        self.binning = binning
        self.n_entropic = n_entropic
        self.alpha = alpha
        self.beta = beta

    def _refusals(self) -> dict[str, str]:
        found = {}
        if self.criterion not in OF_PAIRS or self.binning == "quantile":
            found["dask"] = IN_MEMORY
        if self.binning != "presence":
            found["streamed_holes"] = (
                "reads the rows twice: for the edges of the bins, then to count"
            )
        if self.criterion not in (*OF_PAIRS, "mrmr", "scls"):
            found["missing_labels"] = f"criterion={self.criterion!r} counts rows by two labels"
            if self.criterion in ("d2f", "mdmr"):
                found["missing_labels"] = (
                    f"criterion={self.criterion!r} counts rows by two features and a label"
                )
        return found

    def _needs_rows(self) -> str:
        if self.criterion not in OF_PAIRS:
            return (
                f"criterion={self.criterion!r} reads the rows for each selected feature. Use fit, "
                "or criterion='mim'."
            )
        if self.binning != "presence":
            return (
                f"binning={self.binning!r} needs the range of the features before the first row. "
                "Use fit, or binning='presence'."
            )
        return ""

    def _summarise(self, sample: Sample) -> Counts | BinnedRows:
        binning = binning_of(sample, self.binning, self.bins)
        check_size(
            (sample.X.shape[1] * binning.n_bins, sample.Y.shape[1]),
            "The counts of all bins of all features by label",
            "Score groups of labels at a time, or drop rare labels or features first.",
        )
        if self.criterion in OF_PAIRS:
            return collect(sample, partial(Counts.of, binning=binning), tall=False)
        return BinnedRows.of(sample.X, sample.Y, sample.weights, binning)

    def _score(self, sums: Any) -> tuple[np.ndarray, np.ndarray]:
        counts = sums if isinstance(sums, Counts) else sums.counts
        self.label_scores_ = counts.relevance()
        usable = counts.features_that_vary()
        if self.criterion in GREEDY:
            worth, redundancy_of = self._greedy(sums)
            mean = GREEDY[self.criterion]
            n_kept = min(self.n_features, len(worth))
            path, taken = greedy(worth, redundancy_of, usable, n_kept, mean)
        else:
            worth = self._closed(sums)
            path, taken = np.zeros(0, dtype=np.int64), np.zeros(len(worth))
        scores = worth - taken
        merit = np.where(usable, scores, -np.inf)
        order = np.concatenate([path, rest_in_order(merit, path)])
        self.redundancy_ = taken
        self.selection_path_ = order[: min(self.n_features, len(order))]
        place = np.empty(len(order))
        place[order] = np.arange(len(order))
        return scores, np.where(usable, -place, -np.inf)

    def _closed(self, sums: Any) -> np.ndarray:
        """Scores of the criteria without selected features."""
        relevance = self.label_scores_.sum(axis=1)
        if self.criterion == "grro":
            return grro(sums, self.label_scores_, self.alpha, self.beta)
        if self.criterion == "fimf":
            order = np.argsort(-sums.counts.label_entropies(), kind="stable")
            return relevance - sums.among_labels(
                self.label_scores_, np.sort(order[: self.n_entropic])
            )
        return relevance

    def _greedy(self, rows: BinnedRows) -> tuple[np.ndarray, Callable[[int], np.ndarray]]:
        """Scores without selected features, and what a selected one takes off."""
        relevance = self.label_scores_.sum(axis=1)
        everything = np.arange(self.label_scores_.shape[1])
        if self.criterion in ("mrmr", "lrfs"):
            if self.criterion == "lrfs":
                pairs = rows.among_labels(self.label_scores_, everything)
                relevance = (len(everything) - 1) * relevance - 2 * pairs
            return relevance, lambda s: rows.shared(rows.joint(rows.groups(s)))
        if self.criterion == "scls":
            entropy = rows.counts.feature_entropies()
            share = np.divide(relevance, entropy, out=np.zeros_like(entropy), where=entropy > 0)
            return relevance, lambda s: share * rows.shared(rows.joint(rows.groups(s)))
        start = relevance
        if self.criterion == "pmu":
            start = relevance - rows.among_labels(self.label_scores_, everything)

        def interaction(s: int) -> np.ndarray:
            groups = rows.groups(s)
            joint = rows.joint(groups)
            given = rows.conditional(groups, joint)
            if self.criterion == "mdmr":
                return rows.shared(joint) - given
            return relevance - given

        return start, interaction


def greedy(
    worth: np.ndarray,
    redundancy_of: Callable[[int], np.ndarray],
    usable: np.ndarray,
    n_kept: int,
    mean: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The features in the order of selection, and what was taken off each, until it was selected.

    The redundancy with the selected features is their sum, or their mean.
    """
    total, taken = np.zeros(len(worth)), np.zeros(len(worth))
    open_ = usable.copy()
    path: list[int] = []
    while open_.any() and len(path) < n_kept:
        scores = np.where(open_, worth - taken, -np.inf)
        best = int(np.argmax(scores >= scores.max() - TIE * np.abs(worth).max()))
        path.append(best)
        open_[best] = False
        total += redundancy_of(best)
        found = total / len(path) if mean else total
        taken = np.where(open_ | ~usable, found, taken)
    return np.array(path, dtype=np.int64), taken


def rest_in_order(merit: np.ndarray, path: np.ndarray) -> np.ndarray:
    """Features that are not in the path, by merit, the first on ties."""
    order = np.argsort(-merit, kind="stable")
    return order[~np.isin(order, path)]


def grro(rows: BinnedRows, relevance: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    """Row sums of the solution W of (I + alpha F) W + beta W L = I(f; l)."""
    D = len(relevance)
    check_size((D, D), "The mutual information of all pairs of features", "Drop features first.")
    redundancy = np.stack([rows.shared(rows.joint(rows.groups(s))) for s in range(D)])
    np.fill_diagonal(redundancy, 1.0)
    of_features, U = linalg.eigh(np.eye(D) + alpha * redundancy)
    of_labels, V = linalg.eigh(beta * cosine_distances(rows))
    sums = of_features[:, None] + of_labels
    if np.abs(sums).min() <= len(sums) * np.finfo(float).eps * np.abs(sums).max():
        raise ValueError(
            f"alpha={alpha:g} and beta={beta:g} give a singular system: an eigenvalue of "
            "I + alpha F and one of beta L add up to zero. Change alpha or beta a little."
        )
    return U @ ((U.T @ relevance @ V / sums) @ V.sum(axis=0))


def cosine_distances(rows: BinnedRows) -> np.ndarray:
    """1 - cosine of all pairs of labels (q, q); 0 for a label without rows."""
    Y = rows.Y
    gram = dense(Y.T @ scaled(Y, rows.weights))
    lengths = np.sqrt(np.diag(gram))
    scale = np.outer(lengths, lengths)
    cosines = np.divide(gram, scale, out=np.ones_like(gram), where=scale > 0)
    np.fill_diagonal(cosines, 1.0)
    return 1.0 - cosines
