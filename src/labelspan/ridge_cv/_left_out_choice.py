"""From left-out scores to a ridge, and to thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from labelspan.base import pick, remember
from labelspan.classifiers import MultiOutputRidge
from labelspan.cuts import Cuts, best_cut, best_cuts
from labelspan.gate import Labels
from labelspan.metrics import MEASURES, SKLEARN_NAMES, Measure, get_measure, goal_of
from labelspan.ridge_cv._leave_one_out import Space
from labelspan.ridge_cv._row_sample import COMPARED, LeftOut, Training
from labelspan.search import KnownScores

# Digits of the criterion beyond which a difference is rounding.
DIGITS = 9
# Steps between the ridges that are compared first, where there are many rows.
STRIDE = 3


@dataclass(frozen=True)
class Compared:
    """Criterion and squared error of the left-out scores for each ridge; NaN if not compared."""

    ridges: np.ndarray
    scores: np.ndarray
    errors: np.ndarray

    @property
    def order(self) -> np.ndarray:
        """The ridges, the best last: by the criterion, and for equal ones by the error."""
        rounded = np.round(np.where(np.isnan(self.scores), -np.inf, self.scores), DIGITS)
        return np.lexsort((np.where(np.isnan(self.errors), -np.inf, -self.errors), rounded))

    @property
    def key(self) -> tuple[float, float]:
        """Criterion and error of the best ridge; larger is better."""
        i = self.order[-1]
        return float(np.round(self.scores[i], DIGITS)), -float(self.errors[i])


def compare(space: Space, ridges: np.ndarray, data: Training, judge: Judge) -> Compared:
    """Judge the left-out scores of the compared rows for each ridge.

    Where there are more rows than are compared, every third ridge first, then those around the
    best of these.
    """
    X, at, T, weights = data.compared
    P = space.coordinates(X, at)
    found = Compared(ridges, np.full(len(ridges), np.nan), np.full(len(ridges), np.nan))
    stride = STRIDE if data.sums.n_rows > COMPARED else 1
    for chosen in (slice(None, None, stride), slice(None)):
        best, places = found.order[-1], np.arange(len(ridges))
        near = places[chosen] if chosen.step else places[abs(places - best) < stride]
        for i in near[np.isnan(found.scores[near])]:
            L = space.ridges.left_out(P, T, weights, ridges[i])
            found.scores[i] = judge.score(L, X, at, T)
            found.errors[i] = np.mean(np.square(T - L))
    return found


class Judge:
    """Judges left-out scores by a measure, or by a scorer of scikit-learn."""

    def __init__(self, scoring: Any, labels: Labels) -> None:
        name = SKLEARN_NAMES.get(scoring, scoring) if isinstance(scoring, str) else ""
        self.measure: Measure | None = None
        if name in MEASURES:
            skip = {"undefined_rows": "skip"} if name == "average_precision" else {}
            self.measure = get_measure(name, **skip)
            return
        owner = MultiOutputRidge()
        remember(owner, labels)
        self.known = KnownScores(owner)
        self.scorer = check_scoring(self.known, scoring=scoring)

    def score(self, L: np.ndarray, X: Any, at: Any, T: np.ndarray) -> float:
        """The criterion of scores L (m, q) of the rows X[at] with targets T; greater is better."""
        positive = T > 0
        present = positive.any(axis=0)
        if self.measure is None:
            self.known.scores = L
            self.known.cuts = np.array(best_cut(L[:, present], positive[:, present])[0])
            return float(self.scorer(self.known, X[at], truth_of(self.known.owner, positive)))
        if not present.any():
            return 0.0
        L, positive = L[:, present], positive[:, present]
        if self.measure.needs == "labels":
            output: np.ndarray = best_cut(L, positive)[0] < L
        else:
            output = L
        if self.measure.name == "average_precision" and L.shape[1] == 1:
            # One label ranks nothing within a row; its rows are ranked instead.
            output, positive = output.T, positive.T
        value = self.measure(positive, output)
        return value if self.measure.direction == "max" else -value


def truth_of(known: MultiOutputRidge, positive: np.ndarray) -> np.ndarray:
    """Labels in the form of scorers: indicators, or classes of a 1-d y."""
    if not known._one_dimensional:
        return positive.astype(np.int64)
    codes = positive.argmax(axis=1) if positive.shape[1] > 1 else positive[:, 0].astype(np.int64)
    return np.asarray(pick(known.classes_, codes))


def cuts_of(left: LeftOut, threshold: Any, min_labels: int) -> Cuts:
    """The thresholds of left-out scores, and the least number of labels per row."""
    if not isinstance(threshold, str):
        numbers = np.full(left.scores.shape[1], float(threshold))
        return Cuts(numbers, min_labels, float(threshold))
    return best_cuts(
        left.scores,
        left.positive,
        goal_of(threshold),
        weights=left.weights,
        min_labels=min_labels,
    )
