"""Plots in the style of scikit-learn's displays (matplotlib is optional)."""

from labelspan.plotting._axes import Display
from labelspan.plotting._choice import ReducerCVDisplay
from labelspan.plotting._curves import (
    ErrorCurvesDisplay,
    SelectionPathDisplay,
    TrainingTimesDisplay,
)
from labelspan.plotting._heat_maps import (
    LabelCooccurrenceDisplay,
    LabelCorrelationDisplay,
    SensitivityDisplay,
)
from labelspan.plotting._label_map import LabelMapDisplay
from labelspan.plotting._ranks import CriticalDifferenceDisplay

__all__ = [
    "CriticalDifferenceDisplay",
    "Display",
    "ErrorCurvesDisplay",
    "LabelCooccurrenceDisplay",
    "LabelCorrelationDisplay",
    "LabelMapDisplay",
    "ReducerCVDisplay",
    "SelectionPathDisplay",
    "SensitivityDisplay",
    "TrainingTimesDisplay",
]
