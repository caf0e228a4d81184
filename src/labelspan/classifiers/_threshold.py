"""A threshold for every label, tuned on the scores of any multi-label scorer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from labelspan._blocks import lazily, refuse_dask
from labelspan._classifier import decide, label_scores, remember
from labelspan._compat import (
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
    is_dask_array,
    take_rows,
)
from labelspan._labels import Labels, check_labels


class ThresholdTuner(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""Thresholds that maximise the F1 of every label, around any multi-label scorer.

    .. math:: t_k = \arg\max_t \; \frac{2 \, |\{i : f_k(x_i) > t, \; y_{ik} = 1\}|}
              {|\{i : f_k(x_i) > t\}| + |\{i : y_{ik} = 1\}|}

    Tuning on the training scores is what the shared-subspace paper does [1]_, after Fan and
    Lin [2]_.

    Parameters
    ----------
    estimator : estimator
        Classifier with ``decision_function`` or ``predict_proba``.
    strategy : {"per_label_f1", "cardinality", "fixed"}, default="per_label_f1"
        The best F1 of every label; or one threshold for all labels that predicts as many labels
        a row as the training rows have; or `threshold` for all labels.
    min_labels : int, default=0
        1 gives a row without any predicted label the one whose score is highest above (or
        least below) its threshold.
    threshold : float, default=0.0
        The threshold of "fixed".
    cv : int, splitter, iterable or None, default=None
        Where the scores come from: None takes those of the training rows, anything else
        held-out scores, for which the estimator is fitted once more a fold.
    n_jobs : int or None, default=None
        Number of folds at a time.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds on the scores of ``estimator_``; inf, which predicts nothing, for a label
        without rows under a tuned strategy.
    estimator_ : estimator
        The estimator, fitted on all rows.
    classes_ : ndarray
        Classes of a 1-d `y`; the numbers of the label columns otherwise.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``, if the estimator tells it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the estimator tells them.

    Notes
    -----
    Time O(n log n) a label besides the scores; a threshold lies halfway between the two scores
    it parts. ``decision_function`` is the score minus its threshold, so that 0 parts the
    predictions; for measures that rank the labels of a row take ``estimator_``.

    References
    ----------
    .. [1] S. Ji, L. Tang, S. Yu and J. Ye, "A shared-subspace learning framework for
       multi-label classification", ACM Transactions on Knowledge Discovery from Data 4(2), 2010.
    .. [2] R.-E. Fan and C.-J. Lin, "A study on threshold selection for multi-label
       classification", National Taiwan University, 2007.

    Examples
    --------
    >>> from sklearn.metrics import f1_score
    >>> from labelspan.classifiers import MultiOutputRidge, ThresholdTuner
    >>> from labelspan.datasets import load_yeast
    >>> X, Y = load_yeast().X, load_yeast().Y
    >>> plain = MultiOutputRidge().fit(X, Y)
    >>> tuned = ThresholdTuner(MultiOutputRidge()).fit(X, Y)
    >>> before, after = (f1_score(Y, m.predict(X), average="macro") for m in (plain, tuned))
    >>> after > before
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods("fit")],
        "strategy": [StrOptions({"per_label_f1", "cardinality", "fixed"})],
        "min_labels": [Interval(Integral, 0, None, closed="left")],
        "threshold": [Interval(Real, None, None, closed="neither")],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: Any,
        strategy: str = "per_label_f1",
        *,
        min_labels: int = 0,
        threshold: float = 0.0,
        cv: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.strategy = strategy
        self.min_labels = min_labels
        self.threshold = threshold
        self.cv = cv
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> ThresholdTuner:
        """Fit the estimator and tune the thresholds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, in any form that the estimator takes.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or (n_samples,)
            Label indicators in {0, 1}, bool or {-1, +1}; or a 1-d array of classes.

        Returns
        -------
        ThresholdTuner
            The fitted tuner itself.
        """
        refuse_dask(self, X=X, y=y)
        if y is None:
            raise ValueError("ThresholdTuner requires y to be passed, but the target y is None.")
        labels = check_labels(y)
        check_consistent_length(X, labels.Y)
        target = target_of(y, labels)
        self.estimator_ = clone(self.estimator).fit(X, target)
        remember_features(self)
        remember(self, labels)
        Y = labels.Y.toarray() if sparse.issparse(labels.Y) else labels.Y
        if self.strategy == "fixed":
            self.thresholds_ = np.full(Y.shape[1], float(self.threshold))
        else:
            scores = self._training_scores(X, target, Y.shape[1])
            self.thresholds_ = tuned_thresholds(scores, Y > 0, self.strategy)
        return self

    def decision_function(self, X: Any) -> Any:
        """Scores of the estimator minus the thresholds; positive means predicted.

        Parameters
        ----------
        X : array-like or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels), or (n_samples,) for a 1-d `y` of two classes
            Distances from the thresholds.
        """
        check_is_fitted(self)
        if is_dask_array(X):
            scores = lazily(self, X, self._scores, self._n_labels)
        else:
            scores = self._scores(X)
        binary = self._one_dimensional and len(self.classes_) <= 2
        return scores[:, 0] if binary else scores

    def predict(self, X: Any) -> Any:
        """Predict the labels whose scores are above their thresholds.

        Parameters
        ----------
        X : array-like or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels), or (n_samples,) for a 1-d `y`
            0/1 indicators, or classes.
        """
        return decide(self, self.decision_function(X))

    def _scores(self, X: Any) -> np.ndarray:
        return above(label_scores(self.estimator_, X, self._n_labels), self.thresholds_)

    def _training_scores(self, X: Any, target: Any, n_labels: int) -> np.ndarray:
        if self.cv is None:
            return label_scores(self.estimator_, X, n_labels)
        splits = check_cv(self.cv, target, classifier=True)
        return cross_scores(self.estimator, X, target, n_labels, cv=splits, n_jobs=self.n_jobs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def target_of(y: Any, labels: Labels) -> Any:
    """What the estimator is fitted on: the classes of a 1-d y, 0/1 integers of a 2-d one."""
    if labels.classes is not None:
        return (y.toarray() if sparse.issparse(y) else np.asarray(y)).ravel()
    if sparse.issparse(y):
        return sparse.csr_array(labels.Y).astype(np.int64)
    Y = labels.Y.toarray() if sparse.issparse(labels.Y) else labels.Y
    return Y.astype(np.int64)


def remember_features(wrapper: Any) -> None:
    """Store the number and names of the features, if the fitted estimator inside tells them."""
    for name in ("n_features_in_", "feature_names_in_"):
        wrapper.__dict__.pop(name, None)
        if hasattr(wrapper.estimator_, name):
            setattr(wrapper, name, getattr(wrapper.estimator_, name))


def cross_scores(
    estimator: Any, X: Any, target: Any, n_labels: int, *, cv: Any, n_jobs: int | None
) -> np.ndarray:
    """Scores (n, q) of every row by a clone of `estimator` that was fitted without the row.

    `cv` is a splitter that holds out every row exactly once.
    """
    (X,) = indexable(X)
    splits = list(cv.split(X, target))
    held_out = np.concatenate([test for _, test in splits])
    if not np.array_equal(np.sort(held_out), np.arange(target.shape[0])):
        raise ValueError(
            f"cv={cv!r} does not hold out every row exactly once, but each row needs one "
            "held-out score. Use an integer or a KFold."
        )
    parts = Parallel(n_jobs=n_jobs)(
        delayed(held_out_scores)(clone(estimator), X, target, train, test, n_labels)
        for train, test in splits
    )
    return np.concatenate(parts)[np.argsort(held_out)]


def held_out_scores(
    estimator: Any, X: Any, target: Any, train: np.ndarray, test: np.ndarray, n_labels: int
) -> np.ndarray:
    """Scores of the rows `test` after fitting on the rows `train`."""
    if get_tags(estimator).input_tags.pairwise:
        # A given kernel or distance: its columns are training rows.
        X = sparse.csr_array(X)[:, train] if sparse.issparse(X) else np.asarray(X)[:, train]
    estimator.fit(take_rows(X, train), take_rows(target, train))
    return label_scores(estimator, take_rows(X, test), n_labels)


def above(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Scores minus thresholds in the dtype of the scores; an infinite threshold stays finite."""
    limit = np.finfo(scores.dtype).max
    return scores - np.clip(thresholds, -limit, limit).astype(scores.dtype)


def tuned_thresholds(scores: np.ndarray, positive: np.ndarray, strategy: str) -> np.ndarray:
    """Thresholds (q,) that the scores (n, q) and the labels (n, q) ask for.

    Parameters
    ----------
    scores : ndarray of shape (n, q)
        Scores of the rows to tune on.
    positive : ndarray of bool of shape (n, q)
        Their labels.
    strategy : {"per_label_f1", "cardinality"}
        What to tune.

    Returns
    -------
    ndarray of shape (q,)
        inf for labels without rows.
    """
    thresholds = np.full(scores.shape[1], np.inf)
    present = positive.any(axis=0)
    if not present.any():
        return thresholds
    if strategy == "per_label_f1":
        thresholds[present] = best_f1_cuts(scores[:, present], positive[:, present])
    else:
        pooled = np.sort(scores[:, present], axis=None)[::-1]
        counts = np.arange(1, len(pooled) + 1)
        gap = np.where(cuttable(pooled[:, None])[:, 0], np.abs(counts - positive.sum()), np.inf)
        thresholds[present] = cut_below(pooled[:, None], np.array([np.argmin(gap)]))
    return thresholds


def best_f1_cuts(scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """For every column the cut with the largest F1, the highest of them if there are several."""
    order = np.argsort(-scores, axis=0, kind="stable")
    descending = np.take_along_axis(scores, order, axis=0)
    hits = np.cumsum(np.take_along_axis(positive, order, axis=0), axis=0)
    counts = np.arange(1, len(scores) + 1)[:, None]
    f1 = 2.0 * hits / (counts + hits[-1])
    return cut_below(descending, np.argmax(np.where(cuttable(descending), f1, -1.0), axis=0))


def cuttable(descending: np.ndarray) -> np.ndarray:
    """Where a cut below this row is possible: the next score differs."""
    differs = np.ones(descending.shape, dtype=bool)
    differs[:-1] = descending[1:] < descending[:-1]
    return differs


def cut_below(descending: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Thresholds halfway between the scores of `row` and of the next row, a column each."""
    columns = np.arange(descending.shape[1])
    last = len(descending) - 1
    upper = descending[row, columns]
    lower = descending[np.minimum(row + 1, last), columns]
    middle = lower + (upper - lower) / 2
    # Halfway may round up to the upper score itself, which must stay above the threshold.
    middle = np.where(middle < upper, middle, lower)
    return np.where(row == last, np.nextafter(upper, -np.inf), middle)
