"""Multi-label data sets: readers, writers and a catalogue of benchmark sets."""

from labelspan.datasets._arff import read_arff
from labelspan.datasets._block_shift import BlockShift
from labelspan.datasets._cooccurrence import plot_label_cooccurrence
from labelspan.datasets._csv import read_csv
from labelspan.datasets._dataset import MultilabelDataset
from labelspan.datasets._describe import Description, describe
from labelspan.datasets._errors import DataFileError
from labelspan.datasets._frame import from_frame
from labelspan.datasets._libsvm import read_libsvm
from labelspan.datasets._limits import Limits
from labelspan.datasets._listing import DatasetInfo, list_datasets
from labelspan.datasets._load import load_dataset
from labelspan.datasets._mat import read_mat
from labelspan.datasets._npz import read_npz, write_npz
from labelspan.datasets._write_text import write_arff, write_libsvm
from labelspan.datasets._xmc import read_xmc
from labelspan.datasets._yeast import load_yeast

__all__ = [
    "BlockShift",
    "DataFileError",
    "DatasetInfo",
    "Description",
    "Limits",
    "MultilabelDataset",
    "describe",
    "from_frame",
    "list_datasets",
    "load_dataset",
    "load_yeast",
    "plot_label_cooccurrence",
    "read_arff",
    "read_csv",
    "read_libsvm",
    "read_mat",
    "read_npz",
    "read_xmc",
    "write_arff",
    "write_libsvm",
    "write_npz",
]
