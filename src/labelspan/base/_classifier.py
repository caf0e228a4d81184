"""The abstract parent of all classifiers: validation, classes, decisions, all array types."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import (
    cast,
    dense,
    empty,
    filled_up,
    is_dask_array,
    like,
    moved_to,
    namespace,
    place_fitted,
    precision_of,
)
from labelspan.base._blocks import RowBlocks
from labelspan.base._threshold import (
    as_matrix,
    chosen_thresholds,
    has_threshold,
    keep_thresholds,
)
from labelspan.compat import fit_context, n_rows_of
from labelspan.gate import (
    Labels,
    check_fit,
    dask_rows,
    fitting,
    in_dtype,
    lazily,
    mask_unobserved,
    of_rows,
    scored,
    warn_of_signs,
)
from labelspan.moments import level_at, mean_of, score_at, scores_about

#: What a linear classifier learns.
LINEAR = ("coef_", "intercept_", "_mean", "_level")


class LabelClassifier(RowBlocks, ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Scores every label; a label is predicted if its score exceeds a threshold.

    A method defines how it learns (``_learn``), and how it scores if not linearly (``_scores``).
    This class does the rest: validation, names, classes of a 1-d `y`, sparse labels, Dask arrays.
    """

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    _mean: np.ndarray
    _level: np.ndarray
    # Whether there is a ``decision_function``; classifiers with probabilities show these instead.
    _shows_scores: ClassVar[bool] = True
    # Fewest rows of ``fit``; methods that do not centre need only one.
    _min_samples: ClassVar[int] = 2
    # Smallest number of labels per row; methods with a parameter of this name store it.
    min_labels: int = 0
    # From which score on a label is predicted; methods with a parameter of this name store it.
    threshold: Any = "paper"
    thresholds_: np.ndarray
    _one_dimensional: bool
    _sparse: bool
    _n_labels: int

    @abstractmethod
    def _learn(self, X: Any, labels: Labels) -> None:
        """Learn from checked features and labels."""

    def _scores(self, X: Any) -> np.ndarray:
        """Scores (n, q) of checked features; here ``X @ coef_.T + intercept_``.

        They are computed about the mean of the training rows: far from the origin, the formula
        loses digits.
        """
        return scores_about(X, self._mean, self.coef_, self._level)

    def _thresholds(self, X: Any) -> Any:
        """Thresholds for the scores of checked features: a number, or an array (n, 1)."""
        return 0.0

    def _decisions(self, X: Any) -> Iterator[np.ndarray]:
        """Decisions of :func:`decide` for checked features, by blocks of rows to save memory."""
        yield decide(self, self._scores(X), self._cut(X))

    def _cut(self, X: Any) -> Any:
        """The thresholds that the parameter `threshold` chose, or those of the method."""
        chosen = chosen_thresholds(self)
        return self._thresholds(X) if chosen is None else chosen

    # Checks the arguments of ``fit``.
    _gate: ClassVar[Any] = check_fit

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, observed: Any = None
    ) -> LabelClassifier:
        """Learn to predict the labels.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features. Sparse input is never made dense. Methods that learn from blocks accept Dask
            arrays.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or (n_samples,)
            Label indicators in {0, 1}, bool or {-1, +1} (this warns, because scikit-learn's F1 is
            wrong for it); soft labels in [0, 1] and NaN for missing labels if the method accepts
            them; or a 1-d array of classes. A Dask array of labels needs a Dask array of features.
        sample_weight : array-like or Dask array of shape (n_samples,), number or None, default=None
            Non-negative row weights: a row of weight k counts as k rows, one of weight 0 as none.
            None means a weight of 1 each.
        observed : array-like or sparse matrix of bool, (n_samples, n_labels), or None, default=None
            Which labels of a sparse `y` are observed, where not all of them are. The labels are
            then made dense.

        Returns
        -------
        object
            The fitted classifier itself.
        """
        y = y if observed is None else mask_unobserved(y, observed)
        with fitting(self, "_chunks", "thresholds_", "min_labels_"):
            X, labels = self._gate(X, y, sample_weight, min_samples=self._min_samples)
            if labels.signed:
                warn_of_signs(self)
            self._accept(X, labels)
        return self

    def _accept(self, X: Any, labels: Labels) -> None:
        """Learn from validated input, and remember the form of the labels."""
        remember(self, labels)
        self._learn(X, labels)
        if getattr(self, "threshold", None) == "auto" and has_threshold(self):
            keep_thresholds(self, X, labels)
        place_fitted(self, X)

    def predict(self, X: Any) -> Any:
        """Predict the labels of every row.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_labels), or ndarray of shape (n_samples,)
            0/1 indicators, sparse if the labels of ``fit`` were; classes for a 1-d `y`. A Dask
            array gives a lazy one.
        """
        check_is_fitted(self)
        X = dask_rows(self, X)
        if is_dask_array(X):
            chosen = lazily(self, X, self._chosen, self._width(), np.int64)
            if self._sparse:
                empty = sparse.csr_array((0, 0), dtype=np.int64)
                chosen = chosen.map_blocks(sparse.csr_array, meta=empty)
        else:
            X = self._rows(X)
            if self._sparse:
                blocks = [sparse.csr_array(block) for block in self._decisions(X)]
                return sparse.vstack(blocks, format="csr", dtype=np.int64)
            chosen = self._chosen(X)
        return pick(self.classes_, chosen[:, 0]) if self._one_dimensional else chosen

    def _chosen(self, X: Any) -> np.ndarray:
        """Decisions (n, q) of checked features, or numbers of classes (n, 1)."""
        chosen, stop = empty(X, (n_rows_of(X), self._width()), np.int64), 0
        for block in self._decisions(X):
            start, stop = stop, stop + block.shape[0]
            chosen[start:stop, :] = cast(block, np.int64)
        return chosen

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows whose labels are all predicted correctly.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or (n_samples,)
            True labels, coded as 0/1 or -1/+1, or classes. Labels that are NaN, not observed, do
            not count, and rows without any other label neither.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.

        Returns
        -------
        float
            The subset accuracy.
        """
        given = y, self.predict(X), sample_weight
        truth, predicted, weights = given if self._one_dimensional else scored(*given)
        return float(accuracy_score(truth, predicted, sample_weight=weights))

    @available_if(attrgetter("_shows_scores"))
    def decision_function(self, X: Any) -> Any:
        """Score every label.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels), or (n_samples,) for a 1-d `y` of two classes
            Scores; for two classes a positive score means ``classes_[1]``. A Dask array gives a
            lazy one.
        """
        scores = of_rows(self, X, self._scores, lambda: self._n_labels)
        return scores[:, 0] if self._binary() else scores

    def _width(self) -> int:
        return 1 if self._one_dimensional else self._n_labels

    def _binary(self) -> bool:
        return self._one_dimensional and len(self.classes_) <= 2

    def _remember(self, labels: Labels) -> None:
        remember(self, labels)

    def _known_classes(self) -> np.ndarray | None:
        return self.classes_ if self._one_dimensional else None

    def _keep(self, X: Any, W: np.ndarray, intercept: np.ndarray) -> None:
        """Store weights (D, q) and the scores (q,) at x = 0."""
        mean = mean_of(X)
        self._store_linear(precision_of(X), W, intercept, mean, score_at(mean, W, intercept))

    def _keep_about(
        self,
        X: Any,
        W: np.ndarray,
        mean: np.ndarray,
        level: np.ndarray,
        weights: np.ndarray | None,
    ) -> None:
        """Store weights (D, q) and the scores (q,) at the weighted mean of the rows."""
        # The sums may come from a device.
        W, mean, level = (moved_to(X, array) for array in (W, mean, level))
        intercept = score_at(mean, -W, level)
        level = level_at(X, mean, W, level, weights)
        self._store_linear(precision_of(X), W, intercept, mean, level)

    def _keep_pooled(self, dtype: Any, W: Any, mean: Any, level: Any, rest: Any) -> None:
        """The same if the exact mean is the stored one plus `rest`."""
        self._store_linear(dtype, W, score_at(mean, -W, level), mean, level - rest @ W)

    def _store_linear(self, dtype: Any, W: Any, intercept: Any, mean: Any, level: Any) -> None:
        self.coef_ = in_dtype(W.T, dtype, "coef_")
        self.intercept_ = in_dtype(intercept, dtype, "intercept_")
        self._mean, self._level = mean, level


def remember(classifier: Any, labels: Labels) -> None:
    """Store the form of the labels: classes of a 1-d y; for 2-d, [0, 1] per label, and names.

    scikit-learn reads the type of labels from ``classes_``: two column numbers look like two
    classes.
    """
    classifier.__dict__.pop("label_names_", None)
    if labels.names is not None:
        classifier.label_names_ = labels.names
    classifier._one_dimensional = labels.classes is not None
    classifier._sparse = labels.sparse
    classifier._n_labels = labels.Y.shape[1]
    pairs = np.tile([0, 1], (classifier._n_labels, 1))
    classifier.classes_ = pairs if labels.classes is None else labels.classes


def remember_features(classifier: Any, source: Any) -> None:
    """Copy the number and names of the features from a fitted `source`, if it has them."""
    for name in ("n_features_in_", "feature_names_in_"):
        classifier.__dict__.pop(name, None)
        if hasattr(source, name):
            setattr(classifier, name, getattr(source, name))


def decide(classifier: Any, scores: np.ndarray, thresholds: Any = 0.0) -> np.ndarray:
    """Whether rows have labels (n, q), or for a 1-d `y` the numbers of classes (n, 1)."""
    if not classifier._one_dimensional:
        least = getattr(classifier, "min_labels_", classifier.min_labels)
        return assign(scores, thresholds, least)
    if scores.shape[1] > 1:
        return namespace(scores).argmax(scores, axis=1)[:, None]
    # One class leaves no choice; its column of Y is empty.
    return cast((scores > thresholds) & (len(classifier.classes_) > 1), np.int64)


def pick(classes: np.ndarray, chosen: Any) -> Any:
    """Classes by their numbers, lazily for a Dask array, on a device if they are numbers."""
    if is_dask_array(chosen):
        return chosen.map_blocks(classes.__getitem__, dtype=classes.dtype)
    found = classes[dense(chosen)]
    return like(chosen, found) if found.dtype.kind in "biuf" else found


def assign(scores: Any, thresholds: Any, min_labels: int) -> Any:
    """Whether scores (n, q) exceed the thresholds, or are the `min_labels` highest of their row."""
    predicted = scores > thresholds
    n_least = min(min_labels, scores.shape[1])
    return filled_up(predicted, scores, n_least) if n_least > 0 else predicted


def label_presence(estimator: Any, X: Any) -> np.ndarray:
    """Probabilities (n, q) of the labels if a fitted estimator has them, else its predictions."""
    if hasattr(estimator, "predict_proba"):
        return as_matrix(estimator.predict_proba(X), estimator)
    return np.asarray(dense(estimator.predict(X)), dtype=np.float64)
