"""Directions of a fitted model, the scores of rows, and their products with features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_array

from labelspan.arrays import dense, densified
from labelspan.gate import check_labels, has_holes
from labelspan.interop import to_linear
from labelspan.moments import Moments, Sample, collect


@dataclass(frozen=True)
class Scored:
    """Centred scores T (n, k) of rows, with what the features have in common with them.

    `cross` is Xc'T (D, k), `squares` are the squared lengths of the centred columns of X.
    """

    scores: np.ndarray
    cross: np.ndarray
    squares: np.ndarray


def directions(model: Any) -> np.ndarray:
    """Directions of the model in its features, (k, D), in float64."""
    return np.asarray(to_linear(model)[0], dtype=np.float64)


def scores_of(model: Any, X: Any) -> np.ndarray:
    """Centred scores of the rows, (n, k)."""
    T = dense(model.transform(X)).astype(np.float64)
    return np.asarray(T - T.mean(axis=0))


def scored(model: Any, X: Any) -> Scored:
    """Scores of the rows and their products with the features; sparse X stays sparse."""
    T = scores_of(model, X)
    rows = check_array(X, accept_sparse="csr", dtype=np.float64)
    moments = collect(Sample(rows, T), partial(Moments.of, xx=False, tt=False), tall=False)
    return Scored(T, moments.xt, moments.squares)


def centred_labels(Y: Any, n_rows: int) -> np.ndarray:
    """Labels minus their means, dense; every one must be observed."""
    labels = check_labels(Y, soft=True, missing=True)
    if has_holes(labels.Y):
        raise ValueError("Y has labels that are not observed. Drop these rows, or fill them in.")
    if labels.Y.shape[0] != n_rows:
        raise ValueError(f"Y has {labels.Y.shape[0]} rows for {n_rows} of X; pass the same rows.")
    filled = densified(labels.Y)
    return np.asarray(filled - filled.mean(axis=0))


def feature_names(model: Any) -> np.ndarray:
    """Names of the features in ``fit``, or "x0", "x1", ..., as scikit-learn calls them."""
    known = getattr(model, "feature_names_in_", None)
    if known is not None:
        return np.asarray(known, dtype=object)
    return np.array([f"x{j}" for j in range(directions(model).shape[1])], dtype=object)
