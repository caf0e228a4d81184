"""Where the rows of an experiment come from, and how they are split."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, ShuffleSplit

from labelspan.datasets import (
    MultilabelDataset,
    list_datasets,
    load_dataset,
    read_arff,
    read_libsvm,
    read_mat,
    read_npz,
    read_xmc,
)
from labelspan.experiments._prepare import PREPARATIONS
from labelspan.model_selection import (
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
)

Indices = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Source:
    """A data set by name, or a file with what is needed to read it.

    Parameters
    ----------
    name : str
        Name in tables, and in the catalogue if there is no `path`.
    path : str
        Data file: ARFF, npz, MATLAB, LibSVM or extreme-classification text.
    test : str
        File of the test part.
    xml : str
        Mulan XML file with the label names.
    label_count : int or None
        As MEKA's ``-C``: positive for the first columns, negative for the last.
    sha256 : str
        Hash of the file, so that results of other content are not taken for its own.
    prepare : str
        Name of a preparation that a paper describes.

    Examples
    --------
    >>> from labelspan.experiments import Source
    >>> Source("yeast").load()
    MultilabelDataset('yeast': 2417 samples, 103 features, 14 labels)
    """

    name: str
    path: str = ""
    test: str = ""
    xml: str = ""
    label_count: int | None = None
    sha256: str = ""
    prepare: str = ""

    def load(self) -> MultilabelDataset:
        """Read the data set.

        Returns
        -------
        MultilabelDataset
        """
        dataset = self._read() if self.path else load_dataset(self.name)
        prepare = PREPARATIONS[self.prepare] if self.prepare else None
        return prepare(dataset) if prepare else dataset

    def _read(self) -> MultilabelDataset:
        suffix = suffix_of(self.path)
        test = self.test or None
        readers: dict[str, Callable[[], MultilabelDataset]] = {
            ".arff": lambda: read_arff(
                self.path,
                test,
                xml=self.xml or None,
                label_count=self.label_count,
                name=self.name,
            ),
            ".npz": lambda: read_npz(self.path, name=self.name),
            ".mat": lambda: read_mat(self.path, name=self.name),
            ".svm": lambda: read_libsvm(self.path, test, name=self.name),
            ".libsvm": lambda: read_libsvm(self.path, test, name=self.name),
            ".txt": lambda: read_xmc(self.path, test, name=self.name),
        }
        if suffix not in readers:
            raise ValueError(
                f"{self.path} ends with {suffix!r}; the name of a data file ends with "
                f"{', '.join(readers)} (or these and .gz)."
            )
        return readers[suffix]()

    @classmethod
    def from_any(cls, item: Any, *, folder: Path | None = None) -> Source:
        """Build a source from a name, a path, a table or a source.

        Parameters
        ----------
        item : str, mapping or Source
            A name of `list_datasets`, the path of a file, or the fields.
        folder : path, optional
            What relative paths are relative to.

        Returns
        -------
        Source
        """
        if isinstance(item, Source):
            return item
        fields = dict(item) if isinstance(item, Mapping) else text_fields(str(item))
        for key in ("path", "test", "xml"):
            if fields.get(key):
                fields[key] = str((folder or Path()).joinpath(fields[key]).absolute())
        source = cls(**{"name": Path(fields.get("path", "")).name.split(".")[0], **fields})
        return replace(source, sha256=hash_of(source.path)) if source.path else source


def text_fields(text: str) -> dict[str, Any]:
    """Fields of a source that is given as one word."""
    if any(info.name == text for info in list_datasets()):
        return {"name": text}
    if "/" in text or "." in text:
        return {"path": text}
    return {"name": text}


def suffix_of(path: str) -> str:
    """Suffix of a file name, before a ``.gz``."""
    return Path(path.removesuffix(".gz")).suffix.lower()


def hash_of(path: str) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True)
class Splits:
    """How rows are split into training and test parts.

    Parameters
    ----------
    kind : {"folds", "random", "plain", "inner", "standard"}
        Repeated stratified folds, stratified random splits, random splits without regard to
        the labels (as the papers drew them), folds of the training rows of the first of these
        (to choose parameters), or the split of the data set.
    n_folds : int
        Folds, of "folds" and "inner".
    n_repeats : int
        Repetitions, of "folds", "random" and "plain".
    train : float or int
        Training share or rows, of "random", "plain" and "inner".

    Examples
    --------
    >>> from labelspan.experiments import Splits
    >>> Splits.from_any("5x2").n_splits
    10
    >>> Splits.from_any("30x1000")
    Splits(kind='random', n_folds=2, n_repeats=30, train=1000)
    """

    kind: str = "folds"
    n_folds: int = 2
    n_repeats: int = 5
    train: float | int = 0.6

    def __post_init__(self) -> None:
        if self.kind not in ("folds", "random", "plain", "inner", "standard"):
            raise ValueError(
                f"splits are {self.kind!r}; give folds, random, plain, inner or standard."
            )
        if self.n_folds < 2 or self.n_repeats < 1:
            raise ValueError(
                f"{self.n_repeats} repetitions of {self.n_folds} folds were asked for; give at "
                "least 1 and 2."
            )

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        sizes = {"folds": self.n_folds * self.n_repeats, "inner": self.n_folds, "standard": 1}
        return sizes.get(self.kind, self.n_repeats)

    @property
    def title(self) -> str:
        """What the report says about the splits."""
        return {
            "folds": f"{self.n_repeats} x {self.n_folds}-fold stratified cross-validation",
            "random": f"{self.n_repeats} stratified random splits, training part {self.train}",
            "plain": f"{self.n_repeats} random splits, training part {self.train}",
            "inner": f"{self.n_folds} folds of one random training part {self.train}",
            "standard": "the standard split of each data set",
        }[self.kind]

    @classmethod
    def from_any(cls, item: Any) -> Splits:
        """Build splits from a word, a table or splits.

        Parameters
        ----------
        item : str, mapping or Splits
            ``"standard"``; ``"5x2"`` for five repetitions of two folds, ``"10"`` for ten folds
            once, ``"30x0.8"`` or ``"30x1000"`` for thirty random splits with a share of, or so
            many, training rows.

        Returns
        -------
        Splits
        """
        if isinstance(item, Splits):
            return item
        if isinstance(item, Mapping):
            return cls(**item)
        if item == "standard":
            return cls("standard")
        match = re.fullmatch(r"(?:(\d+)x)?(\d+|0?\.\d+)", str(item))
        if not match:
            raise ValueError(
                f"splits={item!r} is not understood; give 'standard', '5x2' (repetitions x "
                "folds), '10' (folds) or '30x0.8' (random splits x training share or rows)."
            )
        repeats, number = int(match[1] or 1), match[2]
        if "." in number:
            return cls("random", n_repeats=repeats, train=float(number))
        if int(number) > LARGEST_FOLDS:
            return cls("random", n_repeats=repeats, train=int(number))
        return cls("folds", n_folds=int(number), n_repeats=repeats)

    def indices(self, dataset: MultilabelDataset, seed: int) -> list[Indices]:
        """Row indices of the training and test part of each split.

        Parameters
        ----------
        dataset : MultilabelDataset
            The rows.
        seed : int
            Seed of the random kinds.

        Returns
        -------
        list of (ndarray, ndarray)
        """
        if self.kind == "standard":
            if dataset.train is None or dataset.test is None:
                raise ValueError(
                    f"{dataset.name} has no standard split; use splits such as 5x2 or 10x0.6."
                )
            return [(dataset.train, dataset.test)]
        if self.kind == "folds":
            folds = RepeatedMultilabelStratifiedKFold(
                self.n_folds, n_repeats=self.n_repeats, random_state=seed
            )
            return list(folds.split(dataset.Y, dataset.Y))
        if self.kind == "inner":
            train, _ = replace(self, kind="plain", n_repeats=1).indices(dataset, seed)[0]
            parts = KFold(self.n_folds, shuffle=True, random_state=seed).split(train)
            return [(train[some], train[rest]) for some, rest in parts]
        kind = ShuffleSplit if self.kind == "plain" else MultilabelStratifiedShuffleSplit
        shuffle = kind(self.n_repeats, train_size=self.train, random_state=seed)
        return list(shuffle.split(dataset.Y, dataset.Y))


# A number after the x above this many is a number of training rows, not of folds.
LARGEST_FOLDS = 50


# Cells of a data set follow each other, so two are enough.
@lru_cache(maxsize=2)
def loaded(source: Source) -> MultilabelDataset:
    """Read a data set, once for the cells that follow each other."""
    return source.load()


@lru_cache(maxsize=2)
def split_indices(source: Source, splits: Splits, seed: int) -> list[Indices]:
    """Split a data set, once for the cells that follow each other."""
    return splits.indices(loaded(source), seed)
