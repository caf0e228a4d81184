"""What a plan can measure: the measures of predictions, and those that ask the fitted model."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from labelspan.metrics import MEASURES, Measure, get_measure


def encoding_error(Y: Any, fitted: tuple[Any, Any]) -> float:
    """||Z - ZV'V||^2 of a label-space model on the test rows, a row."""
    return float(_errors(Y, fitted, "encoding_error").encoding / len(Y))


def prediction_error(Y: Any, fitted: tuple[Any, Any]) -> float:
    """||r(X) - ZV'||^2 of a label-space model on the test rows, a row."""
    return float(_errors(Y, fitted, "prediction_error").prediction / len(Y))


def _errors(Y: Any, fitted: tuple[Any, Any], measure: str) -> Any:
    model, X = fitted
    if not hasattr(model, "errors"):
        raise TypeError(
            f"{measure} asks a label-space model such as CPLST for its errors; "
            f"{type(model).__name__} has none. Leave the measure out, or the method."
        )
    return model.errors(X, Y)


#: All measures by name; those that need the model are given it with the test rows.
ALL_MEASURES: MappingProxyType[str, Measure] = MappingProxyType(
    {
        **MEASURES,
        "encoding_error": Measure(
            "encoding_error", encoding_error, "min", "model", "Encoding error"
        ),
        "prediction_error": Measure(
            "prediction_error", prediction_error, "min", "model", "Prediction error"
        ),
    }
)


def measure_of(name: str, convention: str) -> Measure:
    """The measure of a plan, with the convention of a paper bound to it."""
    if name in ALL_MEASURES and name not in MEASURES:
        return ALL_MEASURES[name]
    return get_measure(name, convention)
