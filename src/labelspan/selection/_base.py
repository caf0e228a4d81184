"""The abstract parent of the selectors that learn feature weights with a ranking model."""

from __future__ import annotations

import warnings
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import is_dask_array
from labelspan.compat import Interval
from labelspan.gate import columns_of, dask_rows
from labelspan.ranking import COMMON, Fit, Pairs, RankingClassifier, top_mask
from labelspan.selection._planes import select
from labelspan.system import Watch


def keep_features(selector: Any, X: Any) -> Any:
    """Keep the selected features.

    Parameters
    ----------
    X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
        Features.

    Returns
    -------
    ndarray or csr_array of shape (n_samples, n_selected), or a lazy Dask array for one
        The selected features of X.
    """
    X = dask_rows(selector, X)
    if is_dask_array(X):
        return columns_of(selector, X, np.flatnonzero(selector.get_support()))
    return SelectorMixin.transform(selector, X)


class RankingSelector(RankingClassifier, SelectorMixin, TransformerMixin, BaseEstimator):
    """Selector and classifier: omega from cutting planes, W at that omega."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "max_planes": [Interval(Integral, 1, None, closed="left")],
        "max_features": [None, Interval(Integral, 1, None, closed="left")],
    }
    n_features: int
    max_planes: int
    max_features: int | None
    # Weight of the label correlation; CMLFS has a parameter of this name.
    mu: float = 0.0
    transform = keep_features

    def _solve(
        self, X: Any, pairs: Pairs, n_labels: int, rng: np.random.Generator, watch: Watch
    ) -> Fit:
        n_kept = cap(self.n_features, X.shape[1])
        limit = self._limit(X.shape[1])
        solve = partial(
            select,
            pairs=pairs,
            n_labels=n_labels,
            rng=rng,
            watch=watch,
            C=self.C,
            mu=self.mu,
            n_kept=n_kept,
            tol=self.tol,
            max_sweeps=self.max_iter,
            max_planes=self.max_planes,
        )
        found = solve(X)
        if np.count_nonzero(found.weights) > limit:
            kept = top_mask(found.weights, limit)
            found = solve(X[:, np.flatnonzero(kept)]).spread(kept, found)
        self.feature_weights_ = found.weights
        self.support_ = found.weights > 0
        self.n_features_selected_ = int(self.support_.sum())
        self.ranking_ = rank(found.weights, self.support_)
        self.n_planes_, self.bounds_ = found.n_planes, found.bounds
        self.stationarity_ = found.stationarity
        # For mu > 0 the duality gap does not certify omega.
        if self.mu > 0 and found.stationarity > self.tol:
            warnings.warn(
                f"The feature weights are not stationary: another mask gains "
                f"{found.stationarity:.2g} of the objective to first order, tol is {self.tol:.2g} "
                f"({found.n_planes} masks, max_planes={self.max_planes}; {found.fit.n_sweeps} "
                f"sweeps, max_iter={self.max_iter}), stopped{watch.ended()}. Raise tol, or "
                "whichever limit was met.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return found.fit

    def _limit(self, n_features: int) -> int:
        """Largest number of features to select, limited to all."""
        if self.max_features is None:
            return n_features
        if self.max_features < self.n_features:
            raise ValueError(
                f"max_features={self.max_features} is less than n_features={self.n_features}, the "
                "sum of weights that are at most 1. Raise max_features or lower n_features."
            )
        return min(self.max_features, n_features)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = super().__repr__(N_CHAR_MAX)
        if not hasattr(self, "n_features_selected_"):
            return text
        of = f"{self.n_features_selected_} of {self.n_features_in_}"
        return f"{text}  # {of} features selected"

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_


def cap(wanted: int, n_features: int, name: str = "n_features") -> int:
    """Limit a number to all features, with a warning."""
    if wanted > n_features:
        warnings.warn(
            f"{name}={wanted} is more than the {n_features} features of X; all are kept. "
            f"Set {name} to at most {n_features}.",
            stacklevel=2,
        )
    return min(wanted, n_features)


def rank(weights: np.ndarray, support: np.ndarray) -> np.ndarray:
    """1 for the largest weight and so on; all features outside the support share the last rank."""
    ranking = np.full(len(weights), int(support.sum()) + 1)
    inside = np.flatnonzero(support)
    ranking[inside[np.argsort(-weights[inside], kind="stable")]] = np.arange(1, len(inside) + 1)
    return ranking
