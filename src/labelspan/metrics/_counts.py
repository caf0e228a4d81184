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
        return count_true(self.array, axis=1)

    @cached_property
    def labels(self) -> np.ndarray:
        return count_true(self.array, axis=0)


class Counts(NamedTuple):
    """True, predicted and common labels; `n_observed` pairs, None if all are."""

    true: Side
    predicted: Side
    common: Side
    n_observed: int | None = None

    @property
    def n_pairs(self) -> int:
        n_samples, n_labels = self.true.array.shape
        return n_samples * n_labels if self.n_observed is None else self.n_observed


def count(Y_true: Any, Y_pred: Any, observed: Any = None, *, by_label: bool = False) -> Counts:
    """Counts of rows and labels with an observed entry, at a byte per entry if dense."""
    if isinstance(Y_true, Counts):
        return Y_true
    known = compare_labels(Y_true, Y_pred, observed, by_label=by_label)
    Y, P, n_observed = known.truth, known.output, None
    if known.observed is not None:
        P = dense(P) & known.observed
        n_observed = int(known.observed.sum())
    return Counts(Side(Y), Side(P), Side(both(Y, P)), n_observed)
