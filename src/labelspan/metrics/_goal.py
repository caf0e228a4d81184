"""What thresholds maximise: a function of true and predicted labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer_names

from labelspan.metrics._registry import MEASURES, Measure

#: scikit-learn's names of measures.
SKLEARN_NAMES = {"f1_micro": "micro_f1", "f1_macro": "macro_f1", "f1_samples": "samples_f1"}
# Those that have a search of their own.
OWN = {"micro_f1": "f1_micro", "macro_f1": "f1_macro"}
# Labels on which a scorer is tried, because scorers do not say whether they need scores.
TRIAL = np.array([[0, 1], [1, 0], [1, 1]])


class Predicted(ClassifierMixin, BaseEstimator):
    """A classifier that predicts given labels, for scorers."""

    def __init__(self, labels: Any):
        self.labels = labels
        self.classes_ = np.array([0, 1])

    def fit(self, X: Any, y: Any) -> Predicted:
        """Do nothing, because there is nothing to learn."""
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The given labels."""
        return plain(self.labels)


def goal_of(
    measure: Any, parameter: str = "measure"
) -> str | Callable[[np.ndarray, np.ndarray], float]:
    """Either "f1_micro", "f1_macro", or a function of true and predicted labels to maximise."""
    name = SKLEARN_NAMES.get(measure, measure) if isinstance(measure, str) else None
    if name in OWN:
        return OWN[name]
    item = measure if isinstance(measure, Measure) else MEASURES.get(name or "")
    if item is None:
        if isinstance(measure, str) and measure not in get_scorer_names():
            raise ValueError(f"{parameter} is {measure!r}, which names no measure; {allowed()}")
        scorer = check_scoring(Predicted(None), scoring=measure)
        try:
            scorer(Predicted(TRIAL), TRIAL, TRIAL)
        except AttributeError as error:
            raise ValueError(of_scores(measure, parameter)) from error
        return lambda true, labels: float(scorer(Predicted(labels), true, plain(true)))
    if item.needs != "labels":
        raise ValueError(of_scores(item.name, parameter))
    sign = 1.0 if item.direction == "max" else -1.0
    return lambda true, labels: sign * item(true, labels)


def of_scores(measure: Any, parameter: str) -> str:
    """The message that a measure ranks scores."""
    return f"{parameter} is {measure!r}, which does not depend on thresholds; {allowed()}"


def allowed() -> str:
    """The end of a message: what may be maximised."""
    names = ", ".join(n for n, each in MEASURES.items() if each.needs == "labels")
    return f"allowed are {', '.join(SKLEARN_NAMES)}, {names}, and scorers of predicted labels."


def refuse_unknown(scoring: str, more: str = "") -> None:
    """Raise unless scikit-learn has a scorer of this name; `more` names further measures."""
    if scoring not in get_scorer_names():
        raise ValueError(
            f"scoring={scoring!r} names no measure; allowed are {', '.join(MEASURES)}, {more}the "
            "names of sklearn.metrics.get_scorer_names(), and callables."
        )


def plain(labels: np.ndarray) -> np.ndarray:
    """0/1 labels; one label as a vector, which scikit-learn takes for binary."""
    numbers = labels.astype(np.int64)
    return numbers[:, 0] if numbers.shape[1] == 1 else numbers
