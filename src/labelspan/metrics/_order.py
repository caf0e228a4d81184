"""Labels of each row in order of falling score, with ties marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelspan.metrics._input import check_labels_and_scores, row_blocks


@dataclass(frozen=True)
class Order:
    """A block of rows, each sorted by falling score; positions count from 0.

    Parameters
    ----------
    order : ndarray of int of shape (n_rows, n_labels)
        Label at each position; tied labels in the order of their columns.
    relevant : ndarray of bool of shape (n_rows, n_labels)
        Whether the label at a position is true.
    first, last : ndarray of int of shape (n_rows, n_labels)
        Labels that score strictly higher than the one at a position; labels that score at
        least as high. They differ by the size of the tie.
    """

    order: np.ndarray
    relevant: np.ndarray
    first: np.ndarray
    last: np.ndarray

    def relevant_before(self, bound: np.ndarray) -> np.ndarray:
        """Count relevant labels at positions below each entry of `bound`."""
        total = np.zeros((len(self.relevant), self.relevant.shape[1] + 1))
        np.cumsum(self.relevant, axis=1, out=total[:, 1:])
        return np.take_along_axis(total, bound, axis=1)


def ordered_blocks(Y_true: Any, Y_score: Any) -> Iterator[Order]:
    """Yield the rows in blocks, each sorted by falling score.

    Notes
    -----
    Time O(n q log q), memory of one block.
    """
    for y, s in row_blocks(*check_labels_and_scores(Y_true, Y_score)):
        yield _order_block(y, s)


def _order_block(y: np.ndarray, s: np.ndarray) -> Order:
    order = np.argsort(-s, axis=1, kind="stable")
    descending = np.take_along_axis(s, order, axis=1)
    n_labels = s.shape[1]
    positions = np.arange(n_labels)
    starts = np.ones(s.shape, dtype=bool)
    starts[:, 1:] = descending[:, 1:] != descending[:, :-1]
    first = np.maximum.accumulate(np.where(starts, positions, 0), axis=1)
    ends = np.ones(s.shape, dtype=bool)
    ends[:, :-1] = starts[:, 1:]
    reached = np.where(ends, positions + 1, n_labels)
    last = np.minimum.accumulate(reached[:, ::-1], axis=1)[:, ::-1]
    return Order(order, np.take_along_axis(y, order, axis=1), first, last)
