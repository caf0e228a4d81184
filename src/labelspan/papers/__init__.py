"""The experiments of the papers: printed value, our value, and a verdict by stated rules."""

from labelspan.papers._document import cells, document, numbered, reasons_of
from labelspan.papers._experiment import (
    RULES,
    Experiment,
    Judged,
    Outcome,
    Values,
    judge_statement,
    judge_value,
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
    "Values",
    "cells",
    "document",
    "find_experiments",
    "judge_statement",
    "judge_value",
    "numbered",
    "printed_values",
    "reasons_of",
    "reproduce",
]
