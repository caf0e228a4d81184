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
        Label indicators. Counts that are known already may stand in for `Y_true`.

    Returns
    -------
    Counts

    Notes
    -----
    Two sparse arguments cost time and memory in proportion to their stored entries; otherwise
    blocks of rows are made dense one at a time.
    """
    if isinstance(Y_true, Counts):
        return Y_true
    Y, P = check_indicators(Y_true, "Y_true"), check_indicators(Y_pred, "Y_pred")
    check_same_shape(Y, P, ("Y_true", "Y_pred"))
    if sparse.issparse(Y) and sparse.issparse(P):
        both = Y.multiply(P)
        rows = tuple(_total(array, 1) for array in (Y, P, both))
        labels = tuple(_total(array, 0) for array in (Y, P, both))
    else:
        rows, labels = _count_blocks(Y, P)
    return Counts(Y.shape, *rows, *labels)


def count_each(Y: np.ndarray, predictions: np.ndarray) -> list[Counts]:
    """Counts of several predictions of the same labels, which measures take in place of `Y_true`.

    Parameters
    ----------
    Y : ndarray of bool of shape (n_samples, n_labels)
        True label indicators.
    predictions : ndarray of bool of shape (n_predictions, n_samples, n_labels)
        Predicted label indicators.

    Returns
    -------
    list of Counts
        One for each prediction, at a fraction of the cost of one by one where they are small.
    """
    (rows_true,), (labels_true,) = _sums(Y[None])
    (rows, labels), (rows_both, labels_both) = _sums(predictions), _sums(predictions & Y)
    each = zip(rows, rows_both, labels, labels_both, strict=True)
    return [Counts(Y.shape, rows_true, r, r2, labels_true, c, c2) for r, r2, c, c2 in each]


def _sums(arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of booleans (k, n, q) over labels and over rows."""
    # Products with ones add up short rows several times as fast as a sum of booleans.
    exact: Any = np.float32 if max(arrays.shape[1:]) < 2**24 else np.float64
    numbers: Any = arrays.astype(exact)
    by_row = numbers @ np.ones(arrays.shape[2], dtype=exact)
    by_label = np.ones(arrays.shape[1], dtype=exact) @ numbers
    return by_row.astype(np.int64), by_label.astype(np.int64)


def _count_blocks(Y: Any, P: Any) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    by_row: list[tuple[np.ndarray, ...]] = []
    by_label = np.zeros((3, Y.shape[1]), dtype=np.int64)
    for y, p in row_blocks(Y, P):
        rows, labels = _sums(np.stack([y, p, y & p]))
        by_row.append(tuple(rows))
        by_label += labels
    rows_of_all = tuple(np.concatenate(column) for column in zip(*by_row, strict=True))
    return rows_of_all, tuple(by_label)


def _total(array: Any, axis: int) -> np.ndarray:
    # A boolean CSR array sums as bool in some SciPy versions; its stored entries are the ones.
    return np.asarray(array.astype(np.int64).sum(axis=axis)).ravel()
