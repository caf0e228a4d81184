"""Neighbours by label: the nearest of the rows where the label is observed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# One search for this many times the neighbours that labels need on average, plus some, leaves few
# labels that need their own search.
WIDER, MORE = 3, 20
# Largest number of indices that this search may return, 128 MB.
MAX_CELLS = 2**24

#: search(rows, k): numbers (n, k) of the nearest among these training rows, None for all of them.
Search = Callable[[np.ndarray | None, int], Any]


@dataclass(frozen=True, eq=False)
class Reference:
    """Training labels (n, q), False where not observed, and numbers of neighbours by label."""

    Y: np.ndarray
    observed: np.ndarray
    n_nearest: np.ndarray

    @classmethod
    def of(cls, Y: np.ndarray, k: int) -> Reference:
        """From labels (n_train, n_labels) with NaN, and the number of neighbours."""
        observed = ~np.isnan(Y)
        n_others = np.maximum(observed.sum(axis=0) - 1, 0)
        warn_of_few(n_others, k)
        return cls(Y > 0, observed, np.minimum(k, n_others))

    def counts(self, search: Search, n_queries: int | None = None) -> np.ndarray:
        """How many of the nearest observed rows have each label, for queries or training rows."""
        training = n_queries is None
        n_train, n_labels = self.Y.shape
        shape = (n_train if n_queries is None else n_queries, n_labels)
        counts = np.zeros(shape, dtype=np.int64)
        near = self._wide(search, n_train - training, shape[0])
        for label in np.flatnonzero(self.n_nearest):
            seen, k = self.observed[:, label], int(self.n_nearest[label])
            asked = np.flatnonzero(seen) if training else np.arange(shape[0])
            if near is not None:
                place = np.cumsum(seen[near[asked]], axis=1, dtype=np.int32)
            if near is None or (place[:, -1] < k).any():
                own = search(np.flatnonzero(seen), k)
                counts[asked, label] = self.Y[seen, label][own].sum(axis=1)
            else:
                # Labels that are not observed are not there to be counted.
                has = self.Y[near[asked], label] & (place <= k)
                counts[asked, label] = has.sum(axis=1)
        return counts

    def _wide(self, search: Search, n_others: int, n_queries: int) -> Any:
        """Neighbours of all rows, enough for most labels."""
        share = max(float(np.median(self.observed.mean(axis=0))), 1 / len(self.Y))
        width = int(WIDER * self.n_nearest.max() / share) + MORE
        width = min(width, n_others, MAX_CELLS // max(n_queries, 1))
        return search(None, width) if width >= self.n_nearest.max() > 0 else None


def observed_histogram(counts: np.ndarray, Y: np.ndarray, k: int) -> np.ndarray:
    """Observed rows without and with each label, by number of neighbours: (2, n_labels, k + 1)."""
    table = np.zeros((2, Y.shape[1], k + 1))
    rows, labels = np.nonzero(~np.isnan(Y))
    np.add.at(table, (Y[rows, labels].astype(np.int64), labels, counts[rows, labels]), 1.0)
    return table


def warn_of_few(n_others: np.ndarray, k: int) -> None:
    """Warn of labels that are observed in fewer rows than `n_neighbors`."""
    few = np.flatnonzero(n_others < k)
    if len(few):
        shown = ", ".join(map(str, few[:5])) + (", ..." if len(few) > 5 else "")
        warnings.warn(
            f"{len(few)} label(s) ({shown}) are observed in {k} rows or fewer, where "
            f"n_neighbors={k}: all other observed rows are their neighbours, and a label without "
            "any observed row is never predicted. Lower n_neighbors, or drop these columns of y.",
            stacklevel=2,
        )
