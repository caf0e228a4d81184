"""Fitted models as chains of affine maps: what other programs can compute without labelspan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, Ridge

from labelspan.base import LinearReducer, chosen_thresholds
from labelspan.choice import AllFeatures, ReducerCV
from labelspan.classifiers import MultiOutputRidge, ThresholdTuner
from labelspan.extraction import EmbeddingReducer
from labelspan.labelspace import (
    CODE_THRESHOLD,
    CompressedSensing,
    LabelSpaceCCA,
    LabelSpaceClassifier,
    LabelSubset,
    LinearCodes,
)
from labelspan.ranking import RankingClassifier
from labelspan.ridge_cv import MultilabelRidgeCV
from labelspan.selection import CMLFS, LLSF, MLFS, FeatureScore, FisherSVM
from labelspan.semisupervised import SemiSupervised
from labelspan.subspace import StructuralF1SVM, SubspaceClassifier


@dataclass(frozen=True)
class Affine:
    """x -> coef (x - mean) + level, with arrays (k, D), (D,) and (k,)."""

    mean: np.ndarray
    coef: np.ndarray
    level: np.ndarray


@dataclass(frozen=True)
class Columns:
    """x -> the features with these numbers."""

    kept: np.ndarray


@dataclass(frozen=True)
class UnitRows:
    """x -> (x - low) / |x - low|, and 0 for a row that is `low`."""

    low: np.ndarray


Maps = tuple[Affine | Columns | UnitRows, ...]
# Labels without rows have infinite thresholds, which must fit into float32.
LARGEST = np.finfo(np.float32).max / 2


@dataclass(frozen=True)
class Rule:
    """When a label is predicted: its score exceeds 0, the affine map `threshold` of x, or `limits`.

    Rows with too few get their `min_labels` highest-scoring labels; `never` masks labels.
    """

    threshold: Affine | None = None
    min_labels: int = 0
    never: np.ndarray | None = None
    limits: np.ndarray | None = None


@singledispatch
def projection(model: BaseEstimator) -> Maps:
    raise refusal(model, "it is not a linear transformer of the features")


@projection.register
def _(model: LinearReducer) -> Maps:
    return (centred(model.mean_, model.components_),)


@projection.register
def _(model: EmbeddingReducer) -> Maps:
    linear = centred(model.mean_, model.components_)
    return (linear, UnitRows(np.zeros(model.n_components_))) if model.normalize else (linear,)


@projection.register
def _(model: SubspaceClassifier) -> Maps:
    return (centred(model.mean_, model._basis),)


@projection.register
def _(model: MLFS | CMLFS | FeatureScore | FisherSVM | LLSF) -> Maps:
    return (Columns(np.flatnonzero(model.get_support())),)


@projection.register
def _(model: SemiSupervised) -> Maps:
    return projection(model.reducer_)


@projection.register
def _(model: ReducerCV) -> Maps:
    space = model._space
    if space.map_ is not None:
        raise refusal(model)
    if isinstance(model.best_estimator_, AllFeatures):
        D = model.n_features_in_
        found: Maps = () if space.scaling is None else (centred(np.zeros(D), np.eye(D)),)
    else:
        found = projection(model.best_estimator_)
    if space.scaling is None:
        return found
    if space.scaling.low is not None:
        return (UnitRows(space.scaling.low), *found)
    first, scale = found[0], space.scaling.scale
    assert isinstance(first, Affine)
    return (replace(first, mean=first.mean * scale, coef=first.coef / scale), *found[1:])


@singledispatch
def scoring(model: BaseEstimator) -> Maps:
    """Maps to the scores (n, q) that ``predict`` compares with a threshold."""
    raise refusal(model)


@scoring.register(RankingClassifier | SubspaceClassifier | StructuralF1SVM)
@scoring.register(MultiOutputRidge | LLSF | FisherSVM)
def _(model: Any) -> Maps:
    return (Affine(model._mean, model.coef_, model._level),)


@scoring.register
def _(model: MultilabelRidgeCV) -> Maps:
    if not hasattr(model, "coef_"):
        raise refusal(model)
    last = Affine(model._mean, model.coef_, model._level)
    return (UnitRows(model.low_), last) if model.scaling_ == "rows" else (last,)


@scoring.register
def _(model: LabelSpaceClassifier) -> Maps:
    decoded = isinstance(model, LabelSubset | LabelSpaceCCA)
    back = model.decoding_ if decoded else model.components_
    of_zero = model.decode(np.zeros((1, model.n_components_)))[0].astype(np.float64)
    level = of_zero - CODE_THRESHOLD
    if len(back) == 0:
        # No codes; ONNX has no empty arrays.
        D = model.n_features_in_
        return (Affine(np.zeros(D), np.zeros((len(level), D)), level),)
    return codes(model), Affine(np.zeros(len(back)), back.T, level)


@scoring.register
def _(model: CompressedSensing) -> Maps:
    raise refusal(model, "it recovers the labels of every row by orthogonal matching pursuit")


@scoring.register
def _(model: ReducerCV) -> Maps:
    return (*projection(model), *scoring(model.best_readout_))


@scoring.register
def _(model: ThresholdTuner) -> Maps:
    *before, last = scoring(model.estimator_)
    assert isinstance(last, Affine)
    cuts = np.clip(model.thresholds_, -LARGEST, LARGEST)
    return (*before, replace(last, level=last.level - cuts))


def codes(model: Any) -> Affine:
    """Return the map from features to codes of labels."""
    regressor = model.regressor_
    if isinstance(regressor, LinearCodes):
        return Affine(regressor.mean, regressor.coef, regressor.offset)
    if isinstance(regressor, LinearRegression | Ridge):
        coef = np.atleast_2d(regressor.coef_)
        level = np.broadcast_to(regressor.intercept_, len(coef))
        return Affine(np.zeros(coef.shape[1]), coef, level)
    raise refusal(
        model,
        f"its regressor_, {type(regressor).__name__}, is not among those known to be linear: "
        "least squares (None), LinearRegression and Ridge",
    )


def rule(model: Any) -> Rule:
    """Return when the scores of :func:`scoring` predict a label."""
    if isinstance(model, ReducerCV):
        if model.threshold == "paper":
            return rule(model.best_readout_)
        limits = np.full(model._n_labels, float(model.threshold_))
        return Rule(None, model.min_labels_, limits=limits)
    if isinstance(model, MultilabelRidgeCV):
        return Rule(None, model.min_labels_, limits=model._thresholds(None))
    chosen = chosen_thresholds(model)
    if chosen is not None and not model._one_dimensional:
        limits = np.clip(np.full(model._n_labels, chosen), -LARGEST, LARGEST)
        least = getattr(model, "min_labels_", model.min_labels)
        return Rule(None, least, getattr(model, "_never", None), limits)
    if not isinstance(model, RankingClassifier):
        return Rule(None, getattr(model, "min_labels_", model.min_labels))
    if model._one_dimensional or model._n_labels == 1:
        return Rule(None, 0, model._never)
    found, columns = model._threshold, model._threshold.columns
    mean, coef = found.mean, found.coef
    if columns is not None:
        mean, coef = np.zeros((2, model.n_features_in_))
        mean[columns], coef[columns] = found.mean, found.coef
    return Rule(Affine(mean, coef[None], found.level), model.min_labels, model._never)


def centred(mean: np.ndarray, components: np.ndarray) -> Affine:
    """Return the projection of centred rows."""
    return Affine(mean, components, np.zeros(len(components)))


def refusal(
    model: Any, reason: str = "what it computes is not linear in the features"
) -> TypeError:
    return TypeError(
        f"{type(model).__name__} cannot be exported: {reason}. Export a linear estimator, "
        "such as MDDM, MultiOutputRidge or CPLST."
    )
