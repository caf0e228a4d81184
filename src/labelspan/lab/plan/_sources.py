"""Where the rows of an experiment come from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from labelspan.datasets import ColumnEncoder, MultilabelDataset, list_datasets, load_dataset
from labelspan.datasets.catalogue import files_of, hash_of
from labelspan.datasets.io import without_columns
from labelspan.datasets.io.arff import xml_beside
from labelspan.lab.plan._fields import check_keys, check_text, check_whole, list_of
from labelspan.lab.plan._prepare import PREPARATIONS
from labelspan.lab.plan._readers import BY_NAME, READERS, Reader, suffix_of
from labelspan.lab.plan._splits import Indices, Splits
from labelspan.system import escaped


@dataclass(frozen=True)
class Source:
    """A data set by name, or a file with what is needed to read it.

    Parameters
    ----------
    name : str
        Name in tables, and in the catalogue if there is no `path`.
    path : str
        Data file: ARFF, npz, MATLAB, CSV, LibSVM or extreme-classification text.
    test : str
        File of the test part.
    xml : str
        Mulan XML file with the label names.
    label_count : int or None
        As MEKA's ``-C``: positive for the first columns, negative for the last.
    sha256 : str
        Hash of the files, so that results from changed files are not reused.
    prepare : str
        Name of a preparation that a paper describes.
    labels : tuple of str
        Label columns of an ARFF or CSV file; of a CSV file also one column that lists them.
    ignore : tuple of str
        Columns to leave out, such as an identifier.
    separator, delimiter : str
        Separators of the labels of a row, and of the columns, in a CSV file.
    decimal : {".", ","} or ""
        Decimal sign of numbers in a CSV file.
    text : tuple of str
        Columns of a CSV file whose words become features, weighted by TF-IDF.
    variables : tuple of str
        Variables of a MATLAB file: features and labels.
    first_feature, first_label, n_features, n_labels : int or None
        Numbering and width of LibSVM text.
    encoding : str
        Encoding of an ARFF or CSV file.
    missing : float or None
        Share in [0, 1) of the labels that are removed from training parts.
    mechanism : {"mcar", "labels", "rows"} or ""
        Which: single labels at random, at rates that differ by label, or those of whole rows.
    of : str
        Name of the data set in the catalogue, if it differs from `name`.

    Examples
    --------
    >>> from labelspan.lab import Source
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
    labels: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    separator: str = ""
    delimiter: str = ""
    decimal: str = ""
    text: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    first_feature: int | None = None
    first_label: int | None = None
    n_features: int | None = None
    n_labels: int | None = None
    encoding: str = ""
    missing: float | None = None
    mechanism: str = ""
    of: str = ""

    def __post_init__(self) -> None:
        for key in TEXT_FIELDS:
            check_text(getattr(self, key), f"{key} of a data set")
        for key in LIST_FIELDS:
            # JSON and TOML have lists.
            object.__setattr__(self, key, _names(getattr(self, key), f"{key} of {self.name}"))
        for key in COUNT_FIELDS:
            if getattr(self, key) is not None:
                check_whole(getattr(self, key), f"{key} of {self.name}", least=0)
        if len(self.variables) not in (0, 2):
            raise ValueError(
                f"variables of {self.name} is {list(self.variables)}; give two names, those of "
                "the features and of the labels."
            )
        if not self.name and not self.path:
            raise ValueError("a data set has neither name nor path; give one of them.")
        if self.missing is not None:
            check_shares((self.missing,), self.mechanism)
        elif self.mechanism:
            raise ValueError(f"mechanism of {self.name} needs missing; give both.")
        if self.label_count is not None:
            check_whole(self.label_count, f"label_count of {self.name}")
        if self.prepare and self.prepare not in PREPARATIONS:
            raise ValueError(
                f"prepare of {self.name} is {self.prepare!r}; give {' or '.join(PREPARATIONS)}."
            )

    @property
    def files(self) -> list[str]:
        """Files on this computer that hold the rows and labels."""
        if not self.path:
            return [str(path) for path in files_of(self.of or self.name)]
        return [self.path, *_more_files(self)]

    def refuse_changed(self) -> None:
        """Raise if the files have changed since the plan was made."""
        if self.path and self.sha256 and content_hash(self) != self.sha256:
            raise ValueError(
                f"the files of {self.name} have changed since the plan was made "
                f"({self.path}); make the plan again, or bring them back."
            )

    def load(
        self, *, needs_labels: bool = True, encoder: ColumnEncoder | None = None
    ) -> MultilabelDataset:
        """Read the data set.

        Parameters
        ----------
        needs_labels : bool, default=True
            Whether to refuse rows without labels.
        encoder : ColumnEncoder, optional
            What the columns of a CSV file become; by default it is learned.

        Returns
        -------
        MultilabelDataset
        """
        self._refuse_unused(needs_labels)
        self.refuse_changed()
        dataset = self._read(needs_labels, encoder)
        if needs_labels and not dataset.Y.shape[1]:
            raise ValueError(
                f"{self.path} has no labels, but they are learned from; give a file that has them."
            )
        if "ignore" not in self._reader().arguments:
            dataset = without_columns(dataset, self.ignore)
        prepare = PREPARATIONS[self.prepare] if self.prepare else None
        return prepare(dataset) if prepare else dataset

    @property
    def whole(self) -> Source:
        """The data set with all its labels, under its own name."""
        name = self.of or self.name
        return replace(self, name=name, of="", missing=None, mechanism="")

    def _reader(self) -> Reader:
        return READERS.get(suffix_of(self.path), BY_NAME) if self.path else BY_NAME

    def _read(self, needs_labels: bool, encoder: ColumnEncoder | None) -> MultilabelDataset:
        if not self.path:
            return load_dataset(self.of or self.name)
        reader = self._reader()
        options: dict[str, Any] = {}
        if encoder is not None and reader.needs_labels:
            options |= {"labels": (), "encoder": encoder}
        if not needs_labels and reader.tells_labels:
            options["needs_labels"] = False
        for key, arguments in reader.arguments.items():
            if (value := self._options().get(key)) is not None:
                values = value if len(arguments) > 1 else (value,)
                options |= dict(zip(arguments, values, strict=True))
        return reader.read(self.path, name=self.name, **options)

    def _options(self) -> dict[str, Any]:
        fields = {key: getattr(self, key) for key in READING_FIELDS}
        return {key: value for key, value in fields.items() if value not in EMPTY}

    def _refuse_unused(self, needs_labels: bool = True) -> None:
        """Refuse a field that the reader would ignore, and a missing required field."""
        suffix = suffix_of(self.path)
        if self.path and suffix not in READERS:
            raise ValueError(
                f"{self.path} ends with {suffix!r}; the name of a data file ends with "
                f"{', '.join(READERS)} (or these and .gz)."
            )
        reader = self._reader()
        for key in self._options():
            if key != "ignore" and key not in reader.arguments:
                files = ", ".join(name for name, other in READERS.items() if key in other.arguments)
                raise ValueError(
                    f"{self.path or self.name} takes no {key}, which is for files that end with "
                    f"{files}; leave it out."
                )
        if needs_labels and reader.needs_labels and not self.labels:
            raise ValueError(
                f"{self.path} needs labels: columns of 0 and 1, or one column that lists the "
                "labels of each row (--labels tags)."
            )

    @classmethod
    def from_any(
        cls, item: Any, *, folder: Path | None = None, needs_labels: bool = True
    ) -> Source:
        """Build a source from a name, a path, a table or a source.

        Parameters
        ----------
        item : str, mapping or Source
            A name of `list_datasets`, the path of a file, or the fields.
        folder : path, optional
            Base folder of relative paths.
        needs_labels : bool, default=True
            Whether to refuse a CSV file without label columns.

        Returns
        -------
        Source
        """
        if isinstance(item, Source):
            return item
        if not isinstance(item, str | os.PathLike | Mapping):
            raise ValueError(f"a data set is {item!r}; give a name, a path or a table.")
        fields = dict(item) if isinstance(item, Mapping) else text_fields(str(item))
        fields = {
            key: os.fspath(value) if isinstance(value, os.PathLike) else value
            for key, value in fields.items()
            if value is not None
        }
        check_keys(fields, cls.__dataclass_fields__, "a data set")
        for key in ("path", "test", "xml"):
            check_text(fields.get(key, ""), f"{key} of a data set")
            if fields.get(key):
                fields[key] = str((folder or Path()).joinpath(fields[key]).absolute())
        source = cls(**{"name": short_name(fields.get("path", "")), **fields})
        if source.sha256:
            # A plan from a store has the hashes of its files, which may no longer exist.
            return source
        source._refuse_unused(needs_labels)
        return replace(source, sha256=content_hash(source)) if source.path else source


EMPTY: tuple[Any, ...] = ("", None, (), [])
LIST_FIELDS = ("labels", "ignore", "text", "variables")
COUNT_FIELDS = ("first_feature", "first_label", "n_features", "n_labels")
TEXT_FIELDS = (
    "name", "path", "test", "xml", "sha256", "prepare", "separator", "delimiter", "decimal",
    "encoding", "mechanism", "of",
)  # fmt: skip
#: How labels are removed from training parts.
MECHANISMS = ("mcar", "labels", "rows")
#: Fields about removed labels, hashed only if given.
MISSING_FIELDS = ("missing", "mechanism", "of")
#: Fields added after results were stored; they are not hashed at their defaults.
ADDED_FIELDS = (*LIST_FIELDS, *COUNT_FIELDS, "separator", "delimiter", "decimal", "encoding")
#: Options of the readers and of the command line.
READING_FIELDS = ("test", "xml", "label_count", *ADDED_FIELDS)


def check_shares(shares: Sequence[Any], mechanism: str) -> None:
    """Refuse unknown shares and mechanisms before any data are read."""
    if mechanism not in MECHANISMS:
        raise ValueError(f"mechanism is {mechanism!r}; give one of {', '.join(MECHANISMS)}.")
    for share in shares:
        is_number = isinstance(share, int | float) and not isinstance(share, bool)
        if not is_number or not 0 <= share < 1:
            raise ValueError(f"missing is {share!r}; give shares from 0 to below 1.")


def _names(value: Any, key: str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(list_of(value, key))
    for name in names:
        check_text(name, key)
    return names


def sources_of(items: Sequence[Any], folder: Path | None = None) -> tuple[Source, ...]:
    """Build sources; files ``x.v1.arff`` and ``x.v2.arff`` are not both called ``x``."""
    sources = [Source.from_any(item, folder=folder) for item in items]
    names = [source.name for source in sources]
    return tuple(
        replace(source, name=escaped(Path(source.path.removesuffix(".gz")).stem))
        if names.count(source.name) > 1 and not _is_named(item)
        else source
        for item, source in zip(items, sources, strict=True)
    )


def _is_named(item: Any) -> bool:
    if isinstance(item, Mapping):
        return "name" in item
    return isinstance(item, Source) or "path" not in text_fields(str(item))


def short_name(path: str) -> str:
    return escaped(Path(path).name.split(".")[0])


def text_fields(text: str) -> dict[str, Any]:
    """Fields of a source that is given as one word."""
    if any(info.name == text for info in list_datasets()):
        return {"name": text}
    if "/" in text or "." in text:
        return {"path": text}
    return {"name": text}


def fields_of(path: str) -> frozenset[str]:
    """Fields of a source that the reader of a file takes, which its name tells."""
    return frozenset(READERS.get(suffix_of(path), BY_NAME).arguments)


def content_hash(source: Source) -> str:
    hashes = [hash_of(path) for path in source.files]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256(" ".join(hashes).encode()).hexdigest()


def _more_files(source: Source) -> Iterator[str]:
    yield from filter(None, (source.test, source.xml))
    told = source.xml or source.labels or source.label_count is not None
    if suffix_of(source.path) == ".arff" and not told:
        for part in filter(None, (source.path, source.test)):
            if (xml := xml_beside(Path(part))) is not None:
                yield str(xml)


# Cells of one data set are consecutive, so two are enough.
@lru_cache(maxsize=2)
def _loaded(source: Source) -> MultilabelDataset:
    return source.load()


def loaded(source: Source) -> MultilabelDataset:
    """Read a data set once for consecutive cells."""
    return _loaded(source.whole)


@lru_cache(maxsize=2)
def _split_indices(source: Source, splits: Splits, seed: int) -> list[Indices]:
    return splits.indices(loaded(source), seed)


def split_indices(source: Source, splits: Splits, seed: int) -> list[Indices]:
    """Split a data set once for consecutive cells; the same for all shares of missing labels."""
    return _split_indices(source.whole, splits, seed)
