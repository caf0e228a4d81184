"""The experiments of the papers: printed value, our value, and a verdict by stated rules."""

from labelspan.papers._document import cells, document, numbered, reasons_of
from labelspan.papers._experiment import (
    RULES,
    Experiment,
    Judged,
    Outcome,
    judge_statement,
    judge_value,
    printed_values,
)
from labelspan.papers._listing import EXPERIMENTS, PAPERS, find_experiments
from labelspan.papers._reproduce import reproduce
from labelspan.papers._text import TextError, digest_of_cells, judge_text, read_values, write_values
from labelspan.papers._values import Values

__all__ = [
    "EXPERIMENTS",
    "PAPERS",
    "RULES",
    "Experiment",
    "Judged",
    "Outcome",
    "TextError",
    "Values",
    "cells",
    "digest_of_cells",
    "document",
    "find_experiments",
    "judge_statement",
    "judge_text",
    "judge_value",
    "numbered",
    "printed_values",
    "read_values",
    "reasons_of",
    "reproduce",
    "write_values",
]
