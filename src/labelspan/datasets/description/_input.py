"""Input of every part of a description: plain features and label indicators."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.gate import find_holes, hidden, unmasked


def features(X: Any) -> sp.csr_array:
    """Return a copy of the features as CSR, float64, without stored zeros."""
    if not sp.issparse(X):
        X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; expected 2, samples by features")
    csr = sp.csr_array(X, dtype=np.float64, copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    return csr


def indicators(Y: Any, observed: Any = None) -> tuple[sp.csr_array, np.ndarray | None]:
    """Return positive labels as CSR of ones, and the observed mask if labels are missing."""
    Y, seen = hidden(Y, observed), None
    if not sp.issparse(Y):
        Y = unmasked(Y)
        if Y.ndim != 2:
            raise ValueError(f"Y has {Y.ndim} dimensions; expected 2, samples by labels")
        holes = find_holes(Y)
        if holes.any():
            Y, seen = np.where(holes, 0, Y), ~holes
    csr = sp.csr_array(Y > 0).astype(np.float64)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    return csr, seen


def zero_filled(X: sp.csr_array) -> sp.csr_array:
    if not np.isnan(X.data).any():
        return X
    filled = X.copy()
    filled.data = np.nan_to_num(X.data, nan=0.0)
    return filled
