"""The counts that every label-set measure is a function of."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from labelspan.arrays import both, count_true, dense
from labelspan.metrics._input import compare_labels


class Side:
    """Counts of boolean indicators (n, q): true, predicted or common labels."""

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def total(self) -> int:
        """Number of ones; not cached, because counting is fast."""
        return int(count_true(self.array))

    @cached_property
    def rows(self) -> np.ndarray:
        """Labels of each row, (n_samples,)."""
        return count_true(self.array, axis=1)

    @cached_property
    def labels(self) -> np.ndarray:
        """Rows of each label, (n_labels,)."""
        return count_true(self.array, axis=0)


class Counts(NamedTuple):
    """True, predicted and common labels, by row, by label and in total.

    `n_observed` counts the observed pairs of a row and a label, None if all are.
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
    """Count true, predicted and common labels, over the rows and labels with an observed entry.

    `Y_true` may be Counts already. Sparse arguments cost their stored entries, dense ones a byte
    each.
    """
    if isinstance(Y_true, Counts):
        return Y_true
    known = compare_labels(Y_true, Y_pred, observed, by_label=by_label)
    Y, P, n_observed = known.truth, known.output, None
    if known.observed is not None:
        P = dense(P) & known.observed
        n_observed = int(known.observed.sum())
    return Counts(Side(Y), Side(P), Side(both(Y, P)), n_observed)
