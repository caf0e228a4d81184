"""The label matrix that a splitter reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length

from labelspan.metrics import check_labels


def label_matrix(X: Any, y: Any) -> Any:
    """Return the labels as a boolean CSR array; 1-d class labels become one-hot.

    Parameters
    ----------
    X : array-like or None
        Only its length is looked at.
    y : array-like, frame or sparse of shape (n_samples, n_labels) or (n_samples,)
        Label indicators, or class labels in one dimension.

    Returns
    -------
    csr_array of bool of shape (n_samples, n_labels)
    """
    if y is None:
        raise ValueError("y is None; a stratified split needs the labels: split(X, Y).")
    if X is not None:
        check_consistent_length(X, y)
    if not sparse.issparse(y) and np.ndim(y) == 1:
        classes, code = np.unique(np.asarray(y), return_inverse=True)
        ones = (np.ones(len(code), dtype=bool), (np.arange(len(code)), code))
        return sparse.csr_array(ones, shape=(len(code), len(classes)))
    Y = sparse.csr_array(check_labels(y, "y"))
    Y.sort_indices()
    return Y
