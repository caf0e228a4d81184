"""Running the cells of a plan."""

from labelspan.lab.runner._cell import run_cell
from labelspan.lab.runner._environment import PACKAGES
from labelspan.lab.runner._progress import Progress, default_progress
from labelspan.lab.runner._run import RunSummary, check_before_run, run
from labelspan.lab.runner._search import N_FOLDS

__all__ = [
    "N_FOLDS",
    "PACKAGES",
    "Progress",
    "RunSummary",
    "check_before_run",
    "default_progress",
    "run",
    "run_cell",
]
