"""The experiments of the papers: printed value, our value, and a verdict by stated rules."""

from labelspan.papers._document import cells, document, numbered, reasons_of
from labelspan.papers._experiment import (
    RULES,
    Experiment,
    Judged,
    Outcome,
    printed_values,
)
from labelspan.papers._listing import EXPERIMENTS, PAPERS, find_experiments
from labelspan.papers._reproduce import reproduce

__all__ = [
    "EXPERIMENTS",
    "PAPERS",
    "RULES",
    "Experiment",
    "Judged",
    "Outcome",
    "cells",
    "document",
    "find_experiments",
    "numbered",
    "printed_values",
    "reasons_of",
    "reproduce",
]
