"""Multi-label classifiers."""

from labelspan.classifiers._mlknn import MLkNN
from labelspan.classifiers._ridge import MultiOutputRidge

__all__ = ["MLkNN", "MultiOutputRidge"]
