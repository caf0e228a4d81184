"""Benchmark data sets: their statistics and files."""

from labelspan.datasets.catalogue._built_in import load_goemotions, load_yeast
from labelspan.datasets.catalogue._listing import DatasetInfo, list_datasets
from labelspan.datasets.catalogue._load import files_of, load_dataset
from labelspan.datasets.catalogue._locate import hash_of

__all__ = [
    "DatasetInfo",
    "files_of",
    "hash_of",
    "list_datasets",
    "load_dataset",
    "load_goemotions",
    "load_yeast",
]
