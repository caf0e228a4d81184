"""What to know about a data set before using it."""

from labelspan.datasets.description._block_shift import BlockShift
from labelspan.datasets.description._dependence import Dependence
from labelspan.datasets.description._describe import Description, describe
from labelspan.datasets.description._realign import realign

__all__ = ["BlockShift", "Dependence", "Description", "describe", "realign"]
