"""Measures that ask the fitted model itself, not only what it predicts."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any


def encoding_error(model: Any, X: Any, Y: Any) -> float:
    """||Z - ZV'V||^2 of a label-space model, a row."""
    return float(model.errors(X, Y).encoding / len(Y))


def prediction_error(model: Any, X: Any, Y: Any) -> float:
    """||r(X) - ZV'||^2 of a label-space model, a row."""
    return float(model.errors(X, Y).prediction / len(Y))


#: What a plan can measure besides `labelspan.metrics.MEASURES`: ``measure(model, X, Y)``.
MODEL_MEASURES: MappingProxyType[str, Callable[[Any, Any, Any], float]] = MappingProxyType(
    {"encoding_error": encoding_error, "prediction_error": prediction_error}
)
