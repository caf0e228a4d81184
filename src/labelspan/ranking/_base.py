"""The abstract parent of the ranking family: gate, pairs, scores, prediction."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from labelspan._about_mean import longest_row, mean_of, score_at, scores_about
from labelspan._blocks import lazily
from labelspan._classifier import decide, remember
from labelspan._compat import Interval, fit_context, is_dask_array
from labelspan._validation import check_features, check_fit, in_dtype, unchanged_if_refused
from labelspan.ranking._fit import Fit, warn_unconverged
from labelspan.ranking._pairs import Pairs, pair_up
from labelspan.ranking._set_size import above, fit_threshold

COMMON: dict[str, list[Any]] = {
    "C": [Interval(Real, 0, None, closed="neither")],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "max_pairs": [None, Interval(Integral, 1, None, closed="left")],
    "min_labels": [Interval(Integral, 0, None, closed="left")],
    "random_state": ["random_state"],
}


class RankingClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Linear scores of labels, learnt so that the labels of an instance outrank the others.

    A method says how it learns W from the rows and the pairs (``_learn``); this class does the
    rest. One label is trained as the pair of labels [y, 1 - y].
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = COMMON
    # Sweeps visit the rows again and again: all of them must be in memory.
    _streams: ClassVar[bool] = False
    C: float
    tol: float
    max_iter: int
    max_pairs: int | None
    min_labels: int
    random_state: Any
    classes_: np.ndarray
    n_iter_: int
    _one_dimensional: bool
    _n_labels: int

    @abstractmethod
    def _learn(self, X: Any, pairs: Pairs, n_labels: int, rng: np.random.Generator) -> Fit:
        """Solve the problem; W has a row for each feature of X and one for the bias."""

    @abstractmethod
    def _columns(self) -> np.ndarray | None:
        """Columns of X that the threshold function may use; None is all."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> RankingClassifier:
        """Learn to rank the labels, then how many of them to predict.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features. Sparse input is never made dense.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels) or (n_samples,)
            Label indicators in {0, 1}, bool or {-1, +1}; or 1-d classes.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        with unchanged_if_refused(self):
            self._fit(X, y)
        return self

    def _fit(self, X: Any, y: Any) -> None:
        X, labels = check_fit(self, X, y, min_samples=1)
        if labels.classes is not None and np.asarray(y).ndim == 2:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Its values are taken "
                "as classes; pass y.ravel(), or an (n, q) indicator matrix of 0 and 1.",
                DataConversionWarning,
                stacklevel=4,
            )
        remember(self, labels)
        self._sparse = sparse.issparse(y)
        Y = labels.Y
        if self._n_labels == 1:
            Y = Y.toarray() if sparse.issparse(Y) else Y
            Y = np.hstack([Y, 1.0 - Y])
        rng = generator(self.random_state)
        pairs = pair_up(Y, self.max_pairs, rng)
        try:
            fit = self._learn(X, pairs, Y.shape[1], rng)
        except np.linalg.LinAlgError as error:
            raise ValueError(
                f"A Newton step of {type(self).__name__} is singular in float64: the longest row "
                f"of X has the norm {longest_row(X):.3g}, and C={self.C:g}. Scale X first, e.g. by "
                "sklearn.preprocessing.StandardScaler, or lower C."
            ) from error
        warn_unconverged(fit.gap, self.tol, self.n_iter_, self.max_iter)
        self._store(X, Y, fit)

    def decision_function(self, X: Any) -> Any:
        """Score the labels.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            W'x; of shape (n_samples,) if `y` was 1-d with two classes, positive for the second.
        """
        check_is_fitted(self)
        if is_dask_array(X):
            scores = lazily(self, X, self._scores, self._n_labels)
        else:
            scores = self._scores(check_features(self, X))
        return scores[:, 0] if self._binary() else scores

    def predict(self, X: Any) -> Any:
        """Predict the labels that score above the threshold function, at least ``min_labels``.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_labels), or ndarray of shape (n_samples,)
            Indicators, sparse if `y` was; the class of the highest score if `y` was 1-d.
        """
        check_is_fitted(self)
        if self._one_dimensional:
            return decide(self, self.decision_function(X))
        if is_dask_array(X):
            return lazily(self, X, self._indicators, self._n_labels, np.int64)
        chosen = self._indicators(check_features(self, X))
        return sparse.csr_array(chosen) if self._sparse else chosen

    def _indicators(self, X: Any) -> np.ndarray:
        scores = self._scores(X)
        if self._n_labels == 1:
            return (scores > 0).astype(np.int64)
        columns = self._columns()
        threshold = self._threshold.of(X if columns is None else X[:, columns])
        return above(scores, threshold, self.min_labels)

    def _scores(self, X: Any) -> np.ndarray:
        return scores_about(X, self._mean, self.coef_, self._level)

    def _binary(self) -> bool:
        return self._one_dimensional and len(self.classes_) <= 2

    def _store(self, X: Any, Y: Any, fit: Fit) -> None:
        """Keep what prediction needs, in the dtype of X, and the certificates in float64."""
        W = fit.W[:, :1] - fit.W[:, 1:] if self._n_labels == 1 else fit.W
        dtype = X.dtype
        self.coef_ = in_dtype(W[:-1].T, dtype, "coef_")
        self.intercept_ = in_dtype(W[-1], dtype, "intercept_")
        self.label_covariance_ = fit.covariance.matrix()
        self.primal_objective_, self.dual_objective_ = fit.primal, fit.dual
        self.objectives_ = np.array(fit.objectives)
        mean = mean_of(X)
        self._mean, self._level = mean, score_at(mean, W[:-1], W[-1])
        level = score_at(mean, fit.W[:-1], fit.W[-1])

        def scores(rows: Any) -> np.ndarray:
            return scores_about(rows.astype(np.float64, copy=False), mean, fit.W[:-1].T, level)

        self._threshold = fit_threshold(X, scores, Y, self._columns())
        self.threshold_coef_ = in_dtype(self._threshold.coef, dtype, "threshold_coef_")
        self.threshold_intercept_ = self._threshold.intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        # Many labels, but not many classes an output; the scores are compared with t(x), not 0.
        tags.target_tags.multi_output = False
        tags.classifier_tags.multi_label = True
        return tags


def generator(random_state: Any) -> np.random.Generator:
    """A NumPy generator from anything that scikit-learn takes as a random state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
