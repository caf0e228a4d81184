"""From left-out scores to a ridge, and to a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from labelspan.base import LabelClassifier, decide, pick, remember
from labelspan.gate import Labels
from labelspan.metrics import MEASURES, Measure, get_measure
from labelspan.ridge_cv._leave_one_out import Space
from labelspan.ridge_cv._row_sample import COMPARED, LeftOut, Training

# Digits of the criterion beyond which a difference is rounding.
DIGITS = 9
# Steps between the ridges that are compared first, where there are many rows.
STRIDE = 3
# Cuts that are compared for measures other than micro-F1.
N_CUTS = 200
# scikit-learn's names.
F1 = {"f1_micro": "micro_f1", "f1_macro": "macro_f1", "f1_samples": "samples_f1"}


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


class KnownScores(LabelClassifier):
    """A fitted classifier with known scores, for scorers."""

    _known: np.ndarray

    def __init__(self) -> None:
        """No parameters."""

    def _learn(self, X: Any, labels: Labels) -> None:
        """Nothing to learn."""

    def _rows(self, X: Any) -> Any:
        return X

    def _scores(self, X: Any) -> np.ndarray:
        return self._known

    def __sklearn_is_fitted__(self) -> bool:
        return True


class Judge:
    """Judges left-out scores by a measure, or by a scorer of scikit-learn."""

    def __init__(self, scoring: Any, labels: Labels) -> None:
        name = F1.get(scoring, scoring) if isinstance(scoring, str) else ""
        self.measure: Measure | None = None
        if name in MEASURES:
            skip = {"undefined_rows": "skip"} if name == "average_precision" else {}
            self.measure = get_measure(name, **skip)
            return
        self.known = KnownScores()
        remember(self.known, labels)
        self.scorer = check_scoring(self.known, scoring=scoring)

    def score(self, L: np.ndarray, X: Any, at: Any, T: np.ndarray) -> float:
        """The criterion of scores L (m, q) of the rows X[at] with targets T; greater is better."""
        positive = T > 0
        present = positive.any(axis=0)
        if self.measure is None:
            self.known._known = L - best_cut(L[:, present], positive[:, present])[0]
            return float(self.scorer(self.known, X[at], truth_of(self.known, positive)))
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


def truth_of(known: KnownScores, positive: np.ndarray) -> np.ndarray:
    """Labels in the form of scorers: indicators, or classes of a 1-d y."""
    if not known._one_dimensional:
        return positive.astype(np.int64)
    codes = positive.argmax(axis=1) if positive.shape[1] > 1 else positive[:, 0].astype(np.int64)
    return np.asarray(pick(known.classes_, codes))


def best_cut(
    L: np.ndarray, positive: np.ndarray, weights: np.ndarray | None = None
) -> tuple[float, float]:
    """The pooled threshold with the largest micro-F1, halfway between two scores, and that F1."""
    if not positive.any():
        return 0.0, 0.0
    order = np.argsort(-L, axis=None)
    scores = L.ravel()[order]
    w = None if weights is None else np.repeat(weights, L.shape[1])[order]
    own = positive.ravel()[order]
    hits = np.cumsum(own if w is None else w * own)
    counts = np.arange(1, len(own) + 1) if w is None else np.cumsum(w)
    f1 = 2.0 * hits / (counts + hits[-1])
    # Equal scores cannot be told apart.
    f1[:-1][scores[1:] == scores[:-1]] = -1.0
    i = int(np.argmax(f1))
    if i == len(scores) - 1:
        return float(np.nextafter(scores[i], -np.inf)), float(f1[i])
    upper, lower = scores[i], scores[i + 1]
    middle = lower + (upper - lower) / 2
    return float(middle if middle < upper else lower), float(f1[i])


def threshold_of(left: LeftOut, threshold: Any, min_labels: int) -> tuple[float, int]:
    """The threshold, and the least number of labels per row: `min_labels`, or 1 if it is better.

    A row that takes its best labels anyway has them whatever the threshold: their scores count as
    infinite.
    """
    present = left.positive.any(axis=0)
    if not isinstance(threshold, str):
        return float(threshold), min_labels
    if not present.any():
        return 0.0, min_labels
    L, positive = left.scores[:, present], left.positive[:, present]
    name = F1.get(threshold, threshold)
    found = []
    for least in {min_labels, max(min_labels, 1)} if L.shape[1] > 1 else {min_labels}:
        filled = L.copy()
        if least and L.shape[1] > 1:
            np.put_along_axis(filled, np.argsort(-L, axis=1, kind="stable")[:, :least], np.inf, 1)
        if name == "micro_f1":
            cut, value = best_cut(filled, positive, left.weights)
        else:
            cut, value = best_of_cuts(filled, positive, get_measure(name))
        found.append((round(value, DIGITS), -least, cut))
    value, least, cut = max(found)
    return cut, -least


def best_of_cuts(L: np.ndarray, positive: np.ndarray, measure: Measure) -> tuple[float, float]:
    """The threshold with the best measure of the labels above it, among quantiles of the scores."""
    finite = L[np.isfinite(L)]
    share = min(1.0, 4 * positive.mean())
    cuts = np.unique(np.quantile(finite, 1 - np.linspace(0, share, N_CUTS)))
    sign = 1.0 if measure.direction == "max" else -1.0
    values = [sign * measure(positive, cut < L) for cut in cuts]
    best = int(np.argmax(values))
    return float(cuts[best]), values[best]


def decisions(model: Any, scores: np.ndarray, least: int) -> np.ndarray:
    """Decisions with another least number of labels per row than the parameter of the model."""
    rule = KnownScores()
    rule.classes_, rule._one_dimensional = model.classes_, model._one_dimensional
    rule.min_labels = least
    return decide(rule, scores)
