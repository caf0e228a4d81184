"""LIFT: distances to centres of the rows with and without each label."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from labelspan.arrays import dense, less_mean, precision_of
from labelspan.base import RowBlocks
from labelspan.compat import Interval, fit_context
from labelspan.gate import (
    check_fit,
    fitting,
    mask_unobserved,
    of_rows,
    remember_names,
    unweighted,
)

# Steps of the power method for the direction along which the first groups are cut.
POWER_STEPS = 100
MOST_TURNS = 300


class LIFT(RowBlocks, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Describe a row by its distances to centres of the rows with, and without, each label.

    Label k has m = ceil(ratio min(n_k, n - n_k)) centres among its n_k rows and as many among the
    others, from k-means: the label-specific features of [1]_, for all labels side by side. A label
    that all rows have or lack has none.

    Parameters
    ----------
    ratio : float, default=0.1
        Centres per row of the smaller group.

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
        Centres: of the rows with the first label, of those without it, and so on.
    center_labels_ : ndarray of int, shape (n_centers,)
        The label of each centre, by its column.
    center_signs_ : ndarray of int, shape (n_centers,)
        1 for a centre of rows that have the label, -1 for one of rows that lack it.
    mean_ : ndarray of shape (n_features,)
        Mean of the features; zeros for sparse rows. Distances are computed about it.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    classes_ : ndarray
        Classes of a 1-d `y`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    Nothing is drawn: k-means starts from groups of equal numbers of rows along the leading
    direction of the group. The paper starts at random. Time O(sum_k m n D) per turn of k-means.

    References
    ----------
    .. [1] M.-L. Zhang and L. Wu, "LIFT: multi-label learning with label-specific features", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 37(1), 2015.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import LIFT
    >>> yeast = load_yeast()
    >>> LIFT(ratio=0.02).fit_transform(yeast.X[:200], yeast.Y[:200]).shape
    (200, 42)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ratio": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(self, ratio: float = 0.1):
        self.ratio = ratio

    @fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X: Any, y: Any, observed: Any = None, **refused: Any) -> LIFT:
        y = y if observed is None else mask_unobserved(y, observed)
        with fitting(self):
            X, labels = check_fit(self, X, y, **refused)
            self._learn(X, dense(labels.Y) > 0)
        remember_names(self, labels)
        return self

    fit = unweighted(_fit)

    def _learn(self, X: Any, Y: np.ndarray) -> None:
        mean = np.ravel(X.mean(axis=0, dtype=np.float64))
        rows, rest = less_mean(X, mean)
        mean = mean - rest
        centers, of, signs = [], [], []
        for label in range(Y.shape[1]):
            has = Y[:, label]
            n_centers = int(np.ceil(self.ratio * min(has.sum(), (~has).sum())))
            if n_centers == 0:
                continue
            for sign, group in ((1, has), (-1, ~has)):
                centers.append(centers_of(rows[group], n_centers))
                of += [label] * n_centers
                signs += [sign] * n_centers
        if not centers:
            raise ValueError(
                "No label has rows with and rows without it, so there are no centres. Check y for "
                "labels that all rows have or lack."
            )
        dtype = precision_of(X)
        self.mean_ = mean.astype(dtype)
        self._centred = np.vstack(centers)
        self.centers_ = (self._centred + mean).astype(dtype)
        self.center_labels_, self.center_signs_ = np.array(of), np.array(signs)

    def transform(self, X: Any) -> Any:
        """Distances to all centres.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_centers), or a lazy Dask array for one
            Distances, float32 for float32 input.
        """
        return of_rows(self, X, self._distances, lambda: len(self.center_labels_))

    def _distances(self, X: Any) -> np.ndarray:
        rows, rest = less_mean(X, self.mean_.astype(np.float64))
        centers = self._centred + rest
        return euclidean_distances(rows, centers).astype(precision_of(X), copy=False)

    @property
    def _n_features_out(self) -> int:
        return len(self.center_labels_)


def centers_of(rows: Any, n_centers: int) -> np.ndarray:
    """Centres of k-means from groups of equal size along the leading direction."""
    order = np.argsort(leading_scores(rows), kind="stable")
    start = np.stack([dense(rows[part]).mean(axis=0) for part in np.array_split(order, n_centers)])
    if n_centers == 1:
        return start
    # Imported here because it would add a third to the import time of labelspan.
    from sklearn.cluster import KMeans

    found = KMeans(n_centers, init=start, n_init=1, max_iter=MOST_TURNS, algorithm="lloyd")
    return np.asarray(found.fit(rows).cluster_centers_, dtype=np.float64)


def leading_scores(rows: Any) -> np.ndarray:
    """The rows along their direction of largest variance, skewed to the positive side.

    Start and sign are those of the rows, so that a rotation of the features changes nothing.
    """
    mean = np.asarray(rows.mean(axis=0)).ravel()
    squares = row_norms(rows, squared=True) - 2 * (rows @ mean)
    v = dense(rows[[int(np.argmax(squares))]])[0] - mean
    scores = np.zeros(rows.shape[0])
    for _ in range(POWER_STEPS):
        length = np.linalg.norm(v)
        if length == 0:
            break
        v = v / length
        scores = rows @ v - mean @ v
        v = np.asarray(rows.T @ scores).ravel() - mean * scores.sum()
    return scores * (1.0 if (scores**3).sum() >= 0 else -1.0)
