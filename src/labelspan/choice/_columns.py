"""Candidates that keep columns: all of them, or the first k of a ranking, which serves every k."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import dense, is_dask_array
from labelspan.extraction import MVMD
from labelspan.linalg import EigenPairs, Pencil
from labelspan.moments import Available, Moments
from labelspan.selection import FeatureScore


class AllFeatures(MVMD):
    """No reduction, as a candidate: every feature as a direction of its own."""

    def __init__(self, n_components: Any = None):
        super().__init__(n_components, beta=0.0)

    def _directions(self, statistics: Any, pencil: Pencil) -> EigenPairs:
        D = len(statistics.x_mean)
        return EigenPairs(np.ones(D), np.eye(D))

    def _project(self, X: Any) -> Any:
        return X


def is_selector(reducer: Any) -> bool:
    """Whether a candidate keeps columns."""
    return isinstance(reducer, FeatureScore)


def size_of(reducer: Any) -> str:
    """The parameter for the number of directions or features."""
    return reducer._size if is_selector(reducer) else "n_components"


def order_of(selector: FeatureScore) -> np.ndarray:
    """The selected features of a fitted selector, the best first."""
    return np.argsort(selector.ranking_, kind="stable")[: int(selector.support_.sum())]


def ranked(selector: FeatureScore, sums: Any) -> FeatureScore:
    """The same selector, learnt from sums over rows."""
    selector._rank(sums)
    return selector


def columns_of(X: Any, columns: np.ndarray) -> Any:
    """Some columns, dense; lazy for a Dask array."""
    return X[:, columns] if is_dask_array(X) else dense(X[:, columns])


def reduced(reducer: Any, X: Any) -> Any:
    """Checked rows after a fitted reducer."""
    if is_selector(reducer):
        return columns_of(X, np.flatnonzero(reducer.support_))
    return reducer._project(X)


def width_of(reducer: Any) -> int:
    """Number of columns that a fitted reducer returns."""
    return int(reducer.support_.sum() if is_selector(reducer) else reducer.n_components_)


def names_out(search: Any, input_features: Any = None) -> np.ndarray:
    """Names of the directions, or of the features that a selector keeps.

    Parameters
    ----------
    input_features : array-like of str or None, default=None
        Names of the features of X, if they were not given to ``fit``.

    Returns
    -------
    ndarray of str
        A name for each column of the output.
    """
    check_is_fitted(search)
    best: Any = getattr(search, "best_estimator_", None)
    if is_selector(best):
        return best.get_feature_names_out(input_features)
    return ClassNamePrefixFeaturesOutMixin.get_feature_names_out(search, input_features)


def moments_of(m: Moments | Available, columns: np.ndarray) -> Moments | None:
    """Moments of some columns and of labels in {-1, +1}; None with missing labels."""
    if isinstance(m, Available):
        return None
    xx = m.xx[np.ix_(columns, columns)]
    return Moments(m.weight, m.x_mean[columns], m.t_mean, m.xt[columns], xx).signed()
