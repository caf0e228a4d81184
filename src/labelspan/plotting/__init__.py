"""Plots in the style of scikit-learn's displays (matplotlib is optional)."""

from labelspan.plotting._axes import Display
from labelspan.plotting._bootstrap import BootstrapDisplay
from labelspan.plotting._choice import ReducerCVDisplay
from labelspan.plotting._curves import (
    ErrorCurvesDisplay,
    SelectionPathDisplay,
    TrainingTimesDisplay,
)
from labelspan.plotting._features import TopFeaturesDisplay
from labelspan.plotting._heat_maps import (
    LabelCooccurrenceDisplay,
    LabelCorrelationDisplay,
    SensitivityDisplay,
)
from labelspan.plotting._label_map import LabelMapDisplay
from labelspan.plotting._ranks import CriticalDifferenceDisplay
from labelspan.plotting._spectrum import SpectrumDisplay

__all__ = [
    "BootstrapDisplay",
    "CriticalDifferenceDisplay",
    "Display",
    "ErrorCurvesDisplay",
    "LabelCooccurrenceDisplay",
    "LabelCorrelationDisplay",
    "LabelMapDisplay",
    "ReducerCVDisplay",
    "SelectionPathDisplay",
    "SensitivityDisplay",
    "SpectrumDisplay",
    "TopFeaturesDisplay",
    "TrainingTimesDisplay",
]
