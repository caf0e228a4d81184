"""Significance tests for comparing methods over data sets."""

from labelspan.stats._bayes import BayesianResult, bayesian_signed_rank
from labelspan.stats._friedman import FriedmanResult, friedman
from labelspan.stats._holm import ControlResult, HolmResult, compare_with_control, holm
from labelspan.stats._nemenyi import NemenyiResult, critical_difference, nemenyi
from labelspan.stats._pairs import PairsResult, paired_t_test, wilcoxon
from labelspan.stats._ranks import Ranks, average_ranks

__all__ = [
    "BayesianResult",
    "ControlResult",
    "FriedmanResult",
    "HolmResult",
    "NemenyiResult",
    "PairsResult",
    "Ranks",
    "average_ranks",
    "bayesian_signed_rank",
    "compare_with_control",
    "critical_difference",
    "friedman",
    "holm",
    "nemenyi",
    "paired_t_test",
    "wilcoxon",
]
