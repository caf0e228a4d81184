"""Input of every part of a description: plain features and label indicators."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.gate import find_holes, mask_unobserved, unmasked


def features(X: Any) -> tuple[sp.csr_array, bool]:
    """A copy of the features as CSR, float64, without stored zeros; and whether X is sparse."""
    is_sparse = sp.issparse(X)
    X = X if is_sparse else np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; expected 2, samples by features")
    csr = sp.csr_array(X, dtype=np.float64, copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    return csr, is_sparse


def indicators(Y: Any, observed: Any = None) -> tuple[sp.csr_array, np.ndarray | None]:
    """Return positive labels as CSR of ones, and the observed mask if labels are missing."""
    Y, seen = mask_unobserved(Y, observed), None
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


def emptied(X: Any, rows: np.ndarray, columns: tuple[int, ...]) -> Any:
    """A copy of dense or sparse features with zeros in some columns of some rows."""
    if not sp.issparse(X):
        emptied = X.copy()
        emptied[np.ix_(rows, np.array(columns, dtype=np.intp))] = 0
        return emptied
    coo = sp.coo_array(X)
    kept = ~(rows[coo.coords[0]] & np.isin(coo.coords[1], columns))
    places = tuple(place[kept] for place in coo.coords)
    return sp.csr_array((coo.data[kept], places), shape=X.shape)


def in_form_of(reference: Any, A: sp.csr_array) -> Any:
    """A sparse array in the form of another: sparse, or dense."""
    return A if sp.issparse(reference) else A.toarray()
