"""The threshold of classifiers: the rule of the paper, that of held-out scores, or a number."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from labelspan.arrays import dense
from labelspan.compat import Interval, StrOptions, take_rows
from labelspan.cuts import best_cuts, learnt
from labelspan.gate import Labels, refuse_undivided
from labelspan.model_selection import MultilabelStratifiedKFold

#: The values of a parameter `threshold` that this file carries out.
THRESHOLD: list[Any] = [
    StrOptions({"paper", "auto"}),
    Interval(Real, None, None, closed="neither"),
]
# Folds of held-out scores.
N_FOLDS = 5


def has_threshold(classifier: Any) -> bool:
    """Whether the classifier has this parameter, and not another one of this name."""
    return type(classifier)._parameter_constraints.get("threshold") is THRESHOLD


def chosen_thresholds(classifier: Any) -> Any:
    """The thresholds (n_labels,) of a fitted classifier, or the number; None for the method's."""
    if not has_threshold(classifier) or classifier.threshold == "paper":
        return None
    if isinstance(classifier.threshold, str):
        return vars(classifier).get("thresholds_")
    return float(classifier.threshold)


def why_no_chunks(classifier: Any) -> str:
    """Why the classifier cannot learn from chunks; empty if its threshold is no reason."""
    if not has_threshold(classifier) or classifier.threshold != "auto":
        return ""
    return "threshold='auto' needs held-out scores of all rows; set 'paper' or a number."


def keep_thresholds(classifier: Any, X: Any, labels: Labels) -> None:
    """Set ``thresholds_`` (n_labels,) for "auto", unless y holds classes."""
    if labels.classes is None:
        refuse_undivided(classifier, X)
        scores, folds = cross_scores(classifier, X, labels)
        Y = dense(labels.Y)
        seen = learnt(Y > 0, folds, ~np.isnan(Y) if labels.missing else None)
        least = {"weights": labels.weights, "observed": seen, "min_labels": classifier.min_labels}
        found = best_cuts(scores, Y > 0, **least)
        classifier.thresholds_, classifier.min_labels_ = found.thresholds, found.min_labels


def cross_scores(
    classifier: Any, X: Any, labels: Labels
) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """Scores (n, q) of every row by a fit to other folds, and the folds."""
    target, scores = labels.target, np.empty(labels.Y.shape)
    folds = list(MultilabelStratifiedKFold(N_FOLDS).split(scores, target))
    model = clone(classifier).set_params(threshold="paper")
    for fold in folds:
        given = X, target, fold, labels.Y.shape[1], labels.weights
        scores[fold[1]] = held_out_scores(clone(model), *given)
    return scores, folds


def held_out_scores(
    estimator: Any,
    X: Any,
    target: Any,
    fold: tuple[np.ndarray, np.ndarray],
    n_labels: int,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Scores of the second rows of `fold` after fitting on the first."""
    train, test = fold
    if get_tags(estimator).input_tags.pairwise:
        # The columns of a given kernel or distance matrix are training rows.
        X = take_rows(np.asarray(X) if isinstance(X, list) else X, train, axis=1)
    more = {} if weights is None else {"sample_weight": weights[train]}
    estimator.fit(take_rows(X, train), take_rows(target, train), **more)
    return label_scores(estimator, take_rows(X, test), n_labels)


def label_scores(estimator: Any, X: Any, n_labels: int) -> np.ndarray:
    """Scores (n, q) of a fitted estimator: its decision function, or else its probabilities."""
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
    else:
        scores = estimator.predict_proba(X)
    scores = as_matrix(scores, estimator)
    return scores[:, -1:] if n_labels == 1 else scores


def as_matrix(scores: Any, estimator: Any) -> np.ndarray:
    """Scores or probabilities as (n, q), also for estimators that return one array per label."""
    if isinstance(scores, list):
        # One (n, 2) array per label; a label that was constant in training has one column only.
        ones = [np.atleast_1d(classes)[-1] == 1 for classes in estimator.classes_]
        scores = np.column_stack([p[:, -1] * one for p, one in zip(scores, ones, strict=True)])
    return np.asarray(scores).reshape(len(scores), -1)
