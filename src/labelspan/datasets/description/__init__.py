"""What is worth knowing of a data set before it is used."""

from labelspan.datasets.description._block_shift import BlockShift
from labelspan.datasets.description._describe import Description, describe

__all__ = ["BlockShift", "Description", "describe"]
