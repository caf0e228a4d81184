"""Feature selection for ranking the labels, with or without label correlation."""

from typing import TYPE_CHECKING

from labelspan.registry import door, names_in
from labelspan.selection._path import SelectionPath, selection_path
from labelspan.selection._scores import FeatureScore

if TYPE_CHECKING:
    from labelspan.registry import *
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [*names_in(__name__), "SelectionPath", "selection_path"]
