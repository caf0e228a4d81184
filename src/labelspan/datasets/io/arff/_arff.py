"""Mulan and MEKA ARFF files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._nominal import (
    Nominal,
    are_numbers,
    expand,
    expanded_names,
    identifier_message,
    is_identifier,
    used_values,
)
from labelspan.datasets.io._row_lines import RowLines
from labelspan.datasets.io._split import join
from labelspan.datasets.io._stream import LineBlocks
from labelspan.datasets.io._tables import (
    check_names,
    first_entry,
    first_repeat,
    refuse_both,
    refuse_unknown,
)
from labelspan.datasets.io.arff._header import ColumnType, Header, read_header
from labelspan.datasets.io.arff._labels import LabelOptions, label_columns, stem
from labelspan.datasets.io.arff._rows import FIRST_BYTE, Columns, read_rows
from labelspan.datasets.io.columns import ColumnEncoder, NumberColumn, WordColumn


def read_arff(
    path: str | os.PathLike[str],
    test: str | os.PathLike[str] | None = None,
    *,
    xml: str | os.PathLike[str] | None = None,
    label_names: Sequence[str] | None = None,
    label_count: int | None = None,
    needs_labels: bool = True,
    ignore: Sequence[str] = (),
    name: str | None = None,
    encoding: str = "utf-8",
    limits: Limits | None = None,
) -> MultilabelDataset:
    r"""Read a multi-label ARFF file, dense or sparse, plain or gzip.

    The label columns are those of `label_names`, if given. Otherwise they follow from
    `label_count`, a Mulan XML file (`xml`, or ``NAME.xml`` beside ``NAME.arff``,
    ``NAME-train.arff`` and ``NAME-test.arff``) and the option ``-C`` in the relation name (MEKA).
    Those that are present must agree; an error names two sources that disagree. ``-C`` is ignored
    if the relation name shows that a Weka filter has changed the file since.

    Parameters
    ----------
    path : str or path
        The file, or its training part.
    test : str or path, optional
        The test part: same header, rows stacked below those of `path`.
    xml : str or path, optional
        Mulan XML file with the label names.
    label_names : sequence of str, optional
        Names of the label columns; other sources are then ignored.
    label_count : int, optional
        As MEKA's ``-C``: positive for the first columns, negative for the last.
    needs_labels : bool, default=True
        Whether to refuse a file without labels. Otherwise labels may be absent, or have no value in
        any row; those are not columns of `Y`, which may have none.
    ignore : sequence of str, default=()
        Names of columns to leave out, such as an identifier.
    name : str, optional
        Name of the data set; by default the name of the file.
    encoding : str, default="utf-8"
        Encoding of names and categories, in which ASCII text has the bytes of ASCII.
    limits : Limits, optional
        Largest file to accept.

    Returns
    -------
    MultilabelDataset
        `X` is float64, `Y` is int64; both are ndarrays for dense files and csr_arrays for sparse
        ones. Columns keep the order of the ARFF file. Missing values are NaN.

    Warns
    -----
    UserWarning
        When values are missing, and when a string or date column is left out of `X`.

    Notes
    -----
    A nominal feature with two categories is one column: their own values if both are numbers, 0 and
    1 for words such as no and yes, else their positions. With more categories it becomes one 0/1
    column per category, called ``attribute=category``. If it has more than 20 distinct values, and
    more than half as many as rows, it is refused as an identifier. An absent value of a sparse row
    is the first category. Time is linear in the size of the file; memory is that of the result plus
    one block of text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelspan.datasets import read_arff
    >>> text = "@relation 'toy: -C 1'\n@attribute a {0,1}\n@attribute x real\n@data\n1,2.5\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.arff")
    ...     _ = path.write_text(text)
    ...     toy = read_arff(path)
    >>> toy
    MultilabelDataset('toy': 1 samples, 1 features, 1 labels)
    >>> toy.X, toy.Y, toy.label_names
    (array([[2.5]]), array([[1]]), ('a',))
    """
    limits = Limits() if limits is None else limits
    reading = _Reading(
        LabelOptions(label_names, label_count, xml, needs_labels),
        (ignore,) if isinstance(ignore, str) else tuple(ignore),
        encoding,
        limits,
    )
    refuse_both(label_names or (), reading.ignore, path)
    name = name or stem(Path(path))
    first = _read_part(Path(path), reading)
    if test is None:
        _refuse_identifiers([first])
        return first.dataset(name, limits)
    second = _read_part(Path(test), reading)
    _refuse_identifiers([first, second])
    joined = join(first.dataset(name, limits), second.dataset(name, limits), test)
    _refuse_other_categories(first, second)
    return joined


@dataclass(frozen=True)
class _Reading:
    labels: LabelOptions
    ignore: tuple[str, ...]
    encoding: str
    limits: Limits


@dataclass(frozen=True)
class _Part:
    """One file as read; nominal columns still hold one number per category."""

    path: Path
    columns: Columns
    X: Any
    Y: Any

    def nominal(self) -> list[Nominal]:
        header, features = self.columns.header, self.columns.features
        kinds = [_distinct(kind) for kind in header.types]
        is_many = np.array([len(values) > 2 for _, values in kinds])
        return [
            Nominal(i, header.names[features[i]], *kinds[header.type_of[features[i]]])
            for i in np.flatnonzero(is_many[header.type_of[features]]).tolist()
        ]

    def dataset(self, name: str, limits: Limits) -> MultilabelDataset:
        header, nominal = self.columns.header, self.nominal()
        names = expanded_names(_chosen(header.names, self.columns.features), nominal)
        label_names = _chosen(header.names, self.columns.labels)
        check_names((*names, *label_names), limits, self.path)
        return MultilabelDataset(
            name=name,
            X=expand(self.X, nominal, limits, self.path),
            Y=self.Y,
            feature_names=names,
            label_names=label_names,
            source=str(self.path),
            encoder=self.encoder(),
        )

    def encoder(self) -> ColumnEncoder | None:
        """What the columns became, if one holds two words: its name does not tell their codes."""
        header, features = self.columns.header, self.columns.features
        kinds = header.type_of[features].tolist()
        types, names = header.types, _chosen(header.names, features)
        words = {i for i, kind in enumerate(types) if not are_numbers(kind.categories)}
        has_pair = any(len(types[kind].values) <= 2 for kind in words.intersection(kinds))
        if not has_pair or first_repeat(names) is not None:
            return None
        many = {column.name: column.categories for column in self.nominal()}
        return ColumnEncoder(
            tuple(
                WordColumn(name, many.get(name, types[kind].categories))
                if kind in words or name in many
                else NumberColumn(name)
                for name, kind in zip(names, kinds, strict=True)
            )
        )


def _read_part(path: Path, reading: _Reading) -> _Part:
    with LineBlocks(path, reading.limits) as source:
        header = read_header(source, reading.encoding)
        labels = label_columns(header, path, reading.labels, reading.limits)
        features, labels = _kept_columns(header, labels, reading.ignore, path)
        _refuse_text(header, labels, path)
        columns = Columns(header, features, labels)
        lines = RowLines.behind(source, FIRST_BYTE)
        X, targets = read_rows(source, columns, reading.encoding, lines)
    if not reading.labels.needed:
        is_told = _told(targets)
        labels, targets = labels[is_told], targets[:, is_told]
        columns = Columns(header, features, labels)
    _report(header, X, path, reading.ignore)
    return _Part(path, columns, X, _indicators(targets, _chosen(header.names, labels), lines))


def _told(targets: Any) -> np.ndarray:
    if sp.issparse(targets):
        n_unknown = np.bincount(targets.indices[np.isnan(targets.data)], minlength=targets.shape[1])
        return n_unknown < targets.shape[0]
    return ~np.isnan(targets).all(axis=0)


def _distinct(kind: ColumnType) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return categories with distinct values; for "1" and "1.0" the first gives the name."""
    first: dict[float, str] = {}
    for category, value in zip(kind.categories, kind.values, strict=True):
        first.setdefault(value, category)
    return tuple(first.values()), tuple(first)


def _refuse_identifiers(parts: Sequence[_Part]) -> None:
    """Refuse a nominal column that identifies the rows, judged over all files."""
    n_rows = sum(part.X.shape[0] for part in parts)
    used: dict[str, set[str]] = {}
    for part in parts:
        X = part.X.tocsc() if sp.issparse(part.X) else part.X
        for column in (c for c in part.nominal() if is_identifier(len(c.values), 0)):
            words = dict(zip(column.values, column.categories, strict=True))
            values = used_values(X, column.position).tolist()
            used.setdefault(column.name, set()).update(words[value] for value in values)
    for name, found in used.items():
        if is_identifier(len(found), n_rows):
            raise DataFileError(identifier_message(name, len(found), n_rows), file=parts[0].path)


def _refuse_other_categories(first: _Part, second: _Part) -> None:
    ours, theirs = first.columns.header, second.columns.header
    features = first.columns.features
    pairs = np.stack([ours.type_of[features], theirs.type_of[features]], axis=1)
    for position in np.unique(pairs, axis=0, return_index=True)[1].tolist():
        mine, other = (h.type(features[position]) for h in (ours, theirs))
        values = dict(zip(mine.categories, mine.values, strict=True))
        for word, value in zip(other.categories, other.values, strict=True):
            if values.get(word, value) != value:
                name = ours.names[features[position]]
                raise DataFileError(
                    f"category {word!r} of {name!r} is {value:g}, but {values[word]:g} in "
                    f"{first.path.name}; declare the categories in the same order in both files",
                    file=second.path,
                )


def _refuse_text(header: Header, labels: np.ndarray, path: Path) -> None:
    """Refuse a label column of strings or dates, which the rows are read without."""
    skipped = labels[header.is_skipped()[labels]]
    if len(skipped):
        raise DataFileError(
            f"label {header.names[skipped[0]]!r} is a string or date attribute; allowed are 0, 1 "
            "and -1: declare it {0,1} in the header, or choose other columns by xml=, "
            "label_names= or label_count= (--xml or --label-count)",
            file=path,
        )


def _report(header: Header, X: Any, path: Path, ignore: Sequence[str]) -> None:
    skipped = np.flatnonzero(header.is_skipped()).tolist()
    dropped = [header.names[i] for i in skipped if header.names[i] not in ignore]
    if dropped:
        warnings.warn(
            f"{path.name}: string or date column {', '.join(dropped[:5])} is left out of X; "
            "name it in ignore= to silence this",
            stacklevel=4,
        )
    stored = X.data if sp.issparse(X) else X
    n_missing = int(np.count_nonzero(np.isnan(stored)))
    if n_missing:
        message = f"{path.name}: {n_missing} missing values are NaN in X; impute before fitting"
        warnings.warn(message, stacklevel=4)


def _kept_columns(
    header: Header, labels: np.ndarray, ignore: tuple[str, ...], path: Path
) -> tuple[np.ndarray, np.ndarray]:
    kept = ~header.is_skipped()
    kept[labels] = False
    if ignore:
        left_out = header.find(ignore)
        refuse_unknown(ignore, header.names, "ignore", path)
        kept[left_out] = False
        labels = np.setdiff1d(labels, left_out)
    return np.flatnonzero(kept), labels


def _chosen(names: list[str], columns: np.ndarray) -> tuple[str, ...]:
    if len(columns) > 1 and columns[-1] - columns[0] == len(columns) - 1:
        return tuple(names[columns[0] : columns[-1] + 1])
    return tuple(names[i] for i in columns.tolist())


def _indicators(table: Any, names: Sequence[str], lines: RowLines) -> Any:
    """Turn label columns into 0 and 1 (int64); -1 counts as 0."""
    stored = table.data if sp.issparse(table) else table
    if sp.issparse(table) and (stored == 1).all():
        return table.astype(np.int64)
    wrong = ~((stored == 1) | (stored == 0) | (stored == -1))
    if wrong.any():
        row, position, value = first_entry(table, wrong)
        message = f"label {names[position]!r} is {value:g}; allowed are 0, 1 and -1"
        raise lines.error(message, row)
    if not sp.issparse(table):
        return (table > 0).astype(np.int64)
    return sp.csr_array(table > 0).astype(np.int64)
