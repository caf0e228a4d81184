"""What `labelspan.lab` offers, under the name of its subject."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelspan.lab import (
        METHODS,
        STATUSES,
        Analysis,
        Cell,
        Method,
        Plan,
        Ranking,
        Result,
        RunSummary,
        Source,
        Splits,
        Step,
        Store,
        StoreError,
        analyse,
        get_method,
        load_plan,
        run,
        run_cell,
    )

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
        if name not in __all__:
            raise AttributeError(f"module 'labelspan.experiments' has no attribute {name!r}")
        value = getattr(import_module("labelspan.lab"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
