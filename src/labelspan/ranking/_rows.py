"""One view of dense and sparse rows, for kernels that read a row at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse


class Rows(NamedTuple):
    """Rows of X as value lists: a dense row is a sparse row that names every column.

    Row i has the values ``data[indptr[i]:indptr[i + 1]]`` in the columns
    ``indices[where[i]:]``. For CSR input ``where`` is ``indptr``; all rows of a dense X share
    one list of columns, so that it is read in place, without indices of its own.
    """

    indptr: np.ndarray
    where: np.ndarray
    indices: np.ndarray
    data: np.ndarray


def as_rows(X: Any) -> Rows:
    """View X, (n_samples, n_features), dense or CSR, in float64."""
    if sparse.issparse(X):
        indptr = X.indptr.astype(np.int64)
        data = np.ascontiguousarray(X.data, dtype=np.float64)
        return Rows(indptr, indptr[:-1], X.indices.astype(np.int32, copy=False), data)
    n_samples, n_features = X.shape
    indptr = np.arange(n_samples + 1, dtype=np.int64) * n_features
    columns = np.arange(n_features, dtype=np.int32)
    data = np.ascontiguousarray(X, dtype=np.float64).ravel()
    return Rows(indptr, np.zeros(n_samples, dtype=np.int64), columns, data)
