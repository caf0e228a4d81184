"""The (instance, relevant label, irrelevant label) triples behind the dual variables."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelspan.gate import has_holes


class Pairs(NamedTuple):
    """All pairs (k, l) of an observed relevant and irrelevant label, instance by instance.

    Those of instance i are numbered from ``start[i]``, relevant label by relevant label; `relevant`
    and `irrelevant` list the labels from ``*_start[i]``. `share` is 1 / (|y_i| |ybar_i|), the
    weight of a pair in Eq. (1), times that of the instance; 0 for a row with no label or all.
    """

    relevant_start: np.ndarray
    relevant: np.ndarray
    irrelevant_start: np.ndarray
    irrelevant: np.ndarray
    start: np.ndarray
    share: np.ndarray

    @classmethod
    def of(
        cls,
        Y: Any,
        max_pairs: int | None,
        rng: np.random.Generator,
        weights: np.ndarray | None = None,
    ) -> Pairs:
        """List the pairs of an indicator matrix (n, q), with NaN where a label is not observed.

        Beyond `max_pairs` irrelevant labels are sampled: each instance keeps as many as an equal
        share of the pairs allows, at least one. At most 12 bytes per pair, with its dual variable.
        """
        seen = ~np.isnan(Y) if has_holes(Y) else None
        Y = sparse.csr_array(Y if seen is None else Y > 0)
        Y.sort_indices()
        n_seen = Y.shape[1] if seen is None else seen.sum(axis=1)
        relevant = np.diff(Y.indptr).astype(np.int64)
        usable = (relevant > 0) & (relevant < n_seen)
        irrelevant = np.where(usable, n_seen - relevant, 0)
        relevant = np.where(usable, relevant, 0)
        kept = irrelevant
        total = int((relevant * irrelevant).sum())
        if max_pairs is not None and total > max_pairs:
            kept = fit_budget(relevant, irrelevant, max_pairs)
            warnings.warn(
                f"The labels form {total} pairs, max_pairs is {max_pairs}: irrelevant labels are "
                f"sampled, {kept[usable].mean():.1f} of {irrelevant[usable].mean():.1f} per row, "
                f"{int((relevant * kept).sum())} pairs in all. "
                "Raise max_pairs or set it to None to use them all (8 to 12 bytes per pair).",
                stacklevel=2,
            )
        labels = Y.indices[np.repeat(usable, np.diff(Y.indptr))].astype(np.int32)
        starts = [np.concatenate([[0], np.cumsum(c)]) for c in (relevant, kept, relevant * kept)]
        lacking = complement(labels, starts[0], starts[1], Y.shape[1], rng, seen)
        counts = relevant * kept
        share = np.ones(len(counts)) if weights is None else weights
        share = np.divide(share, counts, out=np.zeros(len(counts)), where=counts > 0)
        return cls(starts[0], labels, starts[1], lacking, starts[2], share)

    @property
    def counts(self) -> np.ndarray:
        """Number of pairs of each instance, |y_i| |ybar_i|."""
        return np.diff(self.start)


def fit_budget(relevant: np.ndarray, irrelevant: np.ndarray, max_pairs: int) -> np.ndarray:
    """How many irrelevant labels each row keeps: min(all, r), the largest r within the budget."""
    low, high = 1, int(irrelevant.max())
    while low < high:
        middle = (low + high + 1) // 2
        if (relevant * np.minimum(irrelevant, middle)).sum() <= max_pairs:
            low = middle
        else:
            high = middle - 1
    return np.minimum(irrelevant, low)


def complement(
    labels: np.ndarray,
    label_start: np.ndarray,
    kept_start: np.ndarray,
    n_labels: int,
    rng: np.random.Generator,
    seen: np.ndarray | None = None,
) -> np.ndarray:
    """The observed labels that each row lacks, or a sorted sample if fewer are kept."""
    lacking = np.empty(kept_start[-1], dtype=np.int32)
    everything = np.arange(n_labels, dtype=np.int32)
    absent = np.ones(n_labels, dtype=bool)
    for i in np.flatnonzero(np.diff(kept_start)):
        present = labels[label_start[i] : label_start[i + 1]]
        absent[present] = False
        row = everything[absent if seen is None else absent & seen[i]]
        absent[present] = True
        n_kept = kept_start[i + 1] - kept_start[i]
        if n_kept < len(row):
            row = np.sort(rng.choice(row, n_kept, replace=False))
        lacking[kept_start[i] : kept_start[i + 1]] = row
    return lacking
