"""True labels in any coding, for measures and ``score``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length

from labelspan.arrays import dense, in_memory
from labelspan.gate._labels import refuse_other_values, sparse_indicators
from labelspan.gate._soft import find_holes, mask_unobserved, refuse_missing_and_mixed, unmasked


def check_truth(Y: Any, observed: Any, name: str) -> tuple[Any, np.ndarray | None]:
    """Label indicators as booleans, False where not observed, and where they are observed, or None.

    Y is in {0, 1}, bool or {-1, +1}; NaN, NA, None and masked entries of a dense one, or entries of
    a sparse one where `observed` is False, are not observed. `name` is for error messages.
    """
    Y = mask_unobserved(Y, observed)
    if not sparse.issparse(Y):
        Y = two_dimensional(unmasked(Y), name)
        holes = find_holes(Y)
        if holes.any():
            # A label that a row has is 1 in every coding.
            return check_indicators(np.where(holes, 1, Y), name) & ~holes, ~holes
    return check_indicators(Y, name), None


def scored(y: Any, predicted: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Truth, predictions and weights of observed rows, in {0, 1}; what is missing agrees."""
    y, predicted = map(in_memory, (y, predicted))
    truth, seen = check_truth(y, None, "y")
    truth = truth.astype(np.int64)
    if seen is None:
        return truth, predicted, weights
    rows = seen.any(axis=1)
    if not rows.any():
        raise ValueError("y has no observed label: all entries are NaN. Nothing is scored.")
    check_consistent_length(y, predicted, weights)
    predicted = dense(predicted)
    weights = None if weights is None else np.asarray(weights)[rows]
    return np.where(seen, truth, predicted)[rows], predicted[rows], weights


def check_indicators(Y: Any, name: str) -> Any:
    """Label indicators in {0, 1}, bool or {-1, +1} as a boolean ndarray or CSR array (n, q)."""
    if sparse.issparse(Y):
        return sparse_indicators(sparse.csr_array(Y), name).astype(bool)
    Y = two_dimensional(dense(Y), name)
    if Y.dtype == object:
        refuse_missing_and_mixed(Y, name)
        Y = np.asarray(Y.tolist())
    refuse_other_values(Y, name)
    return Y if Y.dtype == bool else Y > 0


def two_dimensional(array: np.ndarray, name: str) -> np.ndarray:
    """One dimension becomes one column; more than two are refused."""
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; give (n_samples, n_labels).")
    return array
