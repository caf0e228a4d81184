"""Thresholds as one more axis of a search: measures at every cut, and the best cut of all folds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

# Cuts of the scores s that are compared, equally spaced in s / (1 + |s|): many where scores are
# near 0 or 1, for micro-F1 by counts and for other measures one by one.
N_BINS, N_COARSE = 512, 32
# Entries of scores that are counted at a time.
TOGETHER = 2**15


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
        n_own, starts = own.sum(), own.shape[1] * np.arange(len(own))[:, None]
        # Small ones are counted together, because each call costs more than they do.
        step = max(1, TOGETHER // max(own.size, 1))
        for first in range(0, len(scores), step):
            some = scores[first : first + step]
            bins = np.abs(some)
            bins += 1.0
            np.divide(some, bins, out=bins)
            bins *= half
            bins += half
            keys = np.minimum(bins, self.n_bins - 1).astype(np.int64)
            keys += kinds
            absent, present = self._above(keys)
            of_least = []
            for least in self.least:
                known = right = less = right_less = np.zeros((len(some), 1), dtype=np.int64)
                if least > 0:
                    # The best labels of a row are predicted at every cut.
                    best = (best_columns(some, least) + starts).reshape(len(some), -1)
                    of_best = np.take_along_axis(keys.reshape(len(some), -1), best, axis=1)
                    wrong_above, right_less = self._above(of_best)
                    known, right = (A.ravel()[best].sum(axis=1)[:, None] for A in (seen, own))
                    less = wrong_above + right_less
                hits, chosen = present - right_less + right, absent + present - less + known
                of_least.append(2.0 * hits / np.maximum(chosen + n_own, 1))
            found[first : first + step] = np.concatenate(of_least, axis=1)
        return found

    def _above(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How many entries (k, ...) without and with their label are above each cut, (k, cuts)."""
        k, width = len(keys), 3 * self.n_bins
        places = keys.reshape(k, -1) + width * np.arange(k)[:, None]
        counts = np.bincount(places.ravel(), minlength=k * width).reshape(k, 3, self.n_bins)
        above = counts[:, :2, ::-1].cumsum(axis=2)[:, :, ::-1][:, :, 1:]
        return above[:, 0], above[:, 1]


def best_columns(scores: np.ndarray, n_best: int) -> np.ndarray:
    """The columns (..., n_best) of the largest scores of each row, of equal ones the first."""
    if n_best == 1:
        return scores.argmax(axis=-1)[..., None]
    return np.argsort(-scores, axis=-1, kind="stable")[..., :n_best]


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
