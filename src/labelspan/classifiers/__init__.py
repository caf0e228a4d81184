"""Classifiers that the papers evaluate reductions with."""

from labelspan.classifiers._mlknn import MLkNN

__all__ = ["MLkNN"]
