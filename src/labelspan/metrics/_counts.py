"""The counts that every label-set measure is a function of."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelspan.arrays import dense, is_device
from labelspan.gate import check_indicators
from labelspan.metrics import _on_device as on_device
from labelspan.metrics._input import BLOCK_CELLS, compare


class Side:
    """Indicators, counted on demand.

    Parameters
    ----------
    array : ndarray or csr_array of bool of shape (n_samples, n_labels)
        True, predicted or common labels.
    """

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def total(self) -> int:
        """Number of ones; not cached, because counting is fast."""
        if isinstance(self.array, np.ndarray):
            return int(np.count_nonzero(self.array))
        if is_device(self.array):
            return int(on_device.counts(self.array))
        return int(self.array.astype(np.int64).sum())

    @cached_property
    def rows(self) -> np.ndarray:
        """Labels of each row, (n_samples,)."""
        return _sums(self.array, 1)

    @cached_property
    def labels(self) -> np.ndarray:
        """Rows of each label, (n_labels,)."""
        return _sums(self.array, 0)


class Counts(NamedTuple):
    """True, predicted and common labels, by row, by label and in total.

    Parameters
    ----------
    true, predicted, common : Side
        What is counted. Several predictions of the same labels may share `true`.
    n_observed : int, optional
        Pairs of a row and a label, if not all of them are observed.
    """

    true: Side
    predicted: Side
    common: Side
    n_observed: int | None = None

    @property
    def n_pairs(self) -> int:
        """Pairs of a row and a label that are compared."""
        n_samples, n_labels = self.true.array.shape
        return n_samples * n_labels if self.n_observed is None else self.n_observed


def count(Y_true: Any, Y_pred: Any, observed: Any = None, *, by_label: bool = False) -> Counts:
    """Count true, predicted and common labels.

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse of shape (n_samples, n_labels)
        Label indicators. Known counts may replace `Y_true`.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.
    by_label : bool, default=False
        Whether to warn of a label that is never observed.

    Returns
    -------
    Counts
        Counts of observed labels, over rows and labels that have some.

    Notes
    -----
    A sparse argument costs time and memory in proportion to its stored entries, a dense one a
    byte per entry.
    """
    if isinstance(Y_true, Counts):
        return Y_true
    beside = None if observed is not None else on_device.side_by_side(Y_true, Y_pred)
    if beside is not None:
        Y, P = beside
        return Counts(Side(Y), Side(P), Side(Y & P))
    P = check_indicators(Y_pred, "Y_pred")
    known = compare(Y_true, P, observed, "Y_pred", by_label=by_label)
    Y, P = known.truth, known.output
    if known.observed is not None:
        P = dense(P) & known.observed
    first, second = (Y, P) if sparse.issparse(Y) else (P, Y)
    both = first.multiply(second) if sparse.issparse(first) else Y & P
    n_observed = None if known.observed is None else int(known.observed.sum())
    return Counts(Side(Y), Side(P), Side(both), n_observed)


def _sums(array: Any, axis: int) -> np.ndarray:
    if is_device(array):
        return on_device.counts(array, axis)
    # A boolean CSR array sums as bool in some SciPy versions; its stored entries are the ones.
    if sparse.issparse(array):
        return np.asarray(array.astype(np.int64).sum(axis=axis)).ravel()
    # Products with ones add up short rows several times as fast as a sum of booleans does;
    # integers are exact in float32 up to 2**24, more than a block has.
    height = max(1, BLOCK_CELLS // max(array.shape[1], 1))
    blocks = (array[i : i + height].astype(np.float32) for i in range(0, len(array), height))
    if axis == 1:
        ones = np.ones(array.shape[1], dtype=np.float32)
        return np.concatenate([block @ ones for block in blocks]).astype(np.int64)
    sums = np.zeros(array.shape[1], dtype=np.int64)
    for block in blocks:
        sums += (np.ones(len(block), dtype=np.float32) @ block).astype(np.int64)
    return sums
