"""A threshold for every row, predicted by a regressor."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.utils import indexable

from labelspan.arrays import dense
from labelspan.base import label_scores
from labelspan.classifiers._wrapper import Wrapper
from labelspan.compat import HasMethods, Interval, take_rows
from labelspan.cuts import midpoints
from labelspan.gate import Labels


class ThresholdFunction(Wrapper):
    r"""A threshold t(x) for every row, learnt by any regressor, around any multi-label scorer.

    .. math:: t(x_i) = \tfrac12 \Big(\min_{k: y_{ik} = 1} f_k(x_i) + \max_{l: y_{il} = 0}
              f_l(x_i)\Big)

    is the threshold that separates the labels of a training row from the others (Eq. 34 of
    [1]_, after [2]_). A regressor learns it from the features; labels that score above its
    prediction are predicted. :class:`LaRankSVM` and its relatives have the same with linear
    regression built in.

    Parameters
    ----------
    estimator : estimator
        Classifier with ``decision_function`` or ``predict_proba``.
    regressor : regressor or None, default=None
        Learns t(x): any scikit-learn regressor of one target. None means linear regression.
    min_labels : int, default=1
        1 gives a row without any predicted label the one with the highest score.
    cv : int, splitter, iterable or None, default=None
        Source of the scores: folds, for which the estimator is fitted once more per fold; None
        means the scores of the training rows, as in [1]_.
    n_jobs : int or None, default=None
        Number of parallel folds.

    Attributes
    ----------
    estimator_ : estimator
        The estimator, fitted on all rows.
    regressor_ : regressor or None
        The fitted regressor; None if no row has a threshold: if every row has all labels or none,
        and for a single label, whose threshold is 0 (1/2 for probabilities).
    min_labels_ : int
        That of `min_labels`; 0 for a single label.
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
    Rows with all labels or none have no threshold and are left out of the regression; of a row
    with missing labels the observed ones count. ``decision_function`` is the score minus the
    threshold of the row, so 0 separates the predictions and the order of the labels of a row is
    that of ``estimator_``; for measures that compare rows use ``estimator_``.

    References
    ----------
    .. [1] Q. Gu, Z. Li and J. Han, "Correlated multi-label feature selection", CIKM 2011.
    .. [2] A. Elisseeff and J. Weston, "A kernel method for multi-labelled classification",
       NIPS 2001.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from labelspan.classifiers import MultiOutputRidge, ThresholdFunction
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> model = ThresholdFunction(MultiOutputRidge(), KNeighborsRegressor(30))
    >>> model.fit(yeast.X[yeast.train], yeast.Y[yeast.train]).predict(yeast.X[yeast.test]).shape
    (917, 14)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods("fit")],
        "regressor": [HasMethods(["fit", "predict"]), None],
        "min_labels": [Interval(Integral, 0, None, closed="left")],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: Any,
        regressor: Any = None,
        *,
        min_labels: int = 1,
        cv: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.regressor = regressor
        self.min_labels = min_labels
        self.cv = cv
        self.n_jobs = n_jobs

    def _tune(self, X: Any, labels: Labels) -> None:
        if self.cv is None:
            scores = label_scores(self.estimator_, X, self._n_labels)
        else:
            scores, _ = self._cross_scores(X, labels.target, self.cv)
        Y = dense(labels.Y)
        t = midpoints(scores, Y)
        usable = np.flatnonzero(np.isfinite(t))
        # Of a single label, the highest score is no sign of its presence.
        self.min_labels_ = self.min_labels if self._n_labels > 1 else 0
        self.regressor_: Any = None
        self._fallback = self._constant(scores, Y)
        if len(usable):
            model = LinearRegression() if self.regressor is None else clone(self.regressor)
            self.regressor_ = model.fit(take_rows(indexable(X)[0], usable), t[usable])

    def _constant(self, scores: np.ndarray, Y: np.ndarray) -> float:
        """The threshold if no row has one."""
        if self._n_labels == 1:
            return 0.0 if hasattr(self.estimator_, "decision_function") else 0.5
        return float(scores.min() - 1.0 if (Y > 0).any() else scores.max() + 1.0)

    def _scores(self, X: Any) -> np.ndarray:
        scores = label_scores(self.estimator_, X, self._n_labels)
        if self.regressor_ is None:
            return scores - scores.dtype.type(self._fallback)
        t = np.asarray(self.regressor_.predict(X)).reshape(len(scores), 1)
        return scores - t.astype(scores.dtype, copy=False)
