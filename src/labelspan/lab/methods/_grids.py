"""The candidates that ``--tune`` searches for the parameters of each method, and their units."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from labelspan.lab.methods._methods import Method
from labelspan.moments import total_variance
from labelspan.registry import ROWS, Candidates


def mean_scatter(X: Any) -> float:
    """Mean of the non-zero eigenvalues of the scatter of centred features, at full rank."""
    return X.shape[0] * mean_variance(X)


def mean_variance(X: Any) -> float:
    """Mean of the non-zero eigenvalues of the covariance of the features, at full rank."""
    return total_variance(X) / min(X.shape)


#: By the unit of a candidate: from its number and the features of a fit to the parameter.
UNITS: Mapping[str, Callable[[float, Any], float]] = MappingProxyType(
    {
        "": lambda number, X: number,
        " s": lambda number, X: number * mean_scatter(X),
        " v": lambda number, X: number * mean_variance(X),
        " / V": lambda number, X: number / total_variance(X),
        # The ridge of MDDM is (1 - mu) / mu.
        " as ridge / s": lambda number, X: 1 / (1 + number * mean_scatter(X)),
    }
)

#: Explanation of the unit symbols.
LEGEND = (
    "s is the mean eigenvalue of the scatter matrix of the features that the method is fitted on, "
    "n V / min(n, D), v is s / n, V is the sum of the variances of the features"
)

_OF = {row.name: row.tuned for row in ROWS}
#: Candidates by the name of the class, or of the function that makes the estimator.
GRIDS: MappingProxyType[str, Mapping[str, Candidates]] = MappingProxyType(
    {
        **_OF,
        "tuned_ridge": _OF["MultiOutputRidge"],
        "tuned_svm": _OF["LaRankSVM"],
        "tuned_subspace": _OF["SharedSubspaceClassifier"],
    }
)


def grid_of(method: Method, fixed: Mapping[str, Any] | None = None) -> dict[str, Candidates]:
    """Candidates of a method by parameter, but for those that a plan fixes in `fixed`."""
    made = method.load()
    name = getattr(made, "__name__", "")
    # A class of another package may share the name of one of ours.
    if made is None or not made.__module__.startswith("labelspan."):
        return {}
    given = {**dict(method.parameters), **(fixed or {})}
    values = {**defaults(made), **given}
    return {
        key: candidates
        for key, candidates in GRIDS.get(name, {}).items()
        if key not in given and all(values[other] == v for other, v in candidates.only_if)
    }


def defaults(made: Callable[..., Any]) -> dict[str, Any]:
    """Default values of the parameters of a class or function."""
    return {name: item.default for name, item in inspect.signature(made).parameters.items()}
