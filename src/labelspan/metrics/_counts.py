"""The counts that every label-set measure is a function of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelspan._labels import check_indicators
from labelspan.metrics._input import check_same_shape, row_blocks


@dataclass(frozen=True)
class Counts:
    """True, predicted and common labels, by row and by label.

    Parameters
    ----------
    shape : tuple of int
        (n_samples, n_labels).
    row_true, row_predicted, row_common : ndarray of int of shape (n_samples,)
        Labels of each row that are true, predicted, both.
    label_true, label_predicted, label_common : ndarray of int of shape (n_labels,)
        Rows of each label where it is true, predicted, both.
    """

    shape: tuple[int, int]
    row_true: np.ndarray
    row_predicted: np.ndarray
    row_common: np.ndarray
    label_true: np.ndarray
    label_predicted: np.ndarray
    label_common: np.ndarray


def count(Y_true: Any, Y_pred: Any) -> Counts:
    """Count true, predicted and common labels.

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        Label indicators.

    Returns
    -------
    Counts

    Notes
    -----
    Two sparse arguments cost time and memory in proportion to their stored entries; otherwise
    blocks of rows are made dense one at a time.
    """
    Y, P = check_indicators(Y_true, "Y_true"), check_indicators(Y_pred, "Y_pred")
    check_same_shape(Y, P, ("Y_true", "Y_pred"))
    if sparse.issparse(Y) and sparse.issparse(P):
        both = Y.multiply(P)
        rows = tuple(_total(array, 1) for array in (Y, P, both))
        labels = tuple(_total(array, 0) for array in (Y, P, both))
    else:
        rows, labels = _count_blocks(Y, P)
    return Counts(Y.shape, *rows, *labels)


def _count_blocks(Y: Any, P: Any) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    by_row: list[tuple[np.ndarray, ...]] = []
    by_label = np.zeros((3, Y.shape[1]), dtype=np.int64)
    for y, p in row_blocks(Y, P):
        parts = (y, p, y & p)
        by_row.append(tuple(_total(part, 1) for part in parts))
        by_label += [_total(part, 0) for part in parts]
    rows = tuple(np.concatenate(column) for column in zip(*by_row, strict=True))
    return rows, tuple(by_label)


def _total(array: Any, axis: int) -> np.ndarray:
    # A boolean CSR array sums as bool in some SciPy versions; its stored entries are the ones.
    if sparse.issparse(array):
        return np.asarray(array.astype(np.int64).sum(axis=axis)).ravel()
    return array.sum(axis=axis, dtype=np.int64)
