"""Ranking support vector machines: the labels of an instance are to outrank the others."""

from labelspan.ranking._clarank import CLaRankSVM
from labelspan.ranking._larank import LaRankSVM

__all__ = ["CLaRankSVM", "LaRankSVM"]
