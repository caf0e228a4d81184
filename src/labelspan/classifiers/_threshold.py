"""Thresholds of the labels, tuned on the scores of any multi-label scorer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import dense
from labelspan.base import label_scores
from labelspan.classifiers._wrapper import Wrapper
from labelspan.compat import HasMethods, Interval, StrOptions
from labelspan.cuts import Cuts, above, best_cuts, learnt, tuned_thresholds
from labelspan.gate import Labels
from labelspan.metrics import goal_of
from labelspan.model_selection import MultilabelStratifiedKFold

# Folds of held-out scores, where `cv` does not say.
N_FOLDS = 5


class ThresholdTuner(Wrapper):
    r"""Thresholds that maximise a measure of the predicted labels, around any multi-label scorer.

    .. math:: t = \arg\max_t \; m\big(Y, \; [f_k(x_i) > t_k]_{ik}\big)

    By default the scores are held-out ones, m is micro-F1, and the threshold of a label is that
    of all labels together, moved towards its own best one by as much as its rows tell: halfway for
    50 positive rows. The shared-subspace paper tunes the F1 of each label on the training scores
    [1]_, after Fan and Lin [2]_, which predicts rare labels far too often.

    Parameters
    ----------
    estimator : estimator
        Classifier with ``decision_function`` or ``predict_proba``.
    strategy : {"auto", "per_label_f1", "cardinality", "fixed"}, default="auto"
        "auto" maximises `measure`. "per_label_f1" is the best F1 of every label; "cardinality" one
        threshold for all labels that predicts as many labels per row as the training rows have;
        "fixed" is `threshold` for all labels.
    measure : str or callable, default="f1_micro"
        What "auto" maximises: "f1_micro", "f1_macro", "f1_samples", a name of
        :data:`labelspan.metrics.MEASURES`, or a scorer of scikit-learn for predicted labels.
    min_labels : int, default=0
        1 gives a row without any predicted label the one whose score is highest above (or
        least below) its threshold.
    threshold : float, default=0.0
        The threshold of "fixed".
    cv : int, splitter, iterable or None, default=None
        Source of the scores: folds, for which the estimator is fitted once more per fold. None
        means five stratified folds for "auto", otherwise the scores of the training rows.
    n_jobs : int or None, default=None
        Number of parallel folds.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds on the scores of ``estimator_``; inf, which predicts nothing, for a label
        without rows under a tuned strategy.
    min_labels_ : int
        1 if "auto" found that rows without a label had better take their best; else `min_labels`.
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
    Time O(n q log n) besides the scores; a threshold lies halfway between the two scores it
    separates. ``decision_function`` is the score minus its threshold, so 0 separates the
    predictions; for measures that rank the labels of a row use ``estimator_``.

    The best cuts for micro-F1 maximise hits minus F1/2 times predictions, label by label, which a
    few rounds find; "f1_macro" starts from the best F1 of each label. For other measures "auto"
    compares 200 thresholds for all labels.

    A threshold is tuned on the rows where its label is observed, "cardinality" on all observed
    entries; the estimator must accept missing labels. Held-out scores of labels that the training
    part of a fold lacks are constants; "auto" and "cardinality" leave them out.

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
    >>> train, test = load_yeast().train, load_yeast().test
    >>> plain = MultiOutputRidge().fit(X[train], Y[train])
    >>> tuned = ThresholdTuner(MultiOutputRidge()).fit(X[train], Y[train])
    >>> predicted = (model.predict(X[test]) for model in (plain, tuned))
    >>> before, after = (f1_score(Y[test], P, average="micro") for P in predicted)
    >>> after > before + 0.02
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods("fit")],
        "strategy": [StrOptions({"auto", "per_label_f1", "cardinality", "fixed"})],
        "measure": [str, callable],
        "min_labels": [Interval(Integral, 0, None, closed="left")],
        "threshold": [Interval(Real, None, None, closed="neither")],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: Any,
        strategy: str = "auto",
        *,
        measure: Any = "f1_micro",
        min_labels: int = 0,
        threshold: float = 0.0,
        cv: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.strategy = strategy
        self.measure = measure
        self.min_labels = min_labels
        self.threshold = threshold
        self.cv = cv
        self.n_jobs = n_jobs

    def _tune(self, X: Any, labels: Labels) -> None:
        found = self._cuts(X, labels)
        self.thresholds_, self.min_labels_ = found.thresholds, found.min_labels

    def _cuts(self, X: Any, labels: Labels) -> Cuts:
        if self.strategy == "fixed":
            return Cuts(np.full(self._n_labels, float(self.threshold)), self.min_labels)
        goal = goal_of(self.measure) if self.strategy == "auto" else None
        Y, scores, seen = dense(labels.Y), None, None
        if labels.missing:
            seen = ~np.isnan(Y)
        cv = N_FOLDS if goal is not None and self.cv is None else self.cv
        if cv is None:
            scores = label_scores(self.estimator_, X, self._n_labels)
        else:
            cv = MultilabelStratifiedKFold(cv) if goal is not None and isinstance(cv, int) else cv
            scores, folds = self._cross_scores(X, labels.target, cv)
            if self.strategy != "per_label_f1":
                seen = learnt(Y > 0, folds, seen)
        if goal is None:
            cuts = tuned_thresholds(scores, Y > 0, self.strategy, observed=seen)
            return Cuts(cuts, self.min_labels)
        if self._one_dimensional and self._n_labels > 1:
            # One class per row: the largest score, whatever the threshold.
            return Cuts(np.zeros(self._n_labels), self.min_labels)
        return best_cuts(scores, Y > 0, goal, observed=seen, min_labels=self.min_labels)

    def _scores(self, X: Any) -> np.ndarray:
        return above(label_scores(self.estimator_, X, self._n_labels), self.thresholds_)
