"""The dependence test: moments over all permutations, draws, and its result."""

from labelspan.stats.dependence._dependence import dependence_test
from labelspan.stats.dependence._labels import benjamini_hochberg
from labelspan.stats.dependence._quick import quick_test
from labelspan.stats.dependence._result import DependenceResult, LabelDependence

__all__ = [
    "DependenceResult",
    "LabelDependence",
    "benjamini_hochberg",
    "dependence_test",
    "quick_test",
]
