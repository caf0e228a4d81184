"""One linear SVM per label, on the features of highest Fisher score for it."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import dense
from labelspan.base import THRESHOLD, LabelClassifier
from labelspan.compat import Interval
from labelspan.gate import Labels
from labelspan.selection._base import cap, keep_features, rank
from labelspan.selection._scores import MultilabelFisherScore


class FisherSVM(LabelClassifier, SelectorMixin, TransformerMixin, BaseEstimator):
    """Features by the Fisher score of each label, and a linear SVM per label on its own.

    The baseline FS+SVM of [1]_: each label is a problem of its own, with the `n_features` features
    of largest score (Fisher score of the rows with the label against those without it) and
    scikit-learn's ``LinearSVC``. As a selector it keeps the features that some label uses.

    Parameters
    ----------
    n_features : int or None, default=10
        Number of features per label, the paper's m; all, with a warning, if there are fewer. None
        means all: linear SVMs without selection.
    C : float, default=1.0
        Weight of the loss, the squared hinge.
    tol : float, default=1e-4
        Tolerance of ``LinearSVC``.
    max_iter : int, default=1000
        Largest number of its iterations per label.
    min_labels : int, default=0
        1 gives a row without any predicted label the one with the highest score.
    random_state : int, RandomState instance or None, default=None
        Order of the rows in ``LinearSVC``.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is 0; "auto" has the best micro-F1 of
        held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features_in_)
        Weights; 0 for features that a label does not use.
    intercept_ : ndarray of shape (n_labels,)
        Scores of x = 0; +1 or -1 for a label that all training rows have or lack.
    support_ : ndarray of bool, shape (n_features_in_,)
        Features that some label uses.
    support_per_label_ : ndarray of bool, shape (n_labels, n_features_in_)
        Features of each label; the first on ties.
    label_scores_ : ndarray of shape (n_features_in_, n_labels)
        Fisher scores; not with ``n_features=None``.
    ranking_ : ndarray of int, shape (n_features_in_,)
        1 for the feature that most labels use; those not kept share the last rank.
    n_iter_ : int
        Largest number of iterations of a label.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    See Also
    --------
    MultilabelFisherScore : The same features for all labels, by the mean score.
    CMLFS : Features that serve all labels together.

    Notes
    -----
    Time O(nnz(X) c + D q) for the scores with c labels per row, and one SVM of `n_features` columns
    per label; memory O(D q). A label is learnt from the rows where it is observed.

    References
    ----------
    .. [1] Q. Gu, Z. Li and J. Han, "Correlated multi-label feature selection", CIKM 2011.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import FisherSVM
    >>> yeast = load_yeast()
    >>> model = FisherSVM(20, random_state=0).fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    >>> model.transform(yeast.X).shape, model.predict(yeast.X[yeast.test]).shape
    ((2417, 84), (917, 14))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features": [Interval(Integral, 1, None, closed="left"), None],
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "min_labels": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
        "threshold": THRESHOLD,
    }
    transform = keep_features

    def __init__(
        self,
        n_features: int | None = 10,
        *,
        C: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 1000,
        min_labels: int = 0,
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        self.n_features = n_features
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.min_labels = min_labels
        self.random_state = random_state
        self.threshold = threshold

    def _learn(self, X: Any, labels: Labels) -> None:
        Y, w = dense(labels.Y), labels.weights
        self.support_per_label_ = self._features(X, Y, w)
        W, intercept = np.zeros((X.shape[1], Y.shape[1])), np.zeros(Y.shape[1])
        self.n_iter_ = 1
        for k, own in enumerate(self.support_per_label_):
            seen, columns = np.flatnonzero(~np.isnan(Y[:, k])), np.flatnonzero(own)
            y = Y[seen, k] > 0
            if y.all() or not y.any():
                intercept[k] = 1.0 if len(y) and y[0] else -1.0
                continue
            rows = X if len(seen) == len(Y) else X[seen]
            machine = LinearSVC(
                C=self.C, tol=self.tol, max_iter=self.max_iter, random_state=self.random_state
            ).fit(rows if own.all() else rows[:, columns], y, None if w is None else w[seen])
            W[columns, k], intercept[k] = machine.coef_[0], machine.intercept_[0]
            self.n_iter_ = max(self.n_iter_, int(machine.n_iter_))
        self.support_: np.ndarray = np.array(self.support_per_label_.any(axis=0))
        self.ranking_ = rank(self.support_per_label_.sum(axis=0), self.support_)
        self._keep(X, W, intercept)

    def _features(self, X: Any, Y: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """Which features each label uses, (q, D)."""
        self.__dict__.pop("label_scores_", None)
        if self.n_features is None:
            return np.ones(Y.T.shape[:1] + X.shape[1:], dtype=bool)
        kept = cap(self.n_features, X.shape[1])
        scores = MultilabelFisherScore(k=1).fit(X, Y, sample_weight=weights).label_scores_
        best = np.argsort(-scores, axis=0, kind="stable")[:kept]
        chosen = np.zeros(scores.shape, dtype=bool)
        np.put_along_axis(chosen, best, True, axis=0)
        # Labels that all rows or none have.
        chosen[:, ~scores.any(axis=0)] = False
        self.label_scores_ = scores
        return chosen.T

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_
