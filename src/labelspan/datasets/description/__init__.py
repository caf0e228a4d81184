"""What is worth knowing of a data set before it is used."""

from labelspan.datasets.description._block_shift import BlockShift
from labelspan.datasets.description._describe import Description, describe
from labelspan.datasets.description._realign import realign

__all__ = ["BlockShift", "Description", "describe", "realign"]
