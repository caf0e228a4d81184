"""Benchmark data sets: their statistics and files."""

from labelspan.datasets.catalogue._listing import DatasetInfo, list_datasets
from labelspan.datasets.catalogue._load import files_of, load_dataset
from labelspan.datasets.catalogue._locate import hash_of
from labelspan.datasets.catalogue._yeast import load_yeast

__all__ = ["DatasetInfo", "files_of", "hash_of", "list_datasets", "load_dataset", "load_yeast"]
