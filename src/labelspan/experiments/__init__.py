"""Plans of experiments, their runs, the store of results, and reports."""

from labelspan.experiments.analysis import Analysis, Ranking, analyse
from labelspan.experiments.methods import METHODS, Method, get_method
from labelspan.experiments.plan import Cell, Plan, Source, Splits, Step, load_plan
from labelspan.experiments.runner import RunSummary, run, run_cell
from labelspan.experiments.store import STATUSES, Result, Store, StoreError

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
