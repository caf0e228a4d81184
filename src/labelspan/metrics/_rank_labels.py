"""Ranks of the true labels of each row by decreasing score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import dense
from labelspan.jit import inner_kernel, kernel, read_only
from labelspan.metrics._input import Compared, compare_scores
from labelspan.metrics._on_device import device_ranks

# Time of the searches for one score in Python, in steps of a loop.
SEARCH_STEPS = 8

# Not a literal, because numba would compile the kernel again for it.
ONE = np.int64(1)


@dataclass(frozen=True, eq=False)
class LabelRanks:
    """True labels by row and decreasing score, from ``starts[i]``; places count from 0."""

    n_labels: np.ndarray
    starts: np.ndarray
    # The column of each true label in the input.
    label: np.ndarray
    # Labels of the row that score strictly higher; that score at least as high; that come before if
    # tied labels are ordered by their columns.
    first: np.ndarray
    last: np.ndarray
    place: np.ndarray
    # The same counts among the true labels of the row.
    true_first: np.ndarray
    true_last: np.ndarray
    true_place: np.ndarray

    @property
    def n_true(self) -> np.ndarray:
        return np.diff(self.starts)

    def row_sums(self, values: np.ndarray) -> np.ndarray:
        n_rows = len(self.starts) - 1
        rows = np.repeat(np.arange(n_rows), self.n_true)
        return np.bincount(rows, weights=values, minlength=n_rows)


def rank_labels(Y_true: Any, Y_score: Any, observed: Any = None) -> LabelRanks:
    """Rank the true labels of each row by score, see :func:`compare_scores`."""
    return rank(compare_scores(Y_true, Y_score, observed))


def rank(known: Compared) -> LabelRanks:
    """Rank the true labels of each row among the observed ones.

    Row by row: the c true labels are sorted, and each score is located among them, in time
    O(m log c) for a row of m stored scores. Nothing is made dense unless labels are not observed;
    memory O(nnz(truth)).
    """
    if known.on_device:
        return LabelRanks(*device_ranks(known.truth, known.output))
    Y, S = sparse.csr_array(known.truth), known.output
    n_labels = np.full(Y.shape[0], Y.shape[1])
    if known.observed is not None:
        n_labels = known.observed.sum(axis=1)
        # Placed last, so that they are not counted before a true label.
        S = np.where(known.observed, dense(S), -np.inf)
    Y.sort_indices()
    starts, labels = Y.indptr.astype(np.int64), Y.indices.astype(np.int64)
    counts = np.zeros((6, len(labels)), dtype=np.int64)
    if known.is_sparse:
        S.sort_indices()
        parts = (S.indptr.astype(np.int64), S.indices.astype(np.int64), S.data)
        ranked = _rank_sparse.for_steps(SEARCH_STEPS * S.nnz)
        ranked(starts, labels, *parts, S.shape[1], counts)
    else:
        scores = read_only(S, np.float64)
        _rank_dense.for_steps(SEARCH_STEPS * S.size)(starts, labels, scores, counts)
    columns = labels if known.labels is None else known.labels[labels]
    return LabelRanks(n_labels, starts, columns, *counts)


@kernel
def _rank_dense(starts, labels, S, counts):  # type: ignore[no-untyped-def]
    columns = np.arange(S.shape[1])
    for i in range(len(S)):
        a, b = starts[i], starts[i + 1]
        if a < b:
            true = np.empty(b - a)
            for t in range(b - a):
                true[t] = S[i, labels[a + t]]
            _rank_row(labels[a:b], true, columns, S[i], S.shape[1], counts[:, a:b])


@kernel
def _rank_sparse(starts, labels, s_starts, s_columns, s_values, n_labels, counts):  # type: ignore[no-untyped-def]
    for i in range(len(starts) - 1):
        a, b = starts[i], starts[i + 1]
        if a < b:
            columns = s_columns[s_starts[i] : s_starts[i + 1]]
            values = s_values[s_starts[i] : s_starts[i + 1]]
            true = np.zeros(b - a)
            for t in range(b - a):
                place = np.searchsorted(columns, labels[a + t])
                if place < len(columns) and columns[place] == labels[a + t]:
                    true[t] = values[place]
            _rank_row(labels[a:b], true, columns, values, n_labels, counts[:, a:b])


@inner_kernel
def _rank_row(labels, true, columns, values, n_labels, counts):  # type: ignore[no-untyped-def]
    """Sort the true labels of a row, in place, and count the labels before each of them.

    A score raises the counts of all true labels from a position on: it is entered there only.
    """
    order = np.argsort(-true, kind="mergesort")
    labels[:] = labels[order]
    down = -true[order]
    first, last, tied = counts[0], counts[1], counts[2]
    for m in range(len(columns)):
        a = np.searchsorted(down, -values[m], side="left")
        b = np.searchsorted(down, -values[m], side="right")
        _enter(last, a, ONE)
        _enter(first, b, ONE)
        if a < b:
            c = a + np.searchsorted(labels[a:b], columns[m], side="right")
            _enter(tied, c, ONE)
            _enter(tied, b, -ONE)
    absent = n_labels - len(columns)
    if absent > 0:
        a = np.searchsorted(down, 0.0, side="left")
        b = np.searchsorted(down, 0.0, side="right")
        _enter(last, a, absent)
        _enter(first, b, absent)
    for t in range(1, len(down)):
        for c in range(3):
            counts[c, t] += counts[c, t - 1]
    if absent > 0:
        # Scores that are not stored are 0 and come before a true label of score 0 by column.
        for t in range(a, b):
            tied[t] += labels[t] - np.searchsorted(columns, labels[t])
    for t in range(len(down)):
        tied[t] += first[t]
        counts[3, t] = np.searchsorted(down, down[t], side="left")
        counts[4, t] = np.searchsorted(down, down[t], side="right")
        counts[5, t] = t


@inner_kernel
def _enter(row, place, amount):  # type: ignore[no-untyped-def]
    if place < len(row):
        row[place] += amount
