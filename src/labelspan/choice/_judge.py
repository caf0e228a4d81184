"""From scores to measures, by whatever scorers the search was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring, get_scorer_names

from labelspan._classifier import remember
from labelspan._labels import Labels
from labelspan.classifiers import MLkNN, MultiOutputRidge
from labelspan.metrics import MEASURES, Measure, MeasureScorer


class KnownScores:
    """A fitted classifier whose scores of the rows in question are known: what scorers get."""

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
    """What turns scores into measures.

    Attributes
    ----------
    scorer : callable
        One or several scorers of scikit-learn.
    readouts : list of KnownScores
        One for each readout of the grid.
    target : ndarray or csr_array of shape (n, q), or ndarray of shape (n,)
        Truth, as scikit-learn takes it.
    reads_rows : bool
        Whether a scorer may look at the rows themselves.
    """

    scorer: Any
    readouts: list[Any]
    target: Any
    reads_rows: bool

    @classmethod
    def of(cls, scoring: Any, readouts: list[Any], labels: Labels) -> Judge:
        """Judge for labels that are known."""
        known = [known_of(readout, labels) for readout in readouts]
        scorer = check_scoring(known[0], scoring=scoring_of(scoring))
        several = scoring.values() if isinstance(scoring, Mapping) else [scoring]
        reads_rows = any(callable(each) and not isinstance(each, Measure) for each in several)
        return cls(scorer, known, labels.target, reads_rows)

    def measure(self, readout: int, scores: np.ndarray, X: Any, truth: Any) -> dict[str, float]:
        """Measures of the scores (n, q) of one readout, by name."""
        known = self.readouts[readout]
        known._known = scores
        measured = self.scorer(known, X, truth)
        return measured if isinstance(measured, dict) else {"score": measured}


def known_of(readout: Any, labels: Labels) -> Any:
    """A stand-in for a fitted readout."""
    kind = KnownNeighbours if isinstance(readout, MLkNN) else KnownRidge
    known = kind(**clone(readout).get_params())
    remember(known, labels)
    return known


def scoring_of(scoring: Any) -> Any:
    """Names of our measures and measures themselves as scorers; the rest as it is."""
    if isinstance(scoring, Mapping):
        return {name: scorer_of(each) for name, each in scoring.items()}
    if isinstance(scoring, list | tuple | set):
        return {name_of(each): scorer_of(each) for each in scoring}
    return scorer_of(scoring)


def scorer_of(each: Any) -> Any:
    """One scorer: scikit-learn's if it knows the name, else the measure of that name."""
    if isinstance(each, Measure):
        return MeasureScorer(each)
    if isinstance(each, str) and each in MEASURES and each not in get_scorer_names():
        return MeasureScorer(MEASURES[each])
    return each


def name_of(each: Any) -> str:
    """What a scorer of a list is called in the results."""
    return each.name if isinstance(each, Measure) else str(each)
