"""Features that would dominate a reduction: row numbers, a large variance, other scales."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io import FEW_VALUES

DOMINANT_SHARE = 0.9
WIDE_RATIO = 1e4
# With fewer rows, any integers differ.
FEWEST_ROWS = 4
# Names of identifiers: id, customer_id, rowId, index, isbn.
IDENTIFIER = re.compile(
    r"(?:^|[^A-Za-z])(?i:id|uid|uuid|guid|index|idx|rownum|sku|isbn|ean)$|[a-z]I[dD]$"
)


def feature_scales(X: sp.csr_array, names: Sequence[str]) -> dict[str, Any]:
    """Attributes of a `Description` about variances; missing values do not count."""
    variances = _variances(X)
    varying = np.flatnonzero(variances > 0)
    if len(varying) < 2:
        return {}
    narrowest, widest = (int(varying[pick(variances[varying])]) for pick in (np.argmin, np.argmax))
    share = float(variances[widest] / variances.sum())
    ratio = float(np.sqrt(variances[widest] / variances[narrowest]))
    return {
        "dominant_feature": (names[widest], share) if share > DOMINANT_SHARE else None,
        "scales": (names[narrowest], names[widest], ratio),
    }


def identifier_features(
    X: sp.csr_array, parts: Sequence[np.ndarray], names: Sequence[str]
) -> list[int]:
    """Find features that number all rows, or the rows of each part of the split."""
    n_rows = X.shape[0]
    if n_rows <= FEWEST_ROWS:
        return []
    by_column, head = X.tocsc(), X[: FEW_VALUES + 1]
    # Distinct values allow at most one zero.
    is_candidate = np.diff(by_column.indptr) >= n_rows - max(len(parts), 1)
    is_candidate[head.indices[head.data != np.floor(head.data)]] = False
    candidates = np.flatnonzero(is_candidate).tolist()
    columns = ((i, by_column[:, [i]].toarray().ravel()) for i in candidates)
    return [
        i
        for i, column in columns
        if _numbers_rows(column, names[i])
        or (parts and all(_numbers_rows(column[rows], names[i]) for rows in parts))
    ]


def are_counts(X: sp.csr_array, is_sparse: bool) -> bool:
    """Whether features are counts, as of words: integers > 0, and X is sparse or half of it 0."""
    # The first values settle it for most data, without a copy of all.
    parts = (X.data[: FEW_VALUES + 1], X.data)
    if not X.nnz or not all(((A > 0) & (np.floor(A) == A)).all() for A in parts):
        return False
    return is_sparse or bool(X.data.max() > 1 and 2 * X.nnz < X.shape[0] * X.shape[1])


def _numbers_rows(column: np.ndarray, name: str) -> bool:
    """Whether integers differ, and are in order, or within twice the number of rows, or named."""
    n_rows = len(column)
    if n_rows <= FEWEST_ROWS or not np.array_equal(column, np.floor(column)):
        return False
    if IDENTIFIER.search(name):
        return len(np.unique(column)) == n_rows
    if n_rows <= FEW_VALUES:
        return False
    steps = np.diff(column)
    if (steps > 0).all() or (steps < 0).all():
        return True
    in_order = np.sort(column)
    is_close = in_order[-1] - in_order[0] < 2 * n_rows
    return bool(is_close and (np.diff(in_order) > 0).all())


def _variances(X: sp.csr_array) -> np.ndarray:
    """Variances in units of the square of the largest value; 0 for a constant feature."""
    n_rows, n_features = X.shape
    known = np.isfinite(X.data)
    places, values = X.indices[known], X.data[known]
    unit = np.abs(values).max(initial=0.0)
    if unit == 0:
        return np.zeros(n_features)
    values = values / unit
    n_zeros = n_rows - np.bincount(X.indices, minlength=n_features)
    n_known = np.maximum(n_zeros + np.bincount(places, minlength=n_features), 1)
    means = np.bincount(places, values, minlength=n_features) / n_known
    squares = np.bincount(places, (values - means[places]) ** 2, minlength=n_features)
    # A mean is rounded, so that a constant feature would have a tiny variance.
    high, low = (np.where(n_zeros > 0, 0.0, limit) for limit in (-np.inf, np.inf))
    np.maximum.at(high, places, values)
    np.minimum.at(low, places, values)
    return np.where(high > low, (squares + n_zeros * means**2) / n_known, 0.0)
