"""From results to ranks, tests and sentences."""

from labelspan.lab.analysis._analysis import Analysis, Row, analyse, cells_of, facts_of, stored_plan
from labelspan.lab.analysis._missing import declines
from labelspan.lab.analysis._ranking import DIGITS, Ranking
from labelspan.lab.analysis._tuning import LEGEND, Chosen, chosen_values, tuning_line, tuning_lines
from labelspan.lab.analysis._verdict import (
    caution,
    interaction_shown,
    noise,
    primary,
    recommendation,
    recommendations,
    verdict,
    verdicts,
)

__all__ = [
    "DIGITS",
    "LEGEND",
    "Analysis",
    "Chosen",
    "Ranking",
    "Row",
    "analyse",
    "caution",
    "cells_of",
    "chosen_values",
    "declines",
    "facts_of",
    "interaction_shown",
    "noise",
    "primary",
    "recommendation",
    "recommendations",
    "stored_plan",
    "tuning_line",
    "tuning_lines",
    "verdict",
    "verdicts",
]
