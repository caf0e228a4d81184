"""From scores to measures, with the scorers of the search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer_names

from labelspan.arrays import dense
from labelspan.base import decide, remember
from labelspan.classifiers import MLkNN, MultiOutputRidge
from labelspan.gate import Labels, has_holes
from labelspan.metrics import MEASURES, Counts, Measure, MeasureScorer, Side

# Scorers of scikit-learn that a labelspan measure computes without checking the same labels each
# time; None means the ``score`` of a classifier. Of one label, scikit-learn's F1 also counts the
# rows without it as a class.
SAME = {
    None: "subset_accuracy",
    "accuracy": "subset_accuracy",
    "f1_micro": "micro_f1",
    "f1_macro": "macro_f1",
    "f1_samples": "samples_f1",
}


class KnownScores:
    """A fitted classifier with known scores, to be passed to scorers."""

    _known: np.ndarray

    def _rows(self, X: Any) -> Any:
        return X

    def _scores(self, X: Any) -> np.ndarray:
        return self._known

    def __sklearn_is_fitted__(self) -> bool:
        return True


class KnownRidge(KnownScores, MultiOutputRidge):
    """Scores of a ridge readout."""


class KnownNeighbours(KnownScores, MLkNN):
    """Probabilities of a neighbour readout."""


@dataclass(frozen=True)
class Judge:
    """Computes measures from scores.

    Attributes
    ----------
    scorer : callable or dict of str to Measure
        One or several scorers of scikit-learn, or measures by name.
    readouts : list of KnownScores
        One for each readout of the grid.
    target : ndarray or csr_array of shape (n, q), or ndarray of shape (n,)
        True labels in the form of the scorers.
    reads_rows : bool
        Whether a scorer may read the rows themselves.
    """

    scorer: Any
    readouts: list[Any]
    target: Any
    reads_rows: bool

    @classmethod
    def of(cls, scoring: Any, readouts: list[Any], labels: Labels) -> Judge:
        """Judge for labels of which some may be NaN; measures skip these."""
        known = [known_of(readout, labels) for readout in readouts]
        several = labels.classes is None and labels.Y.shape[1] > 1
        chosen = scoring_of(scoring, several_labels=several)
        each = chosen if isinstance(chosen, dict) else {"score": chosen}
        holes = has_holes(labels.Y)
        if (
            labels.classes is None
            and not holes
            and all(isinstance(one, MeasureScorer) for one in each.values())
        ):
            measures = {name: one.measure for name, one in each.items()}
            return cls(measures, known, labels.Y > 0, reads_rows=False)
        reads_rows = any(
            callable(one) and not isinstance(one, MeasureScorer) for one in each.values()
        )
        return cls(check_scoring(known[0], scoring=chosen), known, labels.target, reads_rows)

    @property
    def n_labels(self) -> int:
        """Columns of the scores."""
        n_labels: int = self.readouts[0]._n_labels
        return n_labels

    def measure(
        self, readout: int, scores: np.ndarray, X: Any, truth: Any
    ) -> dict[str, list[float]]:
        """Measures of several scores (k, n, q) of one readout, by name."""
        known = self.readouts[readout]
        if isinstance(self.scorer, dict):
            return self._directly(known, scores, dense(truth))
        if self.n_labels == 1 and has_holes(truth):
            # A row whose only label is not observed is no row, also for scikit-learn's scorers.
            seen = ~np.isnan(truth[:, 0])
            scores, X, truth = scores[:, seen], X[seen], truth[seen].astype(np.int64)
        found: dict[str, list[float]] = {}
        for each_scores in scores:
            # A copy, because the next scores may reuse the array.
            known._known = each_scores.copy()
            measured = self.scorer(known, X, truth)
            each = measured if isinstance(measured, dict) else {"score": measured}
            for name, value in each.items():
                found.setdefault(name, []).append(value)
        return found

    def _directly(
        self, known: Any, scores: np.ndarray, truth: np.ndarray
    ) -> dict[str, list[float]]:
        """The same if all are measures; those of labels share their counts."""
        counts: list[Any] = []
        if any(measure.needs == "labels" for measure in self.scorer.values()):
            true = Side(truth)
            rows = decide(known, scores.reshape(-1, scores.shape[2]), known._thresholds(None))
            predicted = rows.reshape(scores.shape)
            both = zip(predicted, predicted & truth, strict=True)
            counts = [Counts(true, Side(labels), Side(common)) for labels, common in both]
        found = {}
        for name, measure in self.scorer.items():
            sign = 1.0 if measure.direction == "max" else -1.0
            if measure.needs == "labels":
                found[name] = [sign * measure(each, None) for each in counts]
            else:
                found[name] = [sign * measure(truth, each) for each in scores]
        return found


def known_of(readout: Any, labels: Labels) -> Any:
    """A stand-in for a fitted readout."""
    kind = KnownNeighbours if isinstance(readout, MLkNN) else KnownRidge
    known = kind(**clone(readout).get_params())
    remember(known, labels)
    return known


def scoring_of(scoring: Any, several_labels: bool) -> Any:
    """Turn names of measures, and measures, into scorers; leave the rest unchanged."""
    if isinstance(scoring, Mapping | list | tuple | set) and not scoring:
        raise ValueError(
            f"scoring={scoring!r} holds no scorer. Pass the name of a scorer or of a measure, "
            "several of them, or None for the subset accuracy."
        )
    if isinstance(scoring, Mapping):
        return {name: scorer_of(each, several_labels) for name, each in scoring.items()}
    if isinstance(scoring, list | tuple | set):
        return {name_of(each): scorer_of(each, several_labels) for each in scoring}
    return scorer_of(scoring, several_labels)


def scorer_of(each: Any, several_labels: bool) -> Any:
    """One scorer: scikit-learn's if it knows the name, else the measure of that name."""
    if isinstance(each, Measure):
        return MeasureScorer(each)
    name = SAME.get(each) if several_labels and (each is None or isinstance(each, str)) else None
    if name is None and isinstance(each, str) and each not in get_scorer_names():
        name = each if each in MEASURES else None
    return each if name is None else MeasureScorer(MEASURES[name])


def name_of(each: Any) -> str:
    """Name of a scorer of a list in the results."""
    return each.name if isinstance(each, Measure) else str(each)
