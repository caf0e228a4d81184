"""Multi-label dimensionality reduction for the scikit-learn ecosystem."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from labelspan.registry import ROWS, door, names_in

if TYPE_CHECKING:
    from labelspan import (
        datasets,
        experiments,
        inspection,
        interop,
        metrics,
        model_selection,
        plotting,
        stats,
    )
    from labelspan.arrays import config_context, to_numpy
    from labelspan.costs import cost
    from labelspan.registry import *

__version__ = "0.2.0"

_HOMES = {"config_context": "arrays", "cost": "costs", "to_numpy": "arrays"}
_SUBPACKAGES = (
    *dict.fromkeys(row.home.partition(".")[0] for row in ROWS),
    "datasets",
    "experiments",
    "inspection",
    "interop",
    "lab",
    "linalg",
    "metrics",
    "model_selection",
    "plotting",
    "stats",
)

__all__ = [
    *names_in("labelspan"),
    "__version__",
    "config_context",
    "cost",
    "datasets",
    "experiments",
    "inspection",
    "interop",
    "metrics",
    "model_selection",
    "plotting",
    "stats",
    "to_numpy",
]


if not TYPE_CHECKING:
    # Otherwise a type checker would accept any name.
    _load, _listed = door("labelspan", _HOMES)

    def __getattr__(name: str) -> Any:
        # The import system binds a subpackage here.
        return import_module(f"labelspan.{name}") if name in _SUBPACKAGES else _load(name)

    def __dir__() -> list[str]:
        return sorted({*_listed(), *_SUBPACKAGES})
