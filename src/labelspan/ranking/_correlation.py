"""Label correlation: learnt, and of the labels themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.arrays import dense
from labelspan.gate import check_labels


def to_correlation(covariance: np.ndarray) -> np.ndarray:
    """Scale to a unit diagonal; rows of zero variance stay zero."""
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    return covariance * np.outer(scale, scale)


def label_correlation(Y: Any) -> np.ndarray:
    """Correlation of the label columns.

    Parameters
    ----------
    Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
        Label indicators.

    Returns
    -------
    ndarray of shape (n_labels, n_labels)
        Pearson correlation; 0 for a label that no row or every row has.

    Examples
    --------
    >>> from labelspan.ranking import label_correlation
    >>> label_correlation([[1, 0], [0, 1], [1, 0]]).round(6).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    Y = check_labels(Y).Y
    mean = np.asarray(Y.mean(axis=0)).ravel()
    covariance = dense(Y.T @ Y) / Y.shape[0] - np.outer(mean, mean)
    constant = (mean == 0) | (mean == 1)
    covariance[constant] = covariance[:, constant] = 0.0
    return to_correlation(covariance)
