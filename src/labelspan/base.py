"""The one abstract parent of the linear feature extractors."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labelspan._about_mean import project
from labelspan._blocks import by_blocks, check_dask_rows, lazily
from labelspan._compat import Interval, RealNotInt, fit_context, is_dask_array
from labelspan._labels import Labels, refuse_other_names
from labelspan._validation import (
    NoDirectionError,
    check_features,
    check_fit,
    in_dtype,
    unchanged_if_refused,
)
from labelspan.linalg import EigenPairs, fix_signs, route_of
from labelspan.moments import Poolable, Sample, Statistics

N_COMPONENTS: list[Any] = [
    Interval(Integral, 1, None, closed="left"),
    Interval(RealNotInt, 0, 1, closed="neither"),
    None,
]

#: What a fit sets beside the number and names of the features.
FITTED = (
    "_pooled", "label_names_", "classes_", "components_", "eigenvalues_", "mean_", "n_components_",
    "explained_dependence_ratio_", "solver_",
)  # fmt: skip


def _has_partial_fit(estimator: LinearReducer) -> bool:
    if not estimator._one_pass:
        name = type(estimator).__name__
        raise AttributeError(
            f"{name} has no partial_fit: it needs the whole sample more than once. "
            "Use fit, which takes memory maps and, for every method but LPP, Dask arrays."
        )
    return True


class LinearReducer(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta
):
    """Linear map to the leading directions of a generalised eigenproblem.

    A method says what it needs of the sample (``_needs``), how to summarise it
    (``_summarise``) and how the summary becomes eigenpairs (``_directions``). This class does
    the rest: the gate, the solver choice, wide X, pooling, signs, dtypes, ``transform``.
    """

    # Whether ``fit`` takes Dask arrays, by statistics of their blocks.
    _streams: ClassVar[bool] = True
    # Whether one pass over the data suffices, so that partial_fit is exact.
    _one_pass: ClassVar[bool] = True
    # Statistics of all chunks that partial_fit has seen, and their dtype.
    _pooled: tuple[Poolable, np.dtype]

    @abstractmethod
    def _needs(self, n_rows: int, n_features: int, n_labels: int) -> dict[str, bool]:
        """Keywords of :func:`labelspan.linalg.choose_solver` that the parameters decide.

        Called first: a parameter that does not fit the shape of the data is refused here.
        """

    @abstractmethod
    def _summarise(self, sample: Sample) -> Statistics:
        """Statistics of the sample; Poolable if ``_one_pass``."""

    @abstractmethod
    def _directions(self, statistics: Any) -> EigenPairs:
        """Eigenpairs from the statistics, as many vectors as ``n_components`` asks for."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> LinearReducer:
        """Find the directions.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features. Sparse input is never made dense; of a Dask array only sums leave the
            workers.
        y : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_labels)
            Label indicators in {0, 1}, bool or {-1, +1}; a 1-d y of classes is one label for
            two classes and one label a class for more.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        with unchanged_if_refused(self):
            X, labels = check_fit(self, X, y)
            self._forget()
            return self._fit_sample(X, labels, streamed=is_dask_array(X))

    @available_if(_has_partial_fit)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> LinearReducer:
        """Add a chunk of rows and find the directions of all rows seen so far.

        The result is that of ``fit`` on all chunks together, whatever their sizes (the first
        has at least two rows): the statistics are pooled, not the directions. Each call solves
        anew; the statistics are kept in the estimator, and pickled with it, until ``fit`` is
        called. Chunks that carry no direction yet, because no label has occurred, are counted
        all the same; until one does, there is no model to transform with.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features of the chunk.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
            Labels of the chunk, as in ``fit``, the columns in the same order.
        classes : array-like or None
            All classes, for the first call with a 1-d `y`; None takes those of the first chunk.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        first = not hasattr(self, "_pooled")
        if first:
            self._warn_after_fit()
            known = None if classes is None else np.unique(classes)
        else:
            known = getattr(self, "classes_", None)
            if known is None and np.ndim(y) == 1:
                y = np.asarray(y)[:, None]
        with unchanged_if_refused(self):
            X, labels = check_fit(self, X, y, reset=first, classes=known)
            if first:
                self._forget()
            else:
                self._check_chunk(labels)
            return self._fit_sample(X, labels, streamed=True, pool=True)

    def transform(self, X: Any) -> Any:
        """Project: ``(X - mean_) @ components_.T``.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_components_), or a lazy Dask array for one
            Projections, float32 for float32 input.
        """
        check_is_fitted(self)
        if is_dask_array(X):
            return lazily(self, X, self._project, self.n_components_)
        return self._project(check_features(self, X))

    def _project(self, X: Any) -> np.ndarray:
        return project(X, self.mean_, self.components_)

    def inverse_transform(self, X: Any) -> Any:
        """Reconstruct features from projections, by least squares.

        Of all rows with the given projections this returns the one nearest to the mean:
        ``mean_ + X @ pinv(components_).T``, which is ``mean_ + X @ components_`` for orthonormal
        directions. With all D directions it is the inverse of ``transform``; with fewer,
        ``transform`` is the inverse of it.

        Parameters
        ----------
        X : array-like, frame or Dask array of shape (n_samples, n_components_)
            Projections, as ``transform`` gives them.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or a lazy Dask array for one
            Features, dense, float32 for float32 input.
        """
        check_is_fitted(self)
        lazy = is_dask_array(X)
        if lazy:
            check_dask_rows(X, "X")
        else:
            X = check_array(X, dtype=[np.float64, np.float32])
        if X.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {X.shape[1]} columns; expected {self.n_components_}, the number of "
                "directions. Pass what transform returned."
            )
        back = pseudo_inverse(self.components_)
        rebuild = partial(reconstruct, mean=self.mean_, back=back)
        return by_blocks(X, rebuild, len(self.mean_)) if lazy else rebuild(X)

    def _fit_sample(
        self, X: Any, labels: Labels, *, streamed: bool, pool: bool = False
    ) -> LinearReducer:
        route = route_of(
            X,
            labels.Y,
            advice="Fit X in memory (not in chunks), use MDDM(constraint='projection'), "
            "or select features first.",
            streamed=streamed,
            **self._needs(X.shape[0], X.shape[1], labels.Y.shape[1]),
        )
        statistics = self._finite_summary(route.sample)
        dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        if pool:
            statistics, dtype = self._pool(statistics, dtype, labels)
        try:
            pairs = self._directions(statistics)
        except NoDirectionError:
            if not pool:
                raise
            return self
        self.solver_ = route.solver
        self._remember(labels)
        self._store(pairs.mapped(route.lift), route.mean(statistics.x_mean), dtype)
        return self

    def _finite_summary(self, sample: Sample) -> Any:
        with np.errstate(over="ignore", invalid="ignore"):
            statistics = self._summarise(sample)
            spread = statistics.spread
        if not np.isfinite(spread).all():
            raise ValueError(
                "The sums of squares of X overflow: its values are too large for float64. "
                "Scale X first, e.g. by sklearn.preprocessing.StandardScaler."
            )
        return statistics

    def _pool(
        self, statistics: Poolable, dtype: np.dtype, labels: Labels
    ) -> tuple[Poolable, np.dtype]:
        """Add the chunk to those before it; only then may the state change."""
        if hasattr(self, "_pooled"):
            earlier, earlier_dtype = self._pooled
            if statistics.kind != earlier.kind:
                raise ValueError(
                    f"The parameters of {type(self).__name__} changed between chunks so that it "
                    "needs other statistics than those it has kept. Call fit, or start a new "
                    "estimator."
                )
            statistics, dtype = earlier + statistics, np.promote_types(earlier_dtype, dtype)
        self._pooled = statistics, dtype
        self._remember(labels)
        return statistics, dtype

    def _check_chunk(self, labels: Labels) -> None:
        """Refuse a chunk whose labels are not those of the first."""
        n_labels = len(self._pooled[0].t_mean)
        if labels.Y.shape[1] != n_labels:
            raise ValueError(
                f"y has {labels.Y.shape[1]} labels, but the first chunk had "
                f"{n_labels}; pass the same label columns in every chunk."
            )
        refuse_other_names(getattr(self, "label_names_", None), labels.names)

    def _remember(self, labels: Labels) -> None:
        if labels.names is not None:
            self.label_names_ = labels.names
        if labels.classes is not None:
            self.classes_ = labels.classes

    def _store(self, pairs: EigenPairs, mean: np.ndarray, dtype: Any) -> None:
        components = fix_signs(np.array(pairs.vectors.T, dtype=np.float64, order="C"))
        self.components_ = in_dtype(components, dtype, "components_")
        self.eigenvalues_ = np.array(pairs.values, dtype=np.float64)
        self.mean_ = np.array(mean, dtype=dtype)
        self.n_components_ = len(self.components_)
        if pairs.total is not None:
            self.explained_dependence_ratio_ = self.eigenvalues_[: self.n_components_] / pairs.total

    def _forget(self) -> None:
        """Drop what an earlier fit on other data set, lest a chunk without directions keep it."""
        for name in FITTED:
            self.__dict__.pop(name, None)

    def __sklearn_is_fitted__(self) -> bool:
        # Chunks that hold no direction yet leave names and statistics, but no model.
        return hasattr(self, "components_")

    def _warn_after_fit(self) -> None:
        if hasattr(self, "components_"):
            warnings.warn(
                f"This {type(self).__name__} was fitted by fit, which keeps no statistics to add "
                "to: partial_fit starts anew, and the rows that fit saw no longer count. "
                "Pass them to partial_fit as the first chunk.",
                UserWarning,
                stacklevel=3,
            )

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def pseudo_inverse(components: np.ndarray) -> np.ndarray:
    """Pinv(components) (D, k), in float64.

    The rows are made unit first: directions of a generalised problem differ in length by orders
    of magnitude, and a short one is no rounding.
    """
    rows = components.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    return linalg.pinv(rows / lengths[:, None], check_finite=False) / lengths


def reconstruct(T: np.ndarray, mean: np.ndarray, back: np.ndarray) -> np.ndarray:
    """Mean + T back', in the dtype of T."""
    return T @ back.T.astype(T.dtype, copy=False) + mean.astype(T.dtype, copy=False)
