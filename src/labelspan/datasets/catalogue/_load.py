"""Benchmark data sets by name."""

from __future__ import annotations

import difflib
import os
from dataclasses import replace
from pathlib import Path

from labelspan.datasets.catalogue._built_in import BUILT_IN
from labelspan.datasets.catalogue._catalogue import CATALOGUE, GITHUB_RAW, Entry
from labelspan.datasets.catalogue._download import fetch
from labelspan.datasets.catalogue._locate import cache_folder, in_cache, in_data_folder
from labelspan.datasets.io import MultilabelDataset
from labelspan.datasets.io.arff import read_arff
from labelspan.datasets.io.binary import read_mat, read_npz


def load_dataset(
    name: str,
    *,
    cache: str | os.PathLike[str] | None = None,
    download: bool = True,
    progress: bool | None = None,
    base_url: str = GITHUB_RAW,
) -> MultilabelDataset:
    """Load a benchmark data set: from a folder, from the cache, or from the network.

    The files are searched in the folder named by the environment variable ``LABELSPAN_DATA``, then
    in the cache. Otherwise they are downloaded from addresses pinned to a commit, and accepted only
    if their SHA-256 matches the recorded one. The data sets belong to their authors
    (`MultilabelDataset.source` names the paper to cite).

    Parameters
    ----------
    name : str
        A name of `list_datasets`.
    cache : str or path, optional
        Cache folder; by default ``LABELSPAN_CACHE``, else ``labelspan`` in the user's cache.
    download : bool, default=True
        Whether the network may be used.
    progress : bool, optional
        Whether to show a progress bar on the standard error; by default if it is a terminal.
    base_url : str
        Where the pinned repositories are served from; for a mirror.

    Returns
    -------
    MultilabelDataset
        Training rows first, with the standard split if the set has one.

    Raises
    ------
    FileNotFoundError
        When files are missing and cannot be downloaded; the message lists them.

    Examples
    --------
    >>> from labelspan.datasets import load_dataset
    >>> load_dataset("yeast")
    MultilabelDataset('yeast': 2417 samples, 103 features, 14 labels)
    """
    entry = find(name)
    folder = cache_folder() if cache is None else Path(cache)
    paths = _present(entry, folder)
    if paths is None and name in BUILT_IN:
        return BUILT_IN[name]()
    if paths is None:
        paths = fetch(entry, folder, base_url=base_url, progress=progress, download=download)
    dataset = _read(entry, paths)
    return replace(dataset, source=entry.citation)


def files_of(name: str) -> list[Path]:
    """Files of a data set that `load_dataset` would read without a download."""
    return _present(find(name), cache_folder()) or []


def _present(entry: Entry, folder: Path) -> list[Path] | None:
    return in_data_folder(entry) or in_cache(entry, folder) or None


def find(name: str) -> Entry:
    """Return the catalogue entry of a name, or suggest similar names."""
    if name in CATALOGUE:
        return CATALOGUE[name]
    near = difflib.get_close_matches(name, CATALOGUE, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(CATALOGUE)}"
    raise ValueError(f"no data set {name!r}; {hint}")


def _read(entry: Entry, paths: list[Path]) -> MultilabelDataset:
    if entry.reader == "arff":
        xml, train, test = paths
        return read_arff(train, test, xml=xml, ignore=entry.ignore, name=entry.name)
    read = {"mat": read_mat, "npz": read_npz}[entry.reader]
    return read(paths[0], name=entry.name)
