"""Significance tests: of methods over data sets, and of labels on features."""

from labelspan.stats._bayes import BayesianResult, bayesian_signed_rank
from labelspan.stats._friedman import FriedmanResult, friedman
from labelspan.stats._holm import ControlResult, HolmResult, compare_with_control, holm
from labelspan.stats._hsic import hsic
from labelspan.stats._nemenyi import NemenyiResult, critical_difference, nemenyi
from labelspan.stats._pairs import PairsResult, paired_t_test, wilcoxon
from labelspan.stats._ranks import Ranks, average_ranks
from labelspan.stats.dependence import DependenceResult, LabelDependence, dependence_test

__all__ = [
    "BayesianResult",
    "ControlResult",
    "DependenceResult",
    "FriedmanResult",
    "HolmResult",
    "LabelDependence",
    "NemenyiResult",
    "PairsResult",
    "Ranks",
    "average_ranks",
    "bayesian_signed_rank",
    "compare_with_control",
    "critical_difference",
    "dependence_test",
    "friedman",
    "holm",
    "hsic",
    "nemenyi",
    "paired_t_test",
    "wilcoxon",
]
