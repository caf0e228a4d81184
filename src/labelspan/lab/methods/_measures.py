"""The measures of a plan: those of predictions, and those that need the fitted model."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from labelspan.metrics import (
    MEASURES,
    Measure,
    get_measure,
    ndcg_at_k,
    precision_at_k,
    propensity_scored_precision_at_k,
)


def encoding_error(Y: Any, fitted: tuple[Any, Any]) -> float:
    """||Z - ZV'V||^2 per test row, of a label-space model."""
    return float(_errors(Y, fitted, "encoding_error").encoding / len(Y))


def prediction_error(Y: Any, fitted: tuple[Any, Any]) -> float:
    """||r(X) - ZV'||^2 per test row, of a label-space model."""
    return float(_errors(Y, fitted, "prediction_error").prediction / len(Y))


def _errors(Y: Any, fitted: tuple[Any, Any], measure: str) -> Any:
    model, X = fitted
    if not hasattr(model, "errors"):
        raise TypeError(
            f"{measure} asks a label-space model such as CPLST for its errors; "
            f"{type(model).__name__} has none. Leave the measure out, or the method."
        )
    return model.errors(X, Y)


def scored_by_propensity(Y: Any, fitted: tuple[Any, Any], k: int) -> float:
    """Propensity-scored precision at k of a model that stores the propensities of its labels."""
    model, X = fitted
    if not hasattr(model, "propensities_"):
        raise TypeError(
            f"psp_at_{k} asks a model for the propensities of its training labels; "
            f"{type(model).__name__} has none. Leave the measure out, or the method."
        )
    scores = model.decision_function(X)
    return propensity_scored_precision_at_k(Y, scores, k, propensities=model.propensities_)


def _at(k: int) -> dict[str, Measure]:
    found = (
        Measure(f"precision_at_{k}", precision_at_k, "max", "scores", f"P@{k}", (("k", k),)),
        Measure(f"ndcg_at_{k}", ndcg_at_k, "max", "scores", f"nDCG@{k}", (("k", k),)),
        Measure(f"psp_at_{k}", scored_by_propensity, "max", "model", f"PSP@{k}", (("k", k),)),
    )
    return {measure.name: measure for measure in found}


#: All measures by name; some also receive the model and the test rows.
ALL_MEASURES: MappingProxyType[str, Measure] = MappingProxyType(
    {
        **MEASURES,
        "encoding_error": Measure(
            "encoding_error", encoding_error, "min", "model", "Encoding error"
        ),
        "prediction_error": Measure(
            "prediction_error", prediction_error, "min", "model", "Prediction error"
        ),
        **_at(1),
        **_at(3),
        **_at(5),
    }
)


def measure_of(name: str, convention: str) -> Measure:
    """The measure of a plan, with the convention of a paper bound to it."""
    if name in ALL_MEASURES and name not in MEASURES:
        return ALL_MEASURES[name]
    return get_measure(name, convention)
