"""Classifiers with thresholds or parameters tuned on the training part, as the papers do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from labelspan.classifiers import MultiOutputRidge, ThresholdTuner
from labelspan.classifiers._threshold import label_scores
from labelspan.metrics import macro_auc, macro_f1, micro_f1
from labelspan.subspace import SharedSubspaceClassifier


def tuned_ridge(ridge: float = 0.01, min_labels: int = 0) -> ThresholdTuner:
    """Ridge regression with the threshold of each label that maximises its F1."""
    return ThresholdTuner(MultiOutputRidge(ridge), min_labels=min_labels)


def tuned_svm(C: float = 1.0, min_labels: int = 0) -> ThresholdTuner:
    """One linear support vector machine a label, with tuned thresholds."""
    machines = OneVsRestClassifier(LinearSVC(C=C, loss="hinge", max_iter=20000))
    return ThresholdTuner(machines, min_labels=min_labels)


def tuned_subspace(
    n_components: int | None = None,
    alpha: float = 0.1,
    beta: float = 0.01,
    min_labels: int = 0,
) -> ThresholdTuner:
    """The shared-subspace classifier with tuned thresholds."""
    model = SharedSubspaceClassifier(n_components, alpha=alpha, beta=beta)
    return ThresholdTuner(model, min_labels=min_labels)


def searched(
    estimator: Any = None,
    grid: Sequence[tuple[str, Sequence[Any]]] = (("ridge", (0.01, 1.0)),),
    parameters: Sequence[tuple[str, Any]] = (),
    n_folds: int = 5,
) -> GridSearchCV:
    """A method with parameters by cross-validation on the training part.

    Parameters
    ----------
    estimator : str or None
        Name of a method; None is ridge regression.
    grid : sequence of (str, values)
        Parameters to choose, with their values.
    parameters : sequence of (str, value)
        Parameters to keep.
    n_folds : int
        Folds, shuffled by a fixed seed.

    Returns
    -------
    GridSearchCV
    """
    # The list of methods names this module, so it cannot be imported at the top.
    from labelspan.experiments._methods import get_method

    model = get_method(estimator or "ridge").make(dict(parameters))
    values = {name: list(items) for name, items in grid}
    folds = KFold(n_folds, shuffle=True, random_state=0)
    return GridSearchCV(model, values, scoring=three_measures, cv=folds, error_score="raise")


def three_measures(model: Any, X: Any, Y: Any) -> float:
    """Mean of macro AUC, micro F1 and macro F1: the measures of the papers that search."""
    Y = np.asarray(Y)
    predicted, scores = model.predict(X), label_scores(model, X, Y.shape[1])
    return float(np.mean([macro_auc(Y, scores), micro_f1(Y, predicted), macro_f1(Y, predicted)]))
