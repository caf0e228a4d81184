"""Feature scores from one pass over the data for all labels."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from labelspan.base import Chunked
from labelspan.compat import Interval, fit_context
from labelspan.gate import (
    check_fit,
    check_size,
    fitting,
    mask_unobserved,
    remember_names,
    with_complement,
)
from labelspan.moments import Sample, collect, warn_of_unobserved
from labelspan.ranking import top_mask
from labelspan.selection._base import cap, keep_features
from labelspan.selection._sums import TINY, Sums, label_sums

# Relative to the sum of squares, less than this is rounding.
ROUNDING = 1e-13


class FeatureScore(Chunked, SelectorMixin, BaseEstimator):
    """Keeps the features with the best scores, as many as the parameter `_size` says."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 1, None, closed="left")],
    }
    _learnt: ClassVar[tuple[str, ...]] = ("scores_", "support_", "ranking_")
    _min_samples: ClassVar[int] = 1
    _about_first: ClassVar[bool] = False
    _size: ClassVar[str] = "k"
    # Whether the best k features for a larger size are those for k.
    _nested: ClassVar[bool] = True
    transform = keep_features

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    @abstractmethod
    def _score(self, sums: Any) -> tuple[np.ndarray, np.ndarray]:
        """Score of each feature, and the order of merit (larger is better)."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, observed: Any = None) -> FeatureScore:
        """Score the features.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features. Sparse input is never made dense; for a Dask array, only sums leave the
            workers.
        y : array-like, sparse matrix, frame or Dask array, (n_samples, n_labels) or (n_samples,)
            Label indicators in {0, 1}, bool or {-1, +1}; or 1-d classes.
        sample_weight : array-like or Dask array of shape (n_samples,), number or None, default=None
            Non-negative row weights: a row of weight k counts as k rows, one of weight 0 as none.
            None means a weight of 1 each.
        observed : array-like or sparse matrix of bool, (n_samples, n_labels), or None, default=None
            Which labels of a sparse `y` are observed, where not all of them are. The labels are
            then made dense.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        y = y if observed is None else mask_unobserved(y, observed)
        with fitting(self):
            X, labels = check_fit(self, X, y, sample_weight, min_samples=self._min_samples)
            self._chunk_solver(X.shape[1], labels.Y.shape[1])
            sums = self._summarise(Sample(X, labels.Y, weights=labels.weights))
            self._drop("_chunks", *self._learnt)
        remember_names(self, labels)
        self._rank(sums)
        return self

    def _chunk_solver(self, n_features: int, n_labels: int) -> str:
        check_size(
            (n_features, n_labels),
            "The sums of all features over the rows of all labels",
            "Score groups of labels at a time, or drop rare labels or features first.",
        )
        return "thin"

    def _summarise(self, sample: Sample) -> Any:
        return collect(sample, self._sums, tall=False)

    def _learn_pooled(self, statistics: Any, rest: np.ndarray, dtype: np.dtype) -> None:
        self._rank(statistics)

    def _rank(self, sums: Any) -> None:
        seen = getattr(sums, "seen", None)
        if seen is not None:
            warn_of_unobserved(seen.weight)
        self.scores_, merit = self._score(sums)
        if np.isneginf(merit).all():
            warnings.warn(
                "No feature separates the labels: every feature is constant, or all labels are "
                "the same. The first features are kept.",
                stacklevel=3,
            )
        self.support_ = top_mask(merit, cap(getattr(self, self._size), len(merit), self._size))
        self.ranking_ = np.empty(len(merit), dtype=np.int64)
        self.ranking_[np.argsort(-merit, kind="stable")] = np.arange(1, len(merit) + 1)

    def _sums(self, X: Any, Y: Any, weights: np.ndarray | None = None) -> Sums:
        return label_sums(X, self._labels(Y), weights)

    def _labels(self, Y: Any) -> Any:
        return Y


class MultilabelFisherScore(FeatureScore):
    r"""Select the features with the largest Fisher score, averaged over the labels.

    .. math:: F_{jk} = \frac{n_k (m_{jk} - m_j)^2 + \bar n_k (\bar m_{jk} - m_j)^2}
        {n_k s_{jk}^2 + \bar n_k \bar s_{jk}^2}

    for feature j and label k, with the means m and variances s of the rows that have the label
    and (barred) of those that lack it: the score of each one-against-all problem in [1]_.

    Parameters
    ----------
    k : int, default=10
        Number of features to keep; all, with a warning, if there are fewer.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Mean of ``label_scores_`` over the labels that some but not all rows have.
    label_scores_ : ndarray of shape (n_features, n_labels)
        Score of each feature for each label. 0 for a constant feature or label; infinite for a
        feature that is constant given the label.
    support_ : ndarray of bool, shape (n_features,)
        Features kept; the first on ties.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
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
    One product X'Y and the sums of X and its squares: time O(nnz(X) c + D q) for c labels per row,
    memory O(D q). With missing labels, the score of a label uses the rows where it is observed; two
    products X'M and (X * X)'M with the mask M of observed entries are added.

    References
    ----------
    .. [1] Q. Gu, Z. Li and J. Han, "Correlated multi-label feature selection", CIKM 2011.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import MultilabelFisherScore
    >>> yeast = load_yeast()
    >>> MultilabelFisherScore(k=5).fit_transform(yeast.X, yeast.Y).shape
    (2417, 5)
    """

    _learnt: ClassVar[tuple[str, ...]] = (*FeatureScore._learnt, "label_scores_")

    def __init__(self, k: int = 10):
        self.k = k

    def _score(self, sums: Sums) -> tuple[np.ndarray, np.ndarray]:
        present = sums.counts
        # Sums over all rows, or per label over the rows where it is observed.
        n: Any = sums.weight if sums.seen is None else np.maximum(sums.seen.weight, TINY)
        x, squares = (
            (sums.x[:, None], sums.squares[:, None])
            if sums.seen is None
            else (sums.seen.x, sums.seen.squares)
        )
        total = np.maximum(squares - x**2 / n, 0.0)
        both = (present > 0) & (present < (1 - ROUNDING) * n)
        share = np.divide(n, present * (n - present), out=np.zeros(len(present)), where=both)
        between = sums.xt - x * (present / n)
        np.multiply(between, between, out=between)
        between *= share
        within = total - between
        # Rounding of a scatter that is zero.
        within[within <= ROUNDING * squares] = 0.0
        between[between <= ROUNDING * squares] = 0.0
        self.label_scores_ = np.zeros_like(between)
        with np.errstate(divide="ignore"):
            np.divide(between, within, out=self.label_scores_, where=between > 0)
        mean = self.label_scores_.sum(axis=1) / max(int(both.sum()), 1)
        return mean, mean


class DiscriminativeRatio(FeatureScore):
    r"""Select the features with the smallest within-label to between-label scatter (SEL of MDDM).

    .. math:: R_j = \frac{\sum_k \sum_{i: y_{ik} = 1} (x_{ij} - \Delta_{jk})^2}
        {\sum_k N_k (\Delta_{jk} - \Delta_j)^2}

    Delta_jk is the mean of feature j over the N_k rows with label k, Delta_j its mean over all
    (row, label) incidences; smaller is better. Labels without rows do not count. This is Eq. (21)
    of [1]_ with the weights N_k, which are missing in print: its text says that the scatters are
    those of LDA, and its tables are reproduced with the weights. ``weighted=False`` gives the
    equation as printed.

    Parameters
    ----------
    k : int, default=10
        Number of features to keep; all, with a warning, if there are fewer.
    weighted : bool, default=True
        Weigh the label means by the number of rows of each label, as LDA does. False is the
        printed Eq. (21), in which a label of one row counts as much as any other.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The ratio; infinite for a feature with the same mean given every label, such as a
        constant one.
    support_ : ndarray of bool, shape (n_features,)
        Features kept; the first on ties.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
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
    Time and memory as for :class:`MultilabelFisherScore`. Sums are over observed incidences. A
    missing label does not count, and N_k counts the rows observed to have label k, so labels that
    are observed more rarely weigh less.

    References
    ----------
    .. [1] Y. Zhang and Z.-H. Zhou, "Multilabel dimensionality reduction via dependence
       maximization", ACM Transactions on Knowledge Discovery from Data 4(3), 2010.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import DiscriminativeRatio
    >>> yeast = load_yeast()
    >>> DiscriminativeRatio(k=5).fit_transform(yeast.X, yeast.Y).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureScore._parameter_constraints,
        "weighted": ["boolean"],
    }

    def __init__(self, k: int = 10, *, weighted: bool = True):
        self.k = k
        self.weighted = weighted

    def _labels(self, Y: Any) -> Any:
        return with_complement(Y)

    def _score(self, sums: Sums) -> tuple[np.ndarray, np.ndarray]:
        used = sums.counts > 0
        counts, xt = sums.counts[used], sums.xt[:, used]
        means = xt / counts
        overall = xt.sum(axis=1) / max(counts.sum(), TINY)
        within = np.maximum(sums.label_squares - (means * xt).sum(axis=1), 0.0)
        weights = counts if self.weighted else np.ones(len(counts))
        between = (means - overall[:, None]) ** 2 @ weights
        between[between <= ROUNDING * (weights.max(initial=0.0) * sums.squares)] = 0.0
        ratio = np.divide(within, between, out=np.full(len(within), np.inf), where=between > 0)
        return ratio, -ratio
