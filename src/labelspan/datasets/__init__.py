"""Multi-label data sets: readers, writers and a catalogue of benchmark sets."""

from labelspan.datasets.blocks import Blocks, blocks_of
from labelspan.datasets.catalogue import (
    DatasetInfo,
    list_datasets,
    load_dataset,
    load_goemotions,
    load_yeast,
)
from labelspan.datasets.description import BlockShift, Description, describe, realign
from labelspan.datasets.io import DataFileError, Limits, MultilabelDataset
from labelspan.datasets.io.arff import read_arff
from labelspan.datasets.io.binary import read_mat, read_npz, write_npz
from labelspan.datasets.io.columns import ColumnEncoder
from labelspan.datasets.io.frames import from_frame, from_openml, read_csv, read_features, write_csv
from labelspan.datasets.io.text import read_libsvm, read_xmc, write_arff, write_libsvm

__all__ = [
    "BlockShift",
    "Blocks",
    "ColumnEncoder",
    "DataFileError",
    "DatasetInfo",
    "Description",
    "Limits",
    "MultilabelDataset",
    "blocks_of",
    "describe",
    "from_frame",
    "from_openml",
    "list_datasets",
    "load_dataset",
    "load_goemotions",
    "load_yeast",
    "read_arff",
    "read_csv",
    "read_features",
    "read_libsvm",
    "read_mat",
    "read_npz",
    "read_xmc",
    "realign",
    "write_arff",
    "write_csv",
    "write_libsvm",
    "write_npz",
]
