"""What thresholds maximise: a function of true and predicted labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring

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


def goal_of(measure: Any) -> str | Callable[[np.ndarray, np.ndarray], float]:
    """Either "f1_micro", "f1_macro", or a function of true and predicted labels to maximise."""
    name = SKLEARN_NAMES.get(measure, measure) if isinstance(measure, str) else None
    if name in OWN:
        return OWN[name]
    item = measure if isinstance(measure, Measure) else MEASURES.get(name or "")
    if item is None:
        scorer = check_scoring(Predicted(None), scoring=measure)
        try:
            scorer(Predicted(TRIAL), TRIAL, TRIAL)
        except AttributeError as error:
            raise ValueError(of_scores(measure)) from error
        return lambda true, labels: float(scorer(Predicted(labels), true, plain(true)))
    if item.needs != "labels":
        raise ValueError(of_scores(item.name))
    sign = 1.0 if item.direction == "max" else -1.0
    return lambda true, labels: sign * item(true, labels)


def of_scores(measure: Any) -> str:
    """The message that a measure ranks scores."""
    allowed = ", ".join(n for n, each in MEASURES.items() if each.needs == "labels")
    return (
        f"measure is {measure!r}, which does not depend on thresholds; allowed are "
        f"{', '.join(SKLEARN_NAMES)}, {allowed}, and scorers of predicted labels."
    )


def plain(labels: np.ndarray) -> np.ndarray:
    """0/1 labels; one label as a vector, which scikit-learn takes for binary."""
    numbers = labels.astype(np.int64)
    return numbers[:, 0] if numbers.shape[1] == 1 else numbers
