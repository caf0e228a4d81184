"""One view of dense and sparse rows, for kernels that read a row at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelspan.jit import read_only


class RowLists(NamedTuple):
    """Rows of X as value lists; a dense row is a sparse row that stores every column.

    Row i has the values ``data[indptr[i]:indptr[i + 1]]`` in the columns ``indices[where[i]:]``.
    For CSR, ``where`` is ``indptr``; all rows of a dense X share one list, so X is read in place.
    """

    indptr: np.ndarray
    where: np.ndarray
    indices: np.ndarray
    data: np.ndarray


def as_rows(X: Any) -> RowLists:
    """View X, (n_samples, n_features), dense or CSR, in float64."""
    if sparse.issparse(X):
        indptr = read_only(X.indptr, np.int64)
        indices, data = read_only(X.indices, np.int32), read_only(X.data, np.float64)
        return RowLists(indptr, indptr[:-1], indices, data)
    n_samples, n_features = X.shape
    indptr = read_only(np.arange(n_samples + 1) * n_features, np.int64)
    columns = read_only(np.arange(n_features), np.int32)
    where = read_only(np.zeros(n_samples), np.int64)
    return RowLists(indptr, where, columns, read_only(X, np.float64).ravel())
