"""Splitters for multi-label data, in scikit-learn's interface."""

from labelspan.model_selection._kfold import (
    MultilabelStratifiedKFold,
    RepeatedMultilabelStratifiedKFold,
)
from labelspan.model_selection._shuffle import MultilabelStratifiedShuffleSplit

__all__ = [
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "RepeatedMultilabelStratifiedKFold",
]
