"""ARFF files of Mulan and MEKA, and the XML beside them."""

from labelspan.datasets.io.arff._arff import read_arff
from labelspan.datasets.io.arff._kernels import scan_index, skip_blanks, skip_line
from labelspan.datasets.io.arff._labels import MEKA_LABELS, xml_beside

__all__ = [
    "MEKA_LABELS",
    "read_arff",
    "scan_index",
    "skip_blanks",
    "skip_line",
    "xml_beside",
]
