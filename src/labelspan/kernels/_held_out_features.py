"""Ridge regression on landmark features, on every fold and for every ridge, from one pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from labelspan.kernels._landmarks import Features
from labelspan.kernels._statistics import feature_moments
from labelspan.linalg import solve_ridges
from labelspan.moments import Moments, Sample


@dataclass(frozen=True)
class FeaturesHeldOut:
    """A fit without a fold: predictions for it, and the mean of T over the other rows.

    `matrix` is Z'(2KQ - QKKQ)Z of the other rows, Eq. (8) of Chen and Lin (2012).
    """

    predicted: np.ndarray
    mean: np.ndarray
    matrix: np.ndarray

    def label_matrix(self) -> np.ndarray:
        """The matrix of Eq. (8)."""
        return self.matrix


def held_out_features(
    features: Features,
    X: Any,
    T: np.ndarray,
    ridges: tuple[float, ...],
    folds: list[Any],
    weights: np.ndarray | None = None,
) -> list[list[FeaturesHeldOut]]:
    """Centred ridge regression on features of landmarks without each fold, by fold, then by ridge.

    The landmarks are from all rows; their choice uses no labels. Moments without a fold are those
    of all rows minus its own: all share the passes, O(n m (D + m)), and cost m^3 / 3 each.
    """
    sample = Sample(X, T, weights=weights)
    of_rows = partial(feature_moments, features, xx=True, tt=False)
    parts = [of_rows(*sample.at(S)) for S in folds]
    rows = np.concatenate(folds)
    partition = len(rows) == len(T) == len(np.unique(rows))
    total = reduce(add, parts) if partition else of_rows(*sample.at(slice(None)))
    return [
        one_fold(features, X[S], total - part, ridges) for S, part in zip(folds, parts, strict=True)
    ]


def one_fold(
    features: Features, X: Any, others: Moments, ridges: tuple[float, ...]
) -> list[FeaturesHeldOut]:
    """Fit on the moments of the other rows and predict the rows X of a fold."""
    solved = solve_ridges(others, ridges)
    coefs = [solved.coefficients(i=i) for i in range(len(ridges))]
    # All ridges together, so that the kernel of the fold is evaluated once.
    W = np.hstack(coefs)
    dual, offset = features.R @ W, others.x_mean @ W
    centred = np.concatenate([K @ dual for _, K in features.map_.blocks(X)]) - offset
    predicted = np.split(centred + np.tile(others.t_mean, len(ridges)), len(ridges), axis=1)
    return [
        FeaturesHeldOut(block, others.t_mean, solved.explained(i) + ridges[i] * (coef.T @ coef))
        for i, (block, coef) in enumerate(zip(predicted, coefs, strict=True))
    ]
