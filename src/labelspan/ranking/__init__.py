"""Ranking support vector machines: the labels of an instance are to outrank the others."""

from labelspan.ranking._clarank import CLaRankSVM
from labelspan.ranking._larank import LaRankSVM
from labelspan.ranking._path import RankingPath, ranking_path
from labelspan.ranking._plots import label_correlation, plot_label_correlation

__all__ = [
    "CLaRankSVM",
    "LaRankSVM",
    "RankingPath",
    "label_correlation",
    "plot_label_correlation",
    "ranking_path",
]
