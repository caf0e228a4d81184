"""Feature selection for ranking the labels, with or without label correlation."""

from labelspan.selection._cmlfs import CMLFS
from labelspan.selection._labelwise import LabelwiseSVM
from labelspan.selection._mlfs import MLFS
from labelspan.selection._path import SelectionPath, selection_path
from labelspan.selection._scores import DiscriminativeRatio, MultilabelFisherScore

__all__ = [
    "CMLFS",
    "MLFS",
    "DiscriminativeRatio",
    "MultilabelFisherScore",
    "SelectionPath",
    "selection_path",
]
