"""The methods and measures that a plan can name."""

from labelspan.lab.methods._grids import LEGEND, UNITS, defaults, grid_of
from labelspan.lab.methods._measures import ALL_MEASURES, measure_of
from labelspan.lab.methods._methods import (
    METHODS,
    MODEL,
    PAPER_METHODS,
    SCALERS,
    Method,
    get_method,
)

__all__ = [
    "ALL_MEASURES",
    "LEGEND",
    "METHODS",
    "MODEL",
    "PAPER_METHODS",
    "SCALERS",
    "UNITS",
    "Method",
    "defaults",
    "get_method",
    "grid_of",
    "measure_of",
]
