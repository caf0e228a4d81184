"""Find the rows that a shift has moved, and the labels that it moved out of `Y`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.sparse.linalg import norm

from labelspan.datasets.description._profiles import (
    MAX_PROFILE_VALUES,
    MIN_SIMILARITY,
    frequent,
    profiles,
    scaled,
)

MIN_MATCHED = 0.75


@dataclass(frozen=True)
class Misplaced:
    """Rows (n,) bool whose label j is in column j + shift, and where the other labels are."""

    rows: np.ndarray
    shift: int
    overflow: str = "lost"

    def features(self, n_features: int) -> tuple[int, ...]:
        """Features that hold labels: the last ones if labels moved left, else the first."""
        if self.overflow != "features":
            return ()
        size = abs(self.shift)
        return tuple(range(n_features - size, n_features) if self.shift < 0 else range(size))

    def outside(self, X: sp.csc_array, Y: sp.csr_array) -> sp.csr_array:
        table = X if self.overflow == "features" else Y
        columns = slice(self.shift, None) if self.shift < 0 else slice(0, self.shift)
        return sp.csr_array(table[:, columns])

    def moved_back(self, X: sp.csc_array, Y: sp.csr_array) -> sp.csr_array:
        """Return the labels of all rows, assuming that all are misplaced."""
        overflow = self.outside(X, Y) == 1
        if self.shift < 0:
            return sp.csr_array(sp.hstack([overflow, Y[:, : self.shift]], dtype=np.float64))
        return sp.csr_array(sp.hstack([Y[:, self.shift :], overflow], dtype=np.float64))

    def mixed(self, back: sp.csr_array, Y: sp.csr_array) -> sp.csr_array:
        chosen = sp.diags_array(self.rows * 1.0)
        return sp.csr_array(chosen @ (back - Y) + Y)


def locate(
    X: sp.csc_array, Y: sp.csr_array, second: np.ndarray, shift: int, reach: int
) -> Misplaced:
    """Find which part is misplaced, `second` or not, its overflow, and its edge (+- reach)."""
    options = [
        Misplaced(rows, sign * shift, overflow)
        for overflow in ("features", "labels")
        for rows, sign in ((second, 1), (~second, -1))
        if overflow == "labels" or abs(shift) < X.shape[1]
    ]
    similarities = [_overflow_similarity(X, Y, option) for option in options]
    option = options[int(np.argmax(similarities))]
    if max(similarities) <= MIN_SIMILARITY:
        # In misplaced rows, the columns that the labels left are empty.
        lost = [replace(one, overflow="lost") for one in options if one.overflow == "labels"]
        option = min(lost, key=lambda one: one.outside(X, Y)[one.rows].sum() / one.rows.sum())
    return _refined(X, Y, option, reach) if reach else option


def _overflow_similarity(X: sp.csc_array, Y: sp.csr_array, option: Misplaced) -> float:
    """Mean cosine between the profiles of the labels that moved out and those in the other part."""
    size, n_labels = abs(option.shift), Y.shape[1]
    labels = np.arange(size) if option.shift < 0 else np.arange(n_labels - size, n_labels)
    comparable = _without_overflow(X, option, size)
    moved = option.moved_back(X, Y)[option.rows][:, labels]
    sound = Y[~option.rows][:, labels]
    shared = frequent(moved, sound)
    if not len(shared):
        return -np.inf
    there = profiles(comparable[option.rows], moved[:, shared])
    return float((there * profiles(comparable[~option.rows], sound[:, shared])).sum(axis=1).mean())


def matches(X: sp.csc_array, Y: sp.csr_array, option: Misplaced) -> bool:
    """Whether labels, once moved back, match themselves: some of reordered labels are shifted."""
    repaired = option.mixed(option.moved_back(X, Y), Y)
    shared = frequent(repaired[option.rows], repaired[~option.rows])
    comparable, repaired = _without_overflow(X, option, len(shared)), repaired[:, shared]
    parts = [profiles(comparable[rows], repaired[rows]) for rows in (option.rows, ~option.rows)]
    cosines = parts[0] @ parts[1].T
    best = cosines[linear_sum_assignment(cosines, maximize=True)].sum()
    return bool(cosines.trace() >= MIN_MATCHED * best)


def _refined(X: sp.csc_array, Y: sp.csr_array, option: Misplaced, reach: int) -> Misplaced:
    """The most likely row at which the parts meet, by how rows farther away differ."""
    rows = np.arange(len(option.rows))
    cut = int(np.flatnonzero(np.diff(option.rows))[0]) + 1
    is_near = abs(rows - cut) <= reach
    misplaced, sound = option.rows & ~is_near, ~option.rows & ~is_near
    evidence = _ratio_of_states(_states(X, Y, option), misplaced, sound)
    evidence += _ratio_of_fits(_fits(X, Y, option, ~is_near), misplaced, sound)
    # Evidence of the rows before each cut for being misplaced, minus that of the rows after it.
    said = 2 * np.cumsum(np.append(0.0, evidence[is_near])) - evidence[is_near].sum()
    best = int(np.argmax(said if option.rows[0] else -said)) + int(np.argmax(is_near))
    return replace(option, rows=(rows < best) == option.rows[0])


def _fits(X: sp.csc_array, Y: sp.csr_array, option: Misplaced, known: np.ndarray) -> np.ndarray:
    """How much better the labels of each row fit the profiles of known rows once moved back."""
    comparable, back = _without_overflow(X, option, Y.shape[1]), option.moved_back(X, Y)
    labels = profiles(comparable[known], option.mixed(back, Y)[known])
    mean = labels @ (comparable[known].sum(axis=0) / np.count_nonzero(known))
    lengths, change = norm(comparable, axis=1), sp.csr_array(back - Y)
    # In blocks of rows: the products of rows and profiles are dense.
    size = max(MAX_PROFILE_VALUES // Y.shape[1], 1)
    blocks = [slice(start, start + size) for start in range(0, Y.shape[0], size)]
    gains = [change[b].multiply(comparable[b] @ labels.T - mean).sum(axis=1) for b in blocks]
    return np.concatenate(gains) / np.where(lengths > 0, lengths, 1.0)


def _ratio_of_fits(fits: np.ndarray, misplaced: np.ndarray, sound: np.ndarray) -> np.ndarray:
    """Log likelihood ratio of two normal distributions of the same variance."""
    high, low = fits[misplaced].mean(), fits[sound].mean()
    variance = np.concatenate([fits[misplaced] - high, fits[sound] - low]).var()
    return (fits - (high + low) / 2) * (high - low) / max(variance, 1e-12)


def _states(X: sp.csc_array, Y: sp.csr_array, option: Misplaced) -> np.ndarray:
    """State of each row: 0 it cannot be misplaced, 1 it has an overflow, 2 it has none."""
    overflow = option.outside(X, Y)
    is_odd = (overflow != 0).sum(axis=1) > (overflow == 1).sum(axis=1)
    if option.overflow == "features":
        is_odd |= replace(option, overflow="labels").outside(X, Y).sum(axis=1) > 0
    return np.where(is_odd, 0, np.where(overflow.sum(axis=1) > 0, 1, 2))


def _ratio_of_states(states: np.ndarray, misplaced: np.ndarray, sound: np.ndarray) -> np.ndarray:
    """Log likelihood ratio of the states, from their frequencies among known rows."""
    counts = [np.bincount(states[rows], minlength=3) + 1.0 for rows in (misplaced, sound)]
    return np.log(counts[0] / counts[0].sum())[states] - np.log(counts[1] / counts[1].sum())[states]


def _without_overflow(X: sp.csc_array, option: Misplaced, n_labels: int) -> sp.csr_array:
    kept = np.setdiff1d(np.arange(X.shape[1]), option.features(X.shape[1]))
    return scaled(X[:, kept], n_labels)
