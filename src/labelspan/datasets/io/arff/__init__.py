"""ARFF files of Mulan and MEKA, and the XML beside them."""

from labelspan.datasets.io.arff._arff import read_arff
from labelspan.datasets.io.arff._header import FALSE_WORDS, TRUE_WORDS, category_values
from labelspan.datasets.io.arff._kernels import scan_index, skip_blanks, skip_line
from labelspan.datasets.io.arff._labels import MEKA_LABELS, xml_beside
from labelspan.datasets.io.arff._mulan_xml import first_repeat

__all__ = [
    "FALSE_WORDS",
    "MEKA_LABELS",
    "TRUE_WORDS",
    "category_values",
    "first_repeat",
    "read_arff",
    "scan_index",
    "skip_blanks",
    "skip_line",
    "xml_beside",
]
