"""Estimators of a cell, and their predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labelspan.arrays import dense
from labelspan.base import label_scores
from labelspan.lab.methods import get_method
from labelspan.lab.plan._step import Step


def made_step(step: Step, seed: int, directions: int | None = None) -> Any:
    """Make the estimator of a step with the seed and the number of directions of a cell."""
    parameters = dict(step.parameters)
    method = get_method(step.method)
    estimator = method.make(parameters)
    if estimator is None:
        return None
    known = estimator.get_params(deep=False)
    if "random_state" in known and "random_state" not in parameters:
        estimator.set_params(random_state=seed)
    for name in ("n_components", "n_features", "k"):
        if directions is not None and name in known:
            return estimator.set_params(**{name: directions})
    return estimator


def _labels(classifier: Any, X: Any, n_labels: int) -> np.ndarray:
    return dense(classifier.predict(X))


def _scores(classifier: Any, X: Any, n_labels: int) -> np.ndarray:
    return np.asarray(label_scores(classifier, X, n_labels), dtype=float)


#: What measures need of a fitted classifier on some rows.
OUTPUTS: dict[str, Callable[[Any, Any, int], Any]] = {
    "labels": _labels,
    "scores": _scores,
    "model": lambda classifier, X, n_labels: (classifier, X),
}


def outputs_of(classifier: Any, X: Any, n_labels: int) -> dict[str, Any]:
    """Everything that measures need: "labels", "scores", and the "model" with its rows."""
    return {name: output(classifier, X, n_labels) for name, output in OUTPUTS.items()}
