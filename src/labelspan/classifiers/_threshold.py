"""A threshold for every label, tuned on the scores of any multi-label scorer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import dense
from labelspan.base import label_scores
from labelspan.classifiers._wrapper import Wrapper
from labelspan.compat import HasMethods, Interval, StrOptions
from labelspan.gate import Labels


class ThresholdTuner(Wrapper):
    r"""Thresholds that maximise the F1 of every label, around any multi-label scorer.

    .. math:: t_k = \arg\max_t \; \frac{2 \, |\{i : f_k(x_i) > t, \; y_{ik} = 1\}|}
              {|\{i : f_k(x_i) > t\}| + |\{i : y_{ik} = 1\}|}

    The shared-subspace paper tunes on the training scores [1]_, after Fan and
    Lin [2]_.

    Parameters
    ----------
    estimator : estimator
        Classifier with ``decision_function`` or ``predict_proba``.
    strategy : {"per_label_f1", "cardinality", "fixed"}, default="per_label_f1"
        The best F1 of every label; or one threshold for all labels that predicts as many labels
        per row as the training rows have; or `threshold` for all labels.
    min_labels : int, default=0
        1 gives a row without any predicted label the one whose score is highest above (or
        least below) its threshold.
    threshold : float, default=0.0
        The threshold of "fixed".
    cv : int, splitter, iterable or None, default=None
        Source of the scores: None uses those of the training rows, anything else held-out scores,
        for which the estimator is fitted once more per fold.
    n_jobs : int or None, default=None
        Number of parallel folds.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds on the scores of ``estimator_``; inf, which predicts nothing, for a label
        without rows under a tuned strategy.
    estimator_ : estimator
        The estimator, fitted on all rows.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``, if the estimator has it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the estimator has them.

    Notes
    -----
    Time O(n log n) per label besides the scores; a threshold lies halfway between the two scores it
    separates. ``decision_function`` is the score minus its threshold, so 0 separates the
    predictions; for measures that rank the labels of a row use ``estimator_``.

    A threshold is tuned on the rows where its label is observed, "cardinality" on all observed
    entries; the estimator must accept missing labels. With `cv`, "cardinality" leaves out the
    labels that the training part of a fold lacks, because their scores are constants.

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

    def _tune(self, X: Any, labels: Labels) -> None:
        Y = dense(labels.Y)
        if self.strategy == "fixed":
            self.thresholds_ = np.full(Y.shape[1], float(self.threshold))
        else:
            seen = ~np.isnan(Y) if labels.missing else None
            if self.cv is None:
                scores = label_scores(self.estimator_, X, self._n_labels)
            else:
                scores, folds = self._cross_scores(X, labels.target, self.cv)
                if self.strategy == "cardinality":
                    seen = learnt(Y > 0, folds, seen)
            self.thresholds_ = tuned_thresholds(scores, Y > 0, self.strategy, observed=seen)

    def _scores(self, X: Any) -> np.ndarray:
        return above(label_scores(self.estimator_, X, self._n_labels), self.thresholds_)


def learnt(
    positive: np.ndarray,
    folds: list[tuple[np.ndarray, np.ndarray]],
    observed: np.ndarray | None,
) -> np.ndarray:
    """Which observed labels (n, q) the training part of a row's fold has.

    The scores of the others are constants, which would fill the quota of all labels.
    """
    seen = np.empty(positive.shape, dtype=bool)
    for train, test in folds:
        seen[test] = positive[train].any(axis=0)
    if positive.any() and not (positive & seen).any():
        raise ValueError(
            "strategy='cardinality' counts held-out labels, but no fold of cv trains on a row with "
            "a label it holds out. Pass cv=None, or folds that have each label on both sides: "
            "labelspan.model_selection.MultilabelStratifiedKFold."
        )
    return seen if observed is None else seen & observed


def above(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Scores minus thresholds in the dtype of the scores; an infinite threshold stays finite."""
    limit = np.finfo(scores.dtype).max
    return scores - np.clip(thresholds, -limit, limit).astype(scores.dtype)


def tuned_thresholds(
    scores: np.ndarray,
    positive: np.ndarray,
    strategy: str,
    weights: np.ndarray | None = None,
    observed: np.ndarray | None = None,
) -> np.ndarray:
    """Thresholds (q,) tuned on scores and labels (n, q); inf for labels without rows.

    `strategy` is "per_label_f1" or "cardinality", `weights` (n,) are those of the rows, `observed`
    (n, q) says which labels count.
    """
    thresholds = np.full(scores.shape[1], np.inf)
    present = positive.any(axis=0)
    if not present.any():
        return thresholds
    if strategy == "cardinality":
        w = np.ones(len(scores)) if weights is None else weights
        entries = slice(None) if observed is None else observed[:, present].ravel()
        values = scores[:, present].ravel()[entries]
        order = np.argsort(-values, kind="stable")
        pooled = values[order]
        counts = np.cumsum(np.repeat(w, np.count_nonzero(present))[entries][order])
        wanted = float((w @ (positive if observed is None else positive & observed)).sum())
        gap = np.where(cuttable(pooled[:, None])[:, 0], np.abs(counts - wanted), np.inf)
        thresholds[present] = cut_below(pooled[:, None], np.array([np.argmin(gap)]))
    elif observed is None:
        thresholds[present] = best_f1_cuts(scores[:, present], positive[:, present], weights)
    else:
        for k in np.flatnonzero(present):
            seen = observed[:, k]
            counted = None if weights is None else weights[seen]
            thresholds[[k]] = best_f1_cuts(scores[seen][:, [k]], positive[seen][:, [k]], counted)
    return thresholds


def best_f1_cuts(
    scores: np.ndarray, positive: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """For each column, the cut with the largest F1; the highest cut on ties."""
    order = np.argsort(-scores, axis=0, kind="stable")
    descending = np.take_along_axis(scores, order, axis=0)
    w = np.ones(order.shape) if weights is None else weights[order]
    hits = np.cumsum(w * np.take_along_axis(positive, order, axis=0), axis=0)
    counts = np.cumsum(w, axis=0)
    f1 = 2.0 * hits / (counts + hits[-1])
    return cut_below(descending, np.argmax(np.where(cuttable(descending), f1, -1.0), axis=0))


def cuttable(descending: np.ndarray) -> np.ndarray:
    """Where a cut below this row is possible: the next score differs."""
    differs = np.ones(descending.shape, dtype=bool)
    differs[:-1] = descending[1:] < descending[:-1]
    return differs


def cut_below(descending: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Thresholds halfway between the scores of `row` and of the next row, one per column."""
    columns = np.arange(descending.shape[1])
    last = len(descending) - 1
    upper = descending[row, columns]
    lower = descending[np.minimum(row + 1, last), columns]
    middle = lower + (upper - lower) / 2
    # Halfway may round up to the upper score itself, which must stay above the threshold.
    middle = np.where(middle < upper, middle, lower)
    return np.where(row == last, np.nextafter(upper, -np.inf), middle)
