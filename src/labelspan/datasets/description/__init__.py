"""What is worth knowing of a data set before it is used."""

from labelspan.datasets.description._block_shift import BlockShift
from labelspan.datasets.description._cooccurrence import plot_label_cooccurrence
from labelspan.datasets.description._describe import Description, describe

__all__ = ["BlockShift", "Description", "describe", "plot_label_cooccurrence"]
