"""Running the cells of a plan."""

from labelspan.experiments.runner._cell import run_cell
from labelspan.experiments.runner._environment import PACKAGES
from labelspan.experiments.runner._progress import Progress, default_progress
from labelspan.experiments.runner._run import RunSummary, check_before_run, run
from labelspan.experiments.runner._search import N_FOLDS

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
