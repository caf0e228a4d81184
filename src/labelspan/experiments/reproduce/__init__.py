"""The experiments of the five papers: printed value, our value, verdict by a stated rule."""

from labelspan.experiments.reproduce._document import document
from labelspan.experiments.reproduce._experiment import Experiment, Judged, Outcome
from labelspan.experiments.reproduce._listing import EXPERIMENTS, find_experiments
from labelspan.experiments.reproduce._reproduce import reproduce

__all__ = [
    "EXPERIMENTS",
    "Experiment",
    "Judged",
    "Outcome",
    "document",
    "find_experiments",
    "reproduce",
]
