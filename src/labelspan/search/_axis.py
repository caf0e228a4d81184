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
        """Micro-F1 (k, len) of several scores (k, n, q) above each cut, where the truth is known.

        An entry counts in one of three histograms: label absent, present, or NaN.
        """
        own, seen = truth > 0, ~np.isnan(truth)
        kinds = self.n_bins * np.where(seen, own, 2).astype(np.int64)
        half, found = self.n_bins / 2, np.empty((len(scores), len(self)))
        n_own, starts = np.count_nonzero(own), own.shape[1] * np.arange(len(own))[:, None]
        for i, each in enumerate(scores):
            bins = np.abs(each)
            bins += 1.0
            np.divide(each, bins, out=bins)
            bins *= half
            bins += half
            keys = np.minimum(bins, self.n_bins - 1).astype(np.int64)
            keys += kinds
            absent, present = self._above(keys)
            of_least = []
            for least in self.least:
                known = right = less = right_less = 0
                if least > 0:
                    # The best labels of a row are predicted at every cut.
                    best = best_columns(each, least) + starts
                    wrong_above, right_less = self._above(keys.ravel()[best])
                    known = int(seen.ravel()[best].sum())
                    right = int(own.ravel()[best].sum())
                    less = wrong_above + right_less
                hits, chosen = present - right_less + right, absent + present - less + known
                of_least.append(2.0 * hits / np.maximum(chosen + n_own, 1))
            found[i] = np.concatenate(of_least)
        return found

    def _above(self, keys: np.ndarray) -> np.ndarray:
        """How many entries without (0) and with (1) their label are above each cut."""
        counts = np.bincount(keys.ravel(), minlength=3 * self.n_bins).reshape(3, self.n_bins)
        return counts[:2, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]


def best_columns(scores: np.ndarray, n_best: int) -> np.ndarray:
    """The columns (n, n_best) of the largest scores of each row, of equal ones the first."""
    if n_best == 1:
        return scores.argmax(axis=1)[:, None]
    return np.argsort(-scores, axis=1, kind="stable")[:, :n_best]


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
