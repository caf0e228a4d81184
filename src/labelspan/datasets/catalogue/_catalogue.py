"""The benchmark data sets that `load_dataset` knows: statistics, files, pinned addresses."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

GITHUB_RAW = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class DataFile:
    """A file: name on disk, repository/commit/path ("" if the user must provide it), SHA-256."""

    name: str
    address: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Entry:
    """A data set of the catalogue; statistics are those of the whole set, train and test."""

    name: str
    reader: str
    files: tuple[DataFile, ...]
    n_samples: int
    n_features: int
    n_labels: int
    cardinality: float
    n_train: int | None
    citation: str
    ignore: tuple[str, ...] = ()


def _entries() -> dict[str, Entry]:
    text = files("labelspan.datasets").joinpath("data/catalogue.json").read_text(encoding="utf-8")
    entries = {}
    for fields in json.loads(text):
        fields["files"] = tuple(DataFile(**file) for file in fields["files"])
        fields["ignore"] = tuple(fields.get("ignore", ()))
        entries[fields["name"]] = Entry(**fields)
    return entries


CATALOGUE = _entries()
