"""Which parts of the rows each training set consists of, and sums of parts without subtraction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

Fold = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Parts:
    """Rows in parts, so that the training rows of every fold are some of the parts.

    `number` (n_partitions, n): the part of each row, -1 for none; `training`: the parts of each
    fold; `whole`: parts that are all rows together.
    """

    number: np.ndarray
    training: list[np.ndarray]
    whole: np.ndarray

    @property
    def n_parts(self) -> int:
        """How many parts there are, over all partitions."""
        return int(self.number.max()) + 1

    def training_sums(self, statistics: dict[int, Any]) -> list[Any]:
        """Statistics of the training rows of each fold from those of the parts."""
        sums: list[Any] = [None] * len(self.training)
        for partition in self.number:
            present = np.unique(partition[partition >= 0])
            folds = [i for i, parts in enumerate(self.training) if parts[0] in present]
            left_out: dict[int, list[int]] = {}
            for i in folds:
                missing = np.setdiff1d(present, self.training[i])
                if len(missing) == 1:
                    left_out.setdefault(int(missing[0]), []).append(i)
                else:
                    sums[i] = reduce(add, (statistics[p] for p in self.training[i].tolist()))
            kept = [statistics[p] for p in present.tolist() if p not in left_out]
            outside = reduce(add, kept) if kept else None
            others = without_each([statistics[p] for p in left_out], outside)
            for numbers, total in zip(left_out.values(), others, strict=True):
                for i in numbers:
                    sums[i] = total
        return sums

    def held_out(self, folds: Sequence[Fold]) -> list[np.ndarray] | None:
        """The parts of the held-out rows of each fold; None if some are not whole parts."""
        found = []
        for (_, test), training in zip(folds, self.training, strict=True):
            partition = next(p for p in self.number if training[0] in p)
            parts = np.setdiff1d(partition[test], training)
            if np.isin(partition, parts).sum() != len(test) or parts.min(initial=0) < 0:
                return None
            found.append(parts)
        return found

    def pooled(self, statistics: dict[int, Any]) -> Any:
        """Statistics of all rows."""
        return reduce(add, (statistics[p] for p in self.whole.tolist()))


def without_each(parts: list[Any], outside: Any) -> Iterator[Any]:
    """For each part the sum of the others and `outside`: O(k log k) additions, no difference."""
    if len(parts) < 2:
        yield from [outside] * len(parts)
        return
    middle = len(parts) // 2
    for mine, other in ((parts[:middle], parts[middle:]), (parts[middle:], parts[:middle])):
        total = reduce(add, other)
        yield from without_each(mine, total if outside is None else outside + total)


def parts_of(folds: Sequence[Fold], n_rows: int) -> Parts:
    """Rows that are in the same training sets of a run form one part.

    A run of k folds that needs more than k + 1 parts is divided: k-fold splits have k parts, each
    repetition is a run, and random splits get a few parts each.
    """
    number, training, start, first = [], [], 0, 0
    while start < len(folds):
        codes, stop = run_of(folds, start, n_rows)
        masks = [mask_of(train, n_rows) for train, _ in folds[start:stop]]
        # Rows that no fold of a run trains on are needed once, for the sum of all rows.
        idle = ~np.any(masks, axis=0)
        if start > 0:
            codes = np.where(idle, -1, codes)
        present, codes = numbered(codes, first)
        number.append(codes)
        training += [np.flatnonzero(np.bincount(codes[mask])) for mask in masks]
        start, first = stop, first + present
    whole = np.unique(number[0])
    return Parts(np.array(number), training, whole)


def run_of(folds: Sequence[Fold], start: int, n_rows: int) -> tuple[np.ndarray, int]:
    """Codes of the rows by training sets, for the longest worthwhile run; and where it ends."""
    codes = np.zeros(n_rows, dtype=np.int64)
    for stop in range(start, len(folds)):
        longer = 2 * codes + mask_of(folds[stop][0], n_rows)
        n_codes, longer = numbered(longer, 0)
        if stop > start and n_codes > stop - start + 2:
            return codes, stop
        codes = longer
    return codes, len(folds)


def numbered(codes: np.ndarray, first: int) -> tuple[int, np.ndarray]:
    """Number of codes, and the codes as integers from `first`; -1 is unchanged."""
    present = np.bincount(codes[codes >= 0]) > 0
    numbers = np.append(np.cumsum(present) - 1 + first, -1)
    return int(present.sum()), numbers[codes]


def mask_of(rows: np.ndarray, n_rows: int) -> np.ndarray:
    """Mask of these rows among all."""
    mask = np.zeros(n_rows, dtype=bool)
    mask[rows] = True
    return mask
