"""Mulan and MEKA ARFF files."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets._arff_header import Header, read_header, unquote
from labelspan.datasets._arff_rows import Columns, read_rows, row_lines
from labelspan.datasets._dataset import MultilabelDataset
from labelspan.datasets._errors import DataFileError
from labelspan.datasets._limits import Limits
from labelspan.datasets._mulan_xml import first_repeat, read_label_names
from labelspan.datasets._row_lines import RowLines
from labelspan.datasets._split import join
from labelspan.datasets._stream import LineBlocks
from labelspan.datasets._tables import first_entry

MEKA_LABELS = re.compile(r"(?:^|\s)-C\s+(-?\d{1,9})(?=\s|$)")
SPLIT_SUFFIX = re.compile(r"[-_](train|test)(-sparse)?$", re.IGNORECASE)


def read_arff(
    path: str | os.PathLike[str],
    test: str | os.PathLike[str] | None = None,
    *,
    xml: str | os.PathLike[str] | None = None,
    label_names: Sequence[str] | None = None,
    label_count: int | None = None,
    ignore: Sequence[str] = (),
    name: str | None = None,
    encoding: str = "utf-8",
    limits: Limits | None = None,
) -> MultilabelDataset:
    r"""Read a multi-label ARFF file, dense or sparse, plain or gzip.

    Which columns are labels is taken from the first of: `label_names`, `label_count`, `xml`,
    the option ``-C`` in the relation name (MEKA), a Mulan XML file beside the ARFF file
    (``NAME.xml`` for ``NAME.arff``, ``NAME-train.arff`` and ``NAME-test.arff``).

    Parameters
    ----------
    path : str or path
        The file, or its training part.
    test : str or path, optional
        The test part: same header, rows stacked below those of `path`.
    xml : str or path, optional
        Mulan XML file with the label names.
    label_names : sequence of str, optional
        Names of the label columns.
    label_count : int, optional
        As MEKA's ``-C``: positive for the first columns, negative for the last.
    ignore : sequence of str, default=()
        Columns to leave out, such as an identifier.
    name : str, optional
        Name of the data set; by default the name of the file.
    encoding : str, default="utf-8"
        Encoding of names and categories, in which ASCII text has the bytes of ASCII.
    limits : Limits, optional
        Largest file to accept.

    Returns
    -------
    MultilabelDataset
        `X` is float64, an ndarray for dense files and a csr_array for sparse ones; `Y` is
        uint8, likewise. Columns keep the order of the ARFF file. Missing values are NaN.

    Warns
    -----
    UserWarning
        When values are missing, and when a string or date column is left out of `X`.

    Notes
    -----
    Categories become numbers: their own value if all are numbers, 0 and 1 if they are words
    such as no and yes, else their position. An absent value of a sparse row is the first
    category, whatever its number. Time is linear in the size of the file; memory is that of
    the result plus one block of text.

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
    (array([[2.5]]), array([[1]], dtype=uint8), ('a',))
    """
    limits = Limits() if limits is None else limits
    path = Path(path)

    def read_part(part: Path) -> MultilabelDataset:
        with LineBlocks(part, limits) as source:
            header = read_header(source, encoding)
            labels = _label_columns(header, part, label_names, label_count, xml, limits)
            names = _chosen(header.names, labels)
            _refuse_text(header, labels, part)
            columns = Columns(header, _feature_columns(header, labels, ignore), labels)
            lines = row_lines(source)
            X, targets = read_rows(source, columns, encoding, lines)
        _report(header, X, part, ignore)
        return MultilabelDataset(
            name=name or _stem(path),
            X=X,
            Y=_indicators(targets, names, lines),
            feature_names=_chosen(header.names, columns.features),
            label_names=names,
            train=None,
            test=None,
            source=str(part),
        )

    dataset = read_part(path)
    return dataset if test is None else join(dataset, read_part(Path(test)), test)


def _stem(path: Path) -> str:
    stem = path.name.removesuffix(".gz").removesuffix(".arff")
    return SPLIT_SUFFIX.sub("", stem)


def _label_columns(
    header: Header,
    path: Path,
    label_names: Sequence[str] | None,
    label_count: int | None,
    xml: str | os.PathLike[str] | None,
    limits: Limits,
) -> np.ndarray:
    """Give the positions of the label columns, ascending."""
    if label_names is not None:
        if isinstance(label_names, str):
            raise TypeError(
                f"label_names is the string {label_names!r}; pass a sequence of names, "
                f"e.g. label_names=[{label_names!r}]."
            )
        if not len(label_names):
            raise DataFileError("label_names is empty; name at least one attribute", file=path)
        return _present(label_names, header, path)
    if label_count is None and xml is None and (match := MEKA_LABELS.search(header.relation)):
        label_count = int(match.group(1))
    if label_count is not None:
        return _counted(label_count, len(header.names), path)
    if xml is None:
        xml = xml_beside(path)
    return _present(read_label_names(xml, limits), header, path, xml)


def xml_beside(path: Path) -> Path:
    stem = path.name.removesuffix(".gz").removesuffix(".arff")
    candidates = [path.with_name(f"{name}.xml") for name in dict.fromkeys((stem, _stem(path)))]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise DataFileError(
        "which columns are labels? No -C in the relation name and no "
        f"{' or '.join(c.name for c in candidates)} beside the file; "
        "pass xml=, label_names= or label_count= (--xml or --label-count)",
        file=path,
    )


def _counted(count: int, n_columns: int, path: Path) -> np.ndarray:
    if not 0 < abs(count) < n_columns:
        message = f"label_count={count}; allowed is 1 to {n_columns - 1}, or negative for the last"
        raise DataFileError(message, file=path)
    return np.arange(count) if count > 0 else np.arange(n_columns + count, n_columns)


def _present(
    names: Sequence[str],
    header: Header,
    path: Path,
    xml: str | os.PathLike[str] | None = None,
) -> np.ndarray:
    """Match label names to columns, with or without the quotes and escapes of ARFF."""
    found = header.find(names)
    repeated = first_repeat([header.names[i] for i in found])
    if repeated is not None:
        raise DataFileError(f"two attributes have the name of label {repeated!r}", file=path)
    if len(found) == len(set(names)):
        return np.array(found)
    columns = dict(zip(header.names, range(len(header.names)), strict=True))
    columns |= {unquote(f"'{n}'"): i for n, i in columns.items() if "\\" in n}
    unknown = [name for name in names if name not in columns]
    columns |= {name: columns.get(unquote(name), -1) for name in unknown}
    unknown = [name for name in unknown if columns[name] < 0]
    if unknown:
        raise DataFileError(
            f"label {unknown[0]!r} is no attribute of {path.name} ({len(unknown)} unknown in all)",
            file=xml or path,
        )
    return np.unique([columns[name] for name in names])


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
    """Warn of what does not reach X as it is in the file."""
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


def _feature_columns(header: Header, labels: np.ndarray, ignore: Sequence[str]) -> np.ndarray:
    kept = ~header.is_skipped()
    kept[labels] = False
    if ignore:
        kept &= ~np.isin(header.names, list(ignore))
    return np.flatnonzero(kept)


def _chosen(names: list[str], columns: np.ndarray) -> tuple[str, ...]:
    if len(columns) > 1 and columns[-1] - columns[0] == len(columns) - 1:
        return tuple(names[columns[0] : columns[-1] + 1])
    return tuple(names[i] for i in columns.tolist())


def _indicators(table: Any, names: Sequence[str], lines: RowLines) -> Any:
    """Turn label columns into 0 and 1 (uint8); -1 counts as 0."""
    stored = table.data if sp.issparse(table) else table
    if sp.issparse(table) and (stored == 1).all():
        return table.astype(np.uint8)
    wrong = ~((stored == 1) | (stored == 0) | (stored == -1))
    if wrong.any():
        row, position, value = first_entry(table, wrong)
        message = f"label {names[position]!r} is {value:g}; allowed are 0, 1 and -1"
        raise lines.error(message, row)
    if not sp.issparse(table):
        return (table > 0).astype(np.uint8)
    return sp.csr_array(table > 0).astype(np.uint8)
