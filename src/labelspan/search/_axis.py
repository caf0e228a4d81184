"""Thresholds as one more axis of a search: measures at every cut, and the best cut of all folds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

# Cuts of the scores s that are compared, equally spaced in s / (1 + |s|): many where scores are
# near 0 or 1, for micro-F1 by counts and for other measures one by one.
N_BINS, N_COARSE = 512, 32


@dataclass(frozen=True)
class Axis:
    """Cuts by which labels are predicted, each with every least number of labels per row."""

    n_bins: int
    least: tuple[int, ...]

    @cached_property
    def cuts(self) -> np.ndarray:
        """The thresholds (n_bins - 1,), ascending; a score that equals one exceeds it."""
        inner = np.linspace(-1.0, 1.0, self.n_bins + 1)[1:-1]
        return np.nextafter(inner / (1.0 - np.abs(inner)) - 1e-12, -np.inf)

    def __len__(self) -> int:
        return len(self.least) * (self.n_bins - 1)

    def at(self, i: int) -> tuple[float, int]:
        """Threshold and least number of labels at place i."""
        row, column = divmod(i, self.n_bins - 1)
        return float(self.cuts[column]), self.least[row]

    def micro_f1(self, scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """Micro-F1 (len,) of scores (n, q) above each cut, where the truth is not NaN."""
        half = self.n_bins / 2
        bins = np.minimum(scores / (1.0 + np.abs(scores)) * half + half, self.n_bins - 1)
        bins, own, seen = bins.astype(np.int64), truth > 0, ~np.isnan(truth)
        every, hits = self._count(bins[seen]), self._count(bins[own])
        found = []
        for least in self.least:
            best = np.argsort(-scores, axis=1, kind="stable")[:, :least]
            top, known, right = (np.take_along_axis(A, best, axis=1) for A in (bins, seen, own))
            # The best labels of a row are predicted at every cut.
            chosen = every - self._count(top[known]) + known.sum()
            found.append(
                2.0 * (hits - self._count(top[right]) + right.sum()) / (chosen + own.sum())
            )
        return np.concatenate(found)

    def _count(self, bins: np.ndarray) -> np.ndarray:
        """How many are above each cut."""
        counts = np.bincount(bins, minlength=self.n_bins)
        return counts[::-1].cumsum()[::-1][1:]


def best_places(of_folds: np.ndarray) -> np.ndarray:
    """For measures (n_folds, n_points, len) the place (n_points,) of the best mean.

    In the middle of equal ones, which are next to each other where scores are few.
    """
    mean = of_folds.mean(axis=0)
    mean = np.where(np.isnan(mean), -np.inf, mean)
    first = mean.argmax(axis=1)
    equal = mean == mean[np.arange(len(mean)), first][:, None]
    beyond = np.arange(mean.shape[1]) >= first[:, None]
    ends = np.where((~equal & beyond).any(axis=1), (~equal & beyond).argmax(axis=1), mean.shape[1])
    return np.asarray((first + ends - 1) // 2)
