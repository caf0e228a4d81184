"""The abstract parent of the kernel extractors, and what all kernel methods share."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import cast, empty, like, place_fitted, precision_of
from labelspan.base import RowBlocks
from labelspan.compat import Interval, StrOptions, fit_context
from labelspan.gate import (
    Labels,
    check_features,
    check_fit,
    in_dtype,
    remember_names,
)
from labelspan.kernels._map import KERNELS, KernelMap, kernel_refusals
from labelspan.kernels._statistics import Induced, induce
from labelspan.linalg import (
    EigenPairs,
    Pencil,
    as_rows,
    signs_of,
    solve,
    with_chosen_ridge,
)

# Constraints of the parameters that every kernel method has.
KERNEL_PARAMETERS: dict[str, list[Any]] = {
    "kernel": [StrOptions(set(KERNELS) | {"precomputed"}), callable],
    "gamma": [Interval(Real, 0, None, closed="neither"), None],
    "degree": [Interval(Real, 0, None, closed="neither")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "kernel_params": [dict, None],
    "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
    "landmarks": [StrOptions({"uniform", "kmeans", "leverage"})],
    "random_state": ["random_state"],
}


def keep_kernel(estimator: Any, *values: Any) -> None:
    """Store the parameters that every kernel method has, in the order above."""
    vars(estimator).update(zip(KERNEL_PARAMETERS, values, strict=True))


class KernelReducer(
    RowBlocks, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta
):
    """Map to the leading directions of a generalised eigenproblem in the space of a kernel.

    A method defines its eigenproblem (``_pencil``) and its label targets (``_targets``); this class
    does the rest: input validation, the kernel, landmarks, the ridge, centring, signs, dtypes,
    ``transform``. It defines ``_directions`` if it solves another problem.
    """

    # The fitted parameter of the metric (a, b) that may be chosen: "mu_" is a, "ridge_" is b.
    _chosen: ClassVar[str] = ""
    # Whether directions have C'(QQ + b / a Q)C = n I, as those of LinearReducer.
    _unit_variance: ClassVar[bool] = True
    n_components: Any
    _map: KernelMap

    @abstractmethod
    def _pencil(self) -> Pencil:
        """The eigenproblem; a = 0 if only Q times the targets is needed."""

    @abstractmethod
    def _targets(self, labels: Labels) -> Any:
        """The targets (n, r) for the features, from the 0/1 labels."""

    def _directions(self, statistics: Any, pencil: Pencil) -> EigenPairs:
        """Eigenpairs from the statistics, with as many vectors as ``n_components`` requires."""
        return solve(pencil, statistics, self.n_components)

    def _ridges(self, n_rows: int) -> tuple[float, ...]:
        """The ridges of Q that are known before the fit."""
        metric = self._pencil().metric
        return () if callable(metric) or metric[0] == 0 else (metric[1] / metric[0],)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KernelReducer:
        """Find the directions.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features; the kernel of the training rows, (n_samples, n_samples), for
            ``kernel="precomputed"``.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
            Label indicators in {0, 1}, bool or {-1, +1}; soft labels in [0, 1]; or 1-d classes.
        sample_weight : array-like of shape (n_samples,), number or None, default=None
            Non-negative row weights: a row of weight k counts as k rows, one of weight 0 as none.
            None means a weight of 1 each.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        X, labels = check_fit(self, X, y, sample_weight)
        remember_names(self, labels)
        targets, pencil = self._targets(labels), self._pencil()
        # A ridge that is still to be chosen may be small.
        ridge = 0.0 if callable(pencil.metric) else next(iter(self._ridges(0)), None)
        induced = induce(self, X, targets, labels.weights, ridge=ridge, tt=True)
        statistics, weight = induced.statistics, induced.statistics.weight
        if callable(pencil.metric):
            pencil, statistics = with_chosen_ridge(pencil, statistics)
        pairs = self._directions(statistics, pencil)
        if self._unit_variance:
            pairs = pairs.of_unit_variance(weight, pencil.metric[0])
        if self._chosen:
            setattr(self, self._chosen, float(pencil.metric[self._chosen == "ridge_"]))
        remember_directions(self, induced, pairs.vectors, precision_of(X))
        self.eigenvalues_ = np.array(pairs.values, dtype=np.float64)
        place_fitted(self, X)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Project: kernel values times ``dual_components_.T``, minus ``offset_``.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features; kernel values with the training rows, (n_samples, n_training_rows), for
            ``kernel="precomputed"``, not centred.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            Projections, float32 for float32 input.
        """
        check_is_fitted(self)
        X = check_features(self, X)
        return project(self._map, X, self.dual_components_, self.offset_)

    _n_features_out = property(attrgetter("n_components_"))

    def _refusals(self) -> dict[str, str]:
        return kernel_refusals(self)


def remember_directions(estimator: Any, induced: Induced, C: np.ndarray, dtype: Any) -> None:
    """Store the kernel, and the directions with coefficients C after fixing their signs."""
    dual, offset = induced.lift(C)
    components = as_rows(dual)
    # A row of weight k has the coefficients of its k copies together.
    copies = like(components, induced.row_weights)
    signs = signs_of(components / copies, copies)
    components *= signs[:, None]
    estimator.dual_components_ = in_dtype(components, dtype, "dual_components_")
    estimator.offset_ = cast(signs * offset, dtype)
    estimator.n_components_ = components.shape[0]
    remember_kernel(estimator, induced, dtype)


def remember_kernel(estimator: Any, induced: Induced, dtype: Any) -> None:
    """Store the kernel with its rows, and the indices and error of landmarks."""
    estimator._map = induced.map_.astype(dtype)
    for name in ("landmark_indices_", "nystroem_error_"):
        estimator.__dict__.pop(name, None)
    if induced.features is not None:
        estimator.landmark_indices_ = induced.features.chosen.copy()
        estimator.nystroem_error_ = induced.features.error


def project(map_: KernelMap, X: Any, dual: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """k(X) dual' - offset by blocks of rows, in the dtype of X."""
    dtype = precision_of(X)
    dual, offset = cast(dual, dtype), cast(offset, dtype)
    projected = empty(X, (X.shape[0], dual.shape[0]), dtype)
    for rows, K in map_.blocks(X):
        projected[rows, :] = K @ dual.T
    projected -= offset
    return projected
