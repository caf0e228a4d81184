"""The reader of each kind of data file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from labelspan.datasets import (
    MultilabelDataset,
    load_dataset,
    read_arff,
    read_csv,
    read_libsvm,
    read_mat,
    read_npz,
    read_xmc,
)


@dataclass(frozen=True)
class Reader:
    """A reader, its arguments by field of a source, and whether it needs the label columns."""

    read: Callable[..., MultilabelDataset]
    arguments: Mapping[str, tuple[str, ...]]
    needs_labels: bool = False
    tells_labels: bool = False


def _same(*keys: str) -> dict[str, tuple[str, ...]]:
    return {key: (key,) for key in keys}


LIBSVM = Reader(
    read_libsvm, _same("test", "first_feature", "first_label", "n_features", "n_labels")
)
CSV = Reader(
    read_csv,
    _same("test", "labels", "ignore", "separator", "delimiter", "decimal", "text", "encoding"),
    True,
)
#: Readers of data files by suffix.
READERS: dict[str, Reader] = {
    ".arff": Reader(
        read_arff,
        {"labels": ("label_names",), **_same("test", "xml", "label_count", "ignore", "encoding")},
        tells_labels=True,
    ),
    ".npz": Reader(read_npz, {}, tells_labels=True),
    ".mat": Reader(read_mat, {"variables": ("data", "target")}, tells_labels=True),
    ".svm": LIBSVM,
    ".libsvm": LIBSVM,
    ".svmlight": LIBSVM,
    ".txt": Reader(read_xmc, _same("test")),
    ".csv": CSV,
    ".tsv": CSV,
}
BY_NAME = Reader(load_dataset, {})


def suffix_of(path: str) -> str:
    return Path(path.removesuffix(".gz")).suffix.lower()
