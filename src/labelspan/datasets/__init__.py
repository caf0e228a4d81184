"""Multi-label data sets."""

from labelspan.datasets._dataset import MultilabelDataset
from labelspan.datasets._yeast import load_yeast

__all__ = ["MultilabelDataset", "load_yeast"]
