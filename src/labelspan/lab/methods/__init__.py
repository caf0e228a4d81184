"""The methods and measures that a plan can name."""

from labelspan.lab.methods._grids import LEGEND, UNITS, defaults, grid_of
from labelspan.lab.methods._measures import ALL_MEASURES, measure_of
from labelspan.lab.methods._methods import (
    AUTO,
    METHODS,
    MODEL,
    NUMBERED,
    NUMBERS,
    PAPER_METHODS,
    SCALERS,
    Method,
    get_method,
    with_auto,
    with_number,
)

__all__ = [
    "ALL_MEASURES",
    "AUTO",
    "LEGEND",
    "METHODS",
    "MODEL",
    "NUMBERED",
    "NUMBERS",
    "PAPER_METHODS",
    "SCALERS",
    "UNITS",
    "Method",
    "defaults",
    "get_method",
    "grid_of",
    "measure_of",
    "with_auto",
    "with_number",
]
