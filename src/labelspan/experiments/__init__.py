"""Plans of experiments, their runs, the store of results, and reports."""

from labelspan.experiments._analysis import Analysis, Ranking, analyse
from labelspan.experiments._cell import run_cell
from labelspan.experiments._methods import METHODS, Method, get_method
from labelspan.experiments._plan import Cell, Plan, load_plan
from labelspan.experiments._result import STATUSES, Result
from labelspan.experiments._run import RunSummary, run
from labelspan.experiments._sources import Source
from labelspan.experiments._splits import Splits
from labelspan.experiments._step import Step
from labelspan.experiments._store import Store
from labelspan.experiments._store_file import StoreError

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
