"""The one abstract parent of classifiers that score every label: gate, classes, decisions."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from labelspan._blocks import lazily
from labelspan._compat import fit_context, is_dask_array
from labelspan._labels import Labels
from labelspan._validation import check_features, check_fit, unchanged_if_refused


class LabelClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """A score for every label; a label is predicted where its score is positive.

    A method says how it learns (``_learn``) and how it scores (``_scores``). This class does the
    rest: the gate, label names, and 1-d `y`, for which one class is predicted by argmax.
    """

    classes_: np.ndarray
    # Whether ``fit`` takes Dask arrays, by statistics of their blocks.
    _streams: ClassVar[bool] = False
    # How many labels a row gets at least; methods with a parameter of this name store it.
    min_labels: int = 0
    _one_dimensional: bool
    _n_labels: int

    @abstractmethod
    def _learn(self, X: Any, labels: Labels) -> None:
        """Learn from checked features and labels."""

    @abstractmethod
    def _scores(self, X: Any) -> np.ndarray:
        """Scores (n, q) of checked features."""

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> LabelClassifier:
        """Learn to score the labels.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features. Sparse input is never made dense.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or (n_samples,)
            Label indicators in {0, 1}, bool or {-1, +1}; or a 1-d array of classes.

        Returns
        -------
        object
            The fitted classifier itself.
        """
        with unchanged_if_refused(self):
            X, labels = check_fit(self, X, y)
            remember(self, labels)
            self._learn(X, labels)
        return self

    def decision_function(self, X: Any) -> Any:
        """Score every label; positive means predicted.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels), or (n_samples,) for a 1-d `y` of two classes
            Scores; for two classes a positive one speaks for ``classes_[1]``.
        """
        check_is_fitted(self)
        if is_dask_array(X):
            scores = lazily(self, X, self._scores, self._n_labels)
        else:
            scores = self._scores(check_features(self, X))
        return scores[:, 0] if self._binary() else scores

    def predict(self, X: Any) -> Any:
        """Predict the labels of every row.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels), or (n_samples,) for a 1-d `y`
            0/1 indicators, or classes.
        """
        return decide(self, self.decision_function(X))

    def _binary(self) -> bool:
        return self._one_dimensional and len(self.classes_) <= 2

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def remember(classifier: Any, labels: Labels) -> None:
    """Store what the labels were: classes of a 1-d y, or column numbers and names of a 2-d one."""
    classifier.__dict__.pop("label_names_", None)
    if labels.names is not None:
        classifier.label_names_ = labels.names
    classifier._one_dimensional = labels.classes is not None
    classifier._n_labels = labels.Y.shape[1]
    numbers = np.arange(classifier._n_labels)
    classifier.classes_ = numbers if labels.classes is None else labels.classes


def target_of(labels: Labels) -> np.ndarray:
    """Labels as scikit-learn takes them: classes for a 1-d y, 0/1 integers for a 2-d one."""
    Y = labels.Y.toarray() if sparse.issparse(labels.Y) else np.asarray(labels.Y)
    if labels.classes is None:
        return Y.astype(np.int64)
    binary = Y.shape[1] == 1
    return labels.classes[Y[:, 0].astype(np.int64) if binary else np.argmax(Y, axis=1)]


def decide(classifier: Any, scores: Any) -> Any:
    """Predictions from the scores that ``decision_function`` gives.

    Parameters
    ----------
    classifier : estimator
        With what :func:`remember` stored and ``min_labels``.
    scores : ndarray or Dask array of shape (n, q) or (n,)
        Positive where a label is predicted.

    Returns
    -------
    ndarray or Dask array of shape (n, q) or (n,)
        0/1 indicators; classes for a 1-d `y`.
    """
    if not classifier._one_dimensional:
        if is_dask_array(scores):
            return scores.map_blocks(assign, classifier.min_labels, dtype=np.int64)
        return assign(scores, classifier.min_labels)
    if scores.ndim == 2:
        return pick(classifier.classes_, scores.argmax(axis=1))
    # One class leaves no choice; its column of Y is empty.
    chosen = (scores > 0) & (len(classifier.classes_) > 1)
    return pick(classifier.classes_, chosen.astype(np.int64))


def pick(classes: np.ndarray, chosen: Any) -> Any:
    """Classes by their numbers, lazily for a Dask array of them."""
    if is_dask_array(chosen):
        return chosen.map_blocks(classes.__getitem__, dtype=classes.dtype)
    return classes[chosen]


def assign(scores: np.ndarray, min_labels: int = 0) -> np.ndarray:
    """0/1 predictions: positive scores, and the highest ones of a row with fewer than min_labels.

    Parameters
    ----------
    scores : ndarray of shape (n, q)
        Positive where a label is predicted.
    min_labels : int, default=0
        Rows with fewer predicted labels get their `min_labels` highest-scoring ones.

    Returns
    -------
    ndarray of shape (n, q), int64
        Indicators.
    """
    predicted = (scores > 0).astype(np.int64)
    n_least = min(min_labels, scores.shape[1])
    if n_least > 0:
        few = np.flatnonzero(predicted.sum(axis=1) < n_least)
        # Stable: of equal scores the first label wins, whatever the machine.
        best = np.argsort(-scores[few], axis=1, kind="stable")[:, :n_least]
        predicted[few[:, None], best] = 1
    return predicted


def label_scores(estimator: Any, X: Any, n_labels: int) -> np.ndarray:
    """Scores (n, q) of a fitted estimator: its decision function, or else its probabilities."""
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
    else:
        scores = estimator.predict_proba(X)
    if isinstance(scores, list):
        # One (n, 2) array a label; a label that was constant in training has one column only.
        ones = [np.atleast_1d(classes)[-1] == 1 for classes in estimator.classes_]
        scores = np.column_stack([p[:, -1] * one for p, one in zip(scores, ones, strict=True)])
    scores = np.asarray(scores).reshape(len(scores), -1)
    return scores[:, -1:] if n_labels == 1 else scores
