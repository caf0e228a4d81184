"""Estimators of a cell, and what they predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelspan._classifier import label_scores
from labelspan.experiments._methods import get_method
from labelspan.experiments._step import Step


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


def outputs_of(classifier: Any, X: Any, n_labels: int) -> dict[str, Any]:
    """What measures need: "labels", "scores", and the "model" with its rows."""
    return {
        "labels": dense(classifier.predict(X)),
        "scores": np.asarray(label_scores(classifier, X, n_labels), dtype=float),
        "model": (classifier, X),
    }


def dense(Y: Any) -> np.ndarray:
    """Labels as an array."""
    return np.asarray(Y.toarray() if sparse.issparse(Y) else Y)
