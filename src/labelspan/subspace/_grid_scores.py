"""Measures at every point of a grid, from the scores of a fold."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from labelspan.arrays import to_host
from labelspan.base import decide, pick
from labelspan.classifiers import above, tuned_thresholds
from labelspan.moments import Sample, dense
from labelspan.subspace._folds import Fold, FoldForm, FoldPlan, fold_form


@dataclass(frozen=True)
class FoldScores:
    """Scores of all grid points on one fold, by scorer, and the seconds they took."""

    test: dict[str, np.ndarray]
    fit_time: np.ndarray
    score_time: np.ndarray


@dataclass(frozen=True)
class Judge:
    """Computes a measure from scores.

    Attributes
    ----------
    owner : SharedSubspaceClassifierCV
        Knows the classes.
    scorer : callable
        One or several scorers of scikit-learn.
    strategy : str or None
        How thresholds are tuned.
    target : ndarray of shape (n, q) or (n,)
        Truth, as scikit-learn takes it.
    """

    owner: Any
    scorer: Any
    strategy: str | None
    target: np.ndarray

    def measure(self, model: Any, X: Any, truth: Any, weights: np.ndarray | None = None) -> Any:
        """Evaluate the scorer on a model; rows have the same weights as in ``fit``."""
        if weights is None:
            return self.scorer(model, X, truth)
        try:
            return self.scorer(model, X, truth, sample_weight=weights)
        except TypeError as error:
            raise TypeError(
                f"scoring={self.owner.scoring!r} takes no sample_weight, but held-out rows are "
                "weighted. Use scorers that accept it, such as 'f1_macro' or "
                "'roc_auc', or leave sample_weight out."
            ) from error


class Scored(ClassifierMixin, BaseEstimator):
    """A fitted classifier with known scores, to be passed to scorers."""

    min_labels = 0

    def __init__(self, owner: Any, scores: np.ndarray, thresholds: Any = 0.0):
        self.owner = owner
        self.scores = scores
        self.thresholds = thresholds
        self.classes_ = owner.classes_
        self._one_dimensional = owner._one_dimensional

    def fit(self, X: Any, y: Any) -> Scored:
        """Do nothing, because there is nothing to learn."""
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Unchanged scores; ranking measures need no thresholds."""
        return self.scores[:, 0] if self.owner._binary() else self.scores

    def predict(self, X: Any) -> np.ndarray:
        """Labels with scores above their thresholds."""
        chosen = decide(self, above(self.scores, np.asarray(self.thresholds)))
        return pick(self.classes_, chosen[:, 0]) if self._one_dimensional else chosen.astype(int)


def score_fold(
    sample: Sample,
    fold: Fold,
    plan: FoldPlan,
    shared: Any,
    grid: dict[str, list[Any]],
    judge: Judge,
) -> FoldScores:
    """All grid points on one fold: one decomposition, then small products."""
    start = time.perf_counter()
    form = fold_form(sample, fold, plan, shared)
    fit_time = time.perf_counter() - start
    shape = tuple(len(values) for values in grid.values())
    test: dict[str, np.ndarray] = {}
    times = np.zeros(shape)
    _, Y, *weights = sample.at(fold[0])
    training = dense(to_host(Y)) > 0, judge.strategy, *map(to_host, weights)
    rows, _, *weights = sample.at(fold[1])
    weights = [to_host(weight) for weight in weights]
    truth = judge.target[fold[1]]
    for point, scores in form.grid(*grid.values()):
        if not plan.keeps_rank and grid["alpha"][point[0]] + grid["beta"][point[1]] == 0:
            continue
        start = time.perf_counter()
        held_out, thresholds = with_thresholds(form, scores, *training)
        measured = judge.measure(Scored(judge.owner, held_out, thresholds), rows, truth, *weights)
        for name, value in named(measured).items():
            test.setdefault(name, np.full(shape, np.nan))[point] = value
        times[point] = time.perf_counter() - start
    n_points = times.size
    flat = {name: values.ravel() for name, values in test.items()}
    return FoldScores(flat, np.full(n_points, fit_time / n_points), times.ravel())


def with_thresholds(
    form: FoldForm,
    scores: np.ndarray,
    positive: np.ndarray,
    strategy: str | None,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, Any]:
    """Scores of the held-out rows, and thresholds tuned on those of the training rows."""
    if strategy is None:
        return scores, 0.0
    cuts = tuned_thresholds(scores[: form.n_rows], positive, strategy, weights)
    return scores[form.n_rows :], cuts


def named(measured: Any) -> dict[str, float]:
    """Results of several scorers by name; a single one is called "score"."""
    return measured if isinstance(measured, dict) else {"score": measured}
