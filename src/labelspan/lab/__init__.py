"""Plans of experiments, their runs, the store of results, and reports."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelspan.lab.analysis import Analysis, Ranking, analyse
    from labelspan.lab.methods import METHODS, Method, get_method
    from labelspan.lab.plan import Cell, Plan, Source, Splits, Step, load_plan
    from labelspan.lab.runner import RunSummary, run, run_cell
    from labelspan.lab.store import STATUSES, Result, Store, StoreError

#: The module of each name; lazy, so that reading a data set does not import statistical tests.
_ROOMS = {
    "analysis": ("Analysis", "Ranking", "analyse"),
    "methods": ("METHODS", "Method", "get_method"),
    "plan": ("Cell", "Plan", "Source", "Splits", "Step", "load_plan"),
    "runner": ("RunSummary", "run", "run_cell"),
    "store": ("STATUSES", "Result", "Store", "StoreError"),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "METHODS",
    "STATUSES",
    "Analysis",
    "Cell",
    "Method",
    "Plan",
    "Ranking",
    "Result",
    "RunSummary",
    "Source",
    "Splits",
    "Step",
    "Store",
    "StoreError",
    "analyse",
    "get_method",
    "load_plan",
    "run",
    "run_cell",
]

if not TYPE_CHECKING:
    # Otherwise a type checker would accept any name.
    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'labelspan.lab' has no attribute {name!r}")
        value = getattr(import_module(f"labelspan.lab.{_HOMES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
