"""From left-out scores to a ridge, and to thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from labelspan.arrays import count_true, dense, in_memory, like, namespace, rows_at, sums
from labelspan.base import pick, remember
from labelspan.classifiers import MultiOutputRidge
from labelspan.cuts import Cuts, best_cut, best_cuts
from labelspan.gate import Labels
from labelspan.metrics import (
    MEASURES,
    SKLEARN_NAMES,
    Measure,
    get_measure,
    goal_of,
    refuse_unknown,
)
from labelspan.ridge_cv._leave_one_out import Space
from labelspan.ridge_cv._row_sample import COMPARED, LeftOut, Training
from labelspan.search import KnownScores, scored

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

    Where there are more rows than are compared, a quarter of these first judges every third ridge;
    all of them those around the best of these.
    """
    found = Compared(ridges, np.full(len(ridges), np.nan), np.full(len(ridges), np.nan))
    near = np.arange(len(ridges))
    if data.sums.n_rows > COMPARED and len(ridges) > STRIDE:
        coarse = Compared(ridges, found.scores.copy(), found.errors.copy())
        judged(coarse, near[::STRIDE], space, data.some(COMPARED // 4), judge)
        near = near[abs(near - coarse.order[-1]) < STRIDE]
    judged(found, near, space, data.compared, judge)
    return found


def judged(
    found: Compared, places: np.ndarray, space: Space, some: tuple[Any, ...], judge: Judge
) -> None:
    """Fill in the criterion and the error of some ridges on some rows."""
    X, at, T, _ = some
    left_out = space.left_out(*some)
    for i in places:
        L = left_out(float(found.ridges[i]))
        found.scores[i] = judge.score(L, X, at, T)
        found.errors[i] = squared_error(L, T)


def squared_error(L: np.ndarray, T: np.ndarray) -> float:
    """Mean square of T - L, over what is observed."""
    squares = (T - L) ** 2
    total = float(sums(squares))
    return float(np.nanmean(squares)) if np.isnan(total) else total / (T.shape[0] * T.shape[1])


class Judge:
    """Judges left-out scores by a measure, or by a scorer of scikit-learn."""

    def __init__(self, scoring: Any, labels: Labels) -> None:
        name = SKLEARN_NAMES.get(scoring, scoring) if isinstance(scoring, str) else ""
        self.measure: Measure | None = None
        self.holes = labels.missing
        if labels.missing and name not in MEASURES:
            raise ValueError(
                f"scoring={scoring!r} cannot leave out labels that are not observed (NaN). Pass a "
                f"name of labelspan.metrics.MEASURES: {', '.join(MEASURES)}."
            )
        if name in MEASURES:
            skip = {"undefined_rows": "skip"} if name == "average_precision" else {}
            self.measure = get_measure(name, **skip)
            return
        if isinstance(scoring, str):
            refuse_unknown(scoring)
        owner = MultiOutputRidge()
        remember(owner, labels)
        self.known = KnownScores(owner)
        self.scorer = check_scoring(self.known, scoring=scoring)

    def score(self, L: np.ndarray, X: Any, at: Any, T: np.ndarray) -> float:
        """The criterion of scores L (m, q) of the rows X[at] with targets T; greater is better."""
        positive = T > 0
        present = np.flatnonzero(count_true(positive, axis=0))
        if self.measure is None:
            return self._score(dense(L), X, at, dense(positive), present)
        if not len(present):
            return 0.0
        if len(present) < L.shape[1]:
            L, positive = columns_at(L, present), columns_at(positive, present)
        output, truth = L, positive
        if self.holes:
            seen = ~np.isnan(T[:, present])
            output, truth = np.where(seen, L, 0.0), np.where(seen, positive, np.nan)
        if self.measure.needs == "labels":
            observed = seen if self.holes else None
            output = best_cut(dense(L), dense(positive), observed=observed)[0] < L
        if self.measure.name == "average_precision" and L.shape[1] == 1:
            # One label ranks nothing within a row; its rows are ranked instead.
            output, truth = output.T, truth.T
        value = self.measure(truth, output)
        return value if self.measure.direction == "max" else -value

    def _score(
        self, L: np.ndarray, X: Any, at: Any, positive: np.ndarray, present: np.ndarray
    ) -> float:
        """The same by a scorer of scikit-learn."""
        self.known.scores = L
        self.known.cuts = np.array(best_cut(L[:, present], positive[:, present])[0])
        rows = rows_at(X, at)
        return float(scored(self.scorer, self.known, rows, truth_of(self.known.owner, positive)))


def columns_at(A: Any, columns: np.ndarray) -> Any:
    """Some columns of an array, by their numbers on the host."""
    return namespace(A).take(A, like(A, columns), axis=1)


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
    scores = dense(left.scores)
    seen = ~np.isnan(scores)
    return best_cuts(
        np.where(seen, scores, 0.0),
        dense(left.positive),
        goal_of(threshold, "threshold"),
        weights=in_memory(left.weights),
        observed=seen,
        min_labels=min_labels,
    )
