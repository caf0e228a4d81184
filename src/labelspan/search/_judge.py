"""From the scores of held-out rows to measures, with the scorers of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.utils.metaestimators import available_if

from labelspan.arrays import dense
from labelspan.base import LabelClassifier, decide, pick, remember
from labelspan.classifiers import MLkNN, MultiOutputRidge, normalised
from labelspan.cuts import above
from labelspan.gate import Labels, has_holes
from labelspan.metrics import (
    MEASURES,
    SKLEARN_NAMES,
    Counts,
    Measure,
    MeasureScorer,
    SearchMeasure,
    Side,
    refuse_unknown,
    search_measure,
)
from labelspan.search._axis import N_BINS, N_COARSE, Axis

# Scorers of scikit-learn that a labelspan measure computes without checking the same labels each
# time; None means the ``score`` of a classifier. Of one label, scikit-learn's F1 also counts the
# rows without it as a class.
SAME: Mapping[Any, str] = {
    None: "subset_accuracy",
    "accuracy": "subset_accuracy",
    **SKLEARN_NAMES,
}
# The measure that sums of squares and products tell.
BY_SUMS = "squared_error"
# The name of micro-F1 for the threshold, if the measure that chooses does not depend on it.
THRESHOLD = "threshold"


def gives_probabilities(known: KnownScores) -> bool:
    """Whether the scores are probabilities."""
    return hasattr(known.owner, "predict_proba")


def gives_scores(known: KnownScores) -> bool:
    """Whether the scores are no probabilities."""
    return not gives_probabilities(known)


class KnownScores(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose scores are known, for scorers; its `owner` decides."""

    scores: np.ndarray
    # Subtracted before a decision only, because measures of scores need no thresholds.
    cuts: np.ndarray | None = None
    # Takes the place of the owner's threshold.
    threshold: float | None = None

    def __init__(self, owner: Any):
        self.owner = owner
        self.classes_ = owner.classes_

    def fit(self, X: Any, y: Any) -> KnownScores:
        """Do nothing, because there is nothing to learn."""
        return self

    @available_if(gives_scores)
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores."""
        return self.scores[:, 0] if self.owner._binary() else self.scores

    @available_if(gives_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The scores, which are probabilities."""
        one = self.owner._one_dimensional
        return normalised(self.scores, len(self.classes_)) if one else self.scores

    def predict(self, X: Any) -> np.ndarray:
        """Labels with scores above their thresholds."""
        scores = self.scores if self.cuts is None else above(self.scores, self.cuts)
        own = self.owner._thresholds(None) if self.threshold is None else self.threshold
        chosen = decide(self.owner, scores, own)
        one = self.owner._one_dimensional
        return pick(self.classes_, chosen[:, 0]) if one else chosen.astype(np.int64)


class StandIn(LabelClassifier):
    """Decides for a classifier of another library: by its scores, or by its probabilities."""

    def __init__(self, of: Any):
        self.of = of
        if not hasattr(of, "decision_function"):
            self.predict_proba = of.predict_proba

    def _learn(self, X: Any, labels: Labels) -> None:
        """Nothing to learn."""

    def _thresholds(self, X: Any) -> float:
        return 0.5 if hasattr(self, "predict_proba") else 0.0


def owner_of(readout: Any) -> Any:
    """What decides as a classifier would before it is fitted: its clone, or a stand-in."""
    own = isinstance(readout, MultiOutputRidge | MLkNN)
    return clone(readout) if own else StandIn(clone(readout))


@dataclass(frozen=True)
class Judge:
    """Measures scores of held-out rows by one scorer, or by measures by name.

    `known`: one per classifier; `target`: labels in the form of the scorers; `reads_rows`: whether
    a scorer may read the rows; `axis`: thresholds to compare, instead of those of the classifiers.
    """

    scorer: Any
    known: list[KnownScores]
    target: Any
    reads_rows: bool
    axis: Axis | None = None

    @classmethod
    def of(cls, scoring: Any, readouts: list[Any], labels: Labels, *, cut: bool = False) -> Judge:
        """Judge for labels, some of which may be NaN; `cut`: at every threshold of several."""
        owners = [owner_of(readout) for readout in readouts]
        for owner in owners:
            remember(owner, labels)
        known = [KnownScores(owner) for owner in owners]
        several = labels.classes is None and labels.Y.shape[1] > 1
        chosen = scoring_of(scoring, several_labels=several)
        sought = search_measures(scoring)
        each = chosen if isinstance(chosen, dict) else {"score": chosen}
        each = {name: one for name, one in each.items() if name not in sought}
        measures = [one for one in each.values() if isinstance(one, MeasureScorer)]
        plain = labels.classes is None and not has_holes(labels.Y)
        if not each or (len(measures) == len(each) and plain):
            by_name = {name: one.measure for name, one in each.items()}
            axis = axis_of(by_name, owners[0].min_labels) if cut and several else None
            return cls(by_name, known, labels.Y > 0, reads_rows=False, axis=axis)
        reads_rows = any(
            callable(one) and not isinstance(one, MeasureScorer) for one in each.values()
        )
        axis = axis_of({}, owners[0].min_labels) if cut and several else None
        scorer = check_scoring(known[0], scoring=each if sought else chosen)
        return cls(scorer, known, labels.target, reads_rows, axis)

    def at(self, threshold: float) -> Judge:
        """The same for labels whose scores exceed a given threshold."""
        for known in self.known:
            known.threshold = threshold
        return self

    @property
    def by_sums(self) -> bool:
        """Whether sums of the held-out rows tell every measure."""
        if not isinstance(self.scorer, dict) or self.axis is not None:
            return False
        return bool(self.scorer) and all(each.name == BY_SUMS for each in self.scorer.values())

    @property
    def n_labels(self) -> int:
        """Columns of the scores."""
        n_labels: int = self.known[0].owner._n_labels
        return n_labels

    def measure(
        self,
        scores: np.ndarray,
        X: Any,
        truth: Any,
        *,
        place: int = 0,
        cuts: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ) -> dict[str, list[float]]:
        """Measures, by name, of several scores (k, n, q) of the classifier at `place`."""
        known = self.known[place]
        if isinstance(self.scorer, dict):
            return self._directly(known.owner, scores, dense(truth), known.threshold)
        if self.n_labels == 1 and has_holes(truth):
            # A row whose only label is not observed is no row, also for scikit-learn's scorers.
            seen = ~np.isnan(truth[:, 0])
            scores, X, truth = scores[:, seen], X[seen], truth[seen].astype(np.int64)
        known.cuts = cuts
        given = {} if weights is None else {"sample_weight": weights}
        found: dict[str, list[float]] = {}
        for each_scores in scores:
            # A copy, because the next scores may reuse the array.
            known.scores = each_scores.copy()
            try:
                measured = scored(self.scorer, known, X, truth, **given)
            except TypeError as error:
                if weights is None:
                    raise
                raise TypeError(
                    f"scoring={known.owner.scoring!r} takes no sample_weight, but held-out rows "
                    "are weighted. Use scorers that accept it, such as 'f1_macro' or 'roc_auc', "
                    "or leave sample_weight out."
                ) from error
            each = measured if isinstance(measured, dict) else {"score": measured}
            for name, value in each.items():
                found.setdefault(name, []).append(value)
        return found

    def at_cuts(
        self, scores: np.ndarray, X: Any, truth: Any, place: int = 0
    ) -> dict[str, np.ndarray]:
        """Measures (k, len(axis)), by name, of several scores (k, n, q) at every threshold."""
        assert self.axis is not None
        if isinstance(self.scorer, dict):
            return self._directly_at_cuts(self.axis, self.known[place].owner, scores, dense(truth))
        known, each = self.known[place], []
        for i in range(len(self.axis)):
            known.threshold, known.owner.min_labels_ = self.axis.at(i)
            each.append(self.measure(scores, X, truth, place=place))
        found = {name: np.array([one[name] for one in each]).T for name in each[0]}
        return {THRESHOLD: self._micro_f1(scores, truth), **found}

    def _micro_f1(self, scores: np.ndarray, truth: Any) -> np.ndarray:
        assert self.axis is not None
        rows = dense(truth).astype(np.float64).reshape(scores.shape[1:])
        return self.axis.micro_f1(scores, rows)

    def _directly_at_cuts(
        self, axis: Axis, owner: Any, scores: np.ndarray, truth: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The same if all are measures; micro-F1 from counts, measures of scores once."""
        found = {THRESHOLD: self._micro_f1(scores, truth)}
        for name, measure in self.scorer.items():
            sign = 1.0 if measure.direction == "max" else -1.0
            if measure.needs != "labels":
                once = [[sign * measure(truth, each)] for each in scores]
                found[name] = np.repeat(once, len(axis), axis=1)
            elif measure.name == "micro_f1" and not measure.parameters:
                found[name] = found[THRESHOLD]
            else:
                found[name] = np.empty((len(scores), len(axis)))
                for i in range(len(axis)):
                    cut, owner.min_labels_ = axis.at(i)
                    values = [sign * measure(truth, decide(owner, each, cut)) for each in scores]
                    found[name][:, i] = values
        return found

    def _directly(
        self, owner: Any, scores: np.ndarray, truth: np.ndarray, threshold: float | None
    ) -> dict[str, list[float]]:
        """The same if all are measures; those of labels share their counts."""
        counts: list[Any] = []
        if any(measure.needs == "labels" for measure in self.scorer.values()):
            true = Side(truth)
            cut = owner._thresholds(None) if threshold is None else threshold
            rows = decide(owner, scores.reshape(-1, scores.shape[2]), cut)
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


def axis_of(measures: Mapping[str, Measure], min_labels: int) -> Axis:
    """The thresholds to compare: fewer if measures need predictions at each of them."""
    by_counts = measures and all(
        measure.needs != "labels" or (measure.name == "micro_f1" and not measure.parameters)
        for measure in measures.values()
    )
    least = sorted({min_labels, max(min_labels, 1)})
    return Axis(N_BINS if by_counts else N_COARSE, tuple(least))


def scored(scorer: Any, known: KnownScores, X: Any, truth: Any, **given: Any) -> Any:
    """The value of a scorer; a reason if it needs probabilities where there are scores."""
    try:
        return scorer(known, X, truth, **given)
    except AttributeError as error:
        if not str(error).startswith(type(known).__name__):
            raise
        raise ValueError(
            "scoring needs probabilities, but the classifier gives scores. Pass a measure of "
            "labels or scores, or a classifier with predict_proba."
        ) from error


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
        names = [each.name if isinstance(each, Measure) else str(each) for each in scoring]
        return {n: scorer_of(e, several_labels) for n, e in zip(names, scoring, strict=True)}
    return scorer_of(scoring, several_labels)


def search_measures(scoring: Any) -> dict[str, SearchMeasure]:
    """Those of the scorers, by name, that measure neighbours."""
    named = scoring_of(scoring, several_labels=True)
    named = named if isinstance(named, dict) else {"score": named}
    return {name: each for name, each in named.items() if isinstance(each, SearchMeasure)}


def scorer_of(each: Any, several_labels: bool) -> Any:
    """One scorer: scikit-learn's if it knows the name, else the measure of that name."""
    sought = search_measure(each)
    if sought is not None:
        return sought
    if isinstance(each, Measure):
        return MeasureScorer(each)
    name = SAME.get(each) if several_labels and (each is None or isinstance(each, str)) else None
    if name is None and isinstance(each, str) and each not in get_scorer_names():
        name = each
        if name not in MEASURES:
            refuse_unknown(name, "those of search such as 'shared_label_at_10', ")
    return each if name is None else MeasureScorer(MEASURES[name])
