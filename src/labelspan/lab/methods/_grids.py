"""The candidates that ``--tune`` searches for the parameters of each method, as data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from labelspan.lab.methods._methods import Method
from labelspan.moments import total_variance


def mean_scatter(X: Any) -> float:
    """Mean of the non-zero eigenvalues of the scatter of centred features, at full rank."""
    return X.shape[0] * mean_variance(X)


def mean_variance(X: Any) -> float:
    """Mean of the non-zero eigenvalues of the covariance of the features, at full rank."""
    return total_variance(X) / min(X.shape)


@dataclass(frozen=True)
class Unit:
    """The unit of a candidate, because suitable values grow with the features.

    Attributes
    ----------
    symbol : str
        Symbol after the number in tables.
    value : callable
        From a number and the features that the method is fitted on to the parameter.
    """

    symbol: str
    value: Callable[[float, Any], float]


PLAIN = Unit("", lambda number, X: number)
SCATTER = Unit(" s", lambda number, X: number * mean_scatter(X))
VARIANCE = Unit(" v", lambda number, X: number * mean_variance(X))
WIDTH = Unit(" / V", lambda number, X: number / total_variance(X))
# The ridge of MDDM is (1 - mu) / mu.
WEIGHT = Unit(" as ridge / s", lambda number, X: 1 / (1 + number * mean_scatter(X)))

#: Explanation of the unit symbols.
LEGEND = (
    "s is the mean eigenvalue of the scatter matrix of the features that the method is fitted on, "
    "n V / min(n, D), v is s / n, V is the sum of the variances of the features"
)


@dataclass(frozen=True)
class Candidates:
    """Candidates of a parameter besides the value of the plan, which is always tried first.

    Attributes
    ----------
    numbers : tuple of float
        The values, in the unit.
    unit : Unit
        The unit of the values.
    only_if : tuple of (str, value)
        Values of other parameters without which this one has no effect.
    """

    numbers: tuple[float, ...]
    unit: Unit = PLAIN
    only_if: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{number:g}{self.unit.symbol}" for number in self.numbers)


Grid = Mapping[str, Candidates]

_RIDGE = {"ridge": Candidates((1e-3, 0.03, 0.3, 3.0), SCATTER)}
_FEW_RIDGES = {"ridge": Candidates((0.03, 1.0), SCATTER)}
_WIDTHS = Candidates((0.25, 1.0, 4.0), WIDTH)
_WEIGHTS = Candidates((1e-3, 0.03, 0.3, 3.0), WEIGHT, (("constraint", "feature"),))
_PRICES = {
    "alpha": Candidates((0.1,), VARIANCE),
    "beta": Candidates((1e-3, 0.03, 0.3, 3.0), VARIANCE),
}
_C = {"C": Candidates((0.1, 10.0))}

#: Candidates by the name of the class, or of the function that makes the estimator.
GRIDS: MappingProxyType[str, Grid] = MappingProxyType(
    {
        "MDDM": {"mu": _WEIGHTS},
        "MVMD": {"beta": Candidates((0.1, 0.3, 0.7, 0.9))},
        "LabelCCA": _RIDGE,
        "OPLS": _RIDGE,
        "HSL": _RIDGE,
        "MLSI": {"beta": Candidates((0.1, 0.9)), **_FEW_RIDGES},
        "MLDA": _RIDGE,
        "DMLDA": _RIDGE,
        "LPP": _RIDGE,
        "KernelMDDM": {"gamma": _WIDTHS},
        "KernelHSL": {"gamma": _WIDTHS, "ridge": Candidates((1e-3, 1e-2, 1.0))},
        "KernelPLS": {"gamma": _WIDTHS},
        "KernelLabelCCA": {"gamma": _WIDTHS, "ridge": Candidates((1e-3, 1e-2, 1.0))},
        "MLkNN": {"n_neighbors": Candidates((5, 20))},
        "MultiOutputRidge": _RIDGE,
        "tuned_ridge": _RIDGE,
        "tuned_svm": _C,
        "tuned_subspace": _PRICES,
        "SharedSubspaceClassifier": _PRICES,
        "PLST": _RIDGE,
        "CPLST": _RIDGE,
        "OCCA": _RIDGE,
        "FaIE": _RIDGE,
        "LEML": {"ridge": Candidates((0.1, 10.0))},
        "PartialBinaryRelevance": _RIDGE,
        "KernelCPLST": {"gamma": _WIDTHS, "ridge": Candidates((1e-3, 1e-2, 0.1))},
        "KernelSharedSubspaceClassifier": {
            "gamma": _WIDTHS,
            # With few labels the shared subspace is small, and most weights are penalised with
            # alpha.
            "alpha": Candidates((1e-3,)),
            "beta": Candidates((1e-4, 1e-3)),
        },
        "LaRankSVM": _C,
        "CLaRankSVM": _C,
        "MLFS": _C,
        "CMLFS": _C,
    }
)


def grid_of(method: Method, fixed: Mapping[str, Any] | None = None) -> dict[str, Candidates]:
    """Return the candidates of a method, except for parameters that a plan fixes.

    Parameters
    ----------
    method : Method
        The method.
    fixed : mapping, optional
        Parameters that the plan gives; they are not searched.

    Returns
    -------
    dict of str to Candidates
        Empty if there is nothing to search.
    """
    made = method.load()
    name = getattr(made, "__name__", "")
    # A class of another package may share the name of one of ours.
    if made is None or not made.__module__.startswith("labelspan.") or name not in GRIDS:
        return {}
    given = {**dict(method.parameters), **(fixed or {})}
    values = {**defaults(made), **given}
    return {
        key: candidates
        for key, candidates in GRIDS[name].items()
        if key not in given and all(values[other] == v for other, v in candidates.only_if)
    }


def defaults(made: Callable[..., Any]) -> dict[str, Any]:
    """Default values of the parameters of a class or function."""
    return {name: item.default for name, item in inspect.signature(made).parameters.items()}
