"""LibSVM and extreme-classification text."""

from labelspan.datasets.io.text._libsvm import read_libsvm
from labelspan.datasets.io.text._write_text import write_arff, write_libsvm
from labelspan.datasets.io.text._xmc import read_xmc

__all__ = ["read_libsvm", "read_xmc", "write_arff", "write_libsvm"]
