"""CSV files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io.columns import COMMA, PLAIN, ColumnEncoder, NumberColumn, readings
from labelspan.datasets.io.frames._csv_file import MISSING_WORDS, CsvFile
from labelspan.datasets.io.frames._frame import dataset_of
from labelspan.system import require

ZERO_OR_ONE = ("0", "1")


def read_csv(
    path: str | os.PathLike[str],
    test: str | os.PathLike[str] | None = None,
    *,
    labels: str | Sequence[str],
    ignore: Sequence[str] = (),
    separator: str | None = None,
    delimiter: str | None = None,
    text: Sequence[str] = (),
    decimal: str | None = None,
    encoder: ColumnEncoder | None = None,
    name: str | None = None,
    encoding: str = "utf-8",
    limits: Limits | None = None,
) -> MultilabelDataset:
    r"""Read a CSV file with a line of column names, plain or gzip; needs pandas.

    Parameters
    ----------
    path : str or path
        The file, or its training part.
    test : str or path, optional
        The test part: the same columns, rows stacked below those of `path`.
    labels : str or sequence of str
        Names of columns of 0 and 1, one per label; or the name of one column that lists the
        labels of each row, such as ``"red, round"`` or ``['red', 'round']``.
    ignore : sequence of str, default=()
        Names of columns to leave out, such as an identifier.
    separator : str, optional
        Separator of the labels of a row; see `from_frame`.
    delimiter : str, optional
        Separator of columns; by default the most frequent of comma, semicolon, tab and ``|`` in the
        first line.
    text : sequence of str, default=()
        Names of columns of text; the words are learned from `path` alone. See `from_frame`.
    decimal : {".", ","}, optional
        Decimal sign of numbers; by default the only one that is possible for a column.
    encoder : ColumnEncoder, optional
        `encoder` of the data set of an earlier file: columns become the same features, in any order
        and without `text` and `decimal`. `labels` may then be empty, and `ignore` may name columns
        that are not there.
    name : str, optional
        Name of the data set; by default the name of the file.
    encoding : str, default="utf-8"
        Encoding of the text.
    limits : Limits, optional
        Largest file to accept.

    Returns
    -------
    MultilabelDataset
        As `from_frame` makes it. A label whose 0/1 column is empty was not observed; an empty cell
        of a column that lists labels means none.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelspan.datasets import read_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text('x,y,tags\n0.5,1,"a,b"\n2,0,\n1,1,b\n')
    ...     toy = read_csv(path, labels="tags")
    >>> toy.feature_names, toy.label_names, toy.Y.tolist()
    (('x', 'y'), ('a', 'b'), [[1, 1], [0, 0], [0, 1]])
    """
    pandas = require("pandas", "data", "reading CSV")
    limits = Limits() if limits is None else limits
    targets = [labels] if isinstance(labels, str) else list(labels)
    paths = [Path(path)] if test is None else [Path(path), Path(test)]
    files = [CsvFile(file, delimiter, encoding, limits) for file in paths]
    # A single label column may list labels: an empty cell has none, and "NA" is a label.
    exact = {*_listed(text), *(targets if len(targets) == 1 else ())}
    if encoder is None:
        frames = _frames(files, exact, decimal, targets)
    else:
        frames = [_frame_for(encoder, file, exact) for file in files]
    if len(frames) > 1 and list(frames[0].columns) != list(frames[1].columns):
        message = f"its columns are not those of {paths[0].name}: {list(frames[1].columns)[:5]}"
        raise DataFileError(message, file=paths[1])
    whole = frames[0] if test is None else pandas.concat(frames, ignore_index=True)
    ends = np.cumsum([len(frame) for frame in frames])
    dataset = dataset_of(
        _with_numbers(whole, targets),
        targets,
        ignore=ignore,
        separator=separator,
        text=text,
        decimal=decimal,
        n_train=int(ends[0]),
        encoder=encoder,
        name=str(path),
        limits=limits,
    )
    return replace(
        dataset,
        name=name or paths[0].name.split(".")[0],
        train=None if test is None else np.arange(ends[0]),
        test=None if test is None else np.arange(ends[0], ends[1]),
        source=" and ".join(map(str, paths)),
    )


def read_features(
    path: str | os.PathLike[str],
    encoder: ColumnEncoder,
    *,
    ignore: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str = "utf-8",
    limits: Limits | None = None,
) -> Any:
    r"""Read the features of a CSV file as they were learned from another; labels are not needed.

    Parameters
    ----------
    path : str or path
        The file, with the columns of the encoder in any order.
    encoder : ColumnEncoder
        `encoder` of the data set that `read_csv` made of the other file.
    ignore : sequence of str, default=()
        Columns to leave out where they are present, such as labels.
    delimiter : str, optional
        Separator of columns; see `read_csv`.
    encoding : str, default="utf-8"
        Encoding of the text.
    limits : Limits, optional
        Largest file to accept.

    Returns
    -------
    ndarray or csr_array of shape (n_samples, n_features)
        See `ColumnEncoder.encode`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelspan.datasets import read_csv, read_features
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     old, new = pathlib.Path(folder, "old.csv"), pathlib.Path(folder, "new.csv")
    ...     _ = old.write_text("size;ripe;tag\n1,5;yes;a\n2;no;b\n")
    ...     _ = new.write_text("ripe;size\nno;0,5\n")
    ...     read_features(new, read_csv(old, labels="tag").encoder)
    array([[0.5, 0. ]])
    """
    options: dict[str, Any] = {"ignore": ignore, "delimiter": delimiter, "encoding": encoding}
    return read_csv(path, labels=(), encoder=encoder, limits=limits, **options).X


def _frame_for(encoder: ColumnEncoder, file: CsvFile, exact: set[str]) -> Any:
    # Inferred types would lose how numbers were written, and 01 is another word than 1.
    as_text = [c.name for c in encoder.columns if c != NumberColumn(c.name, PLAIN)]
    return file.frame({*encoder.text, *exact}, as_text)


def _listed(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _frames(
    files: Sequence[CsvFile], exact: set[str], decimal: str | None, targets: Sequence[str]
) -> list[Any]:
    """Read the files, and again those whose numbers may be more than plain numbers."""
    frames = [file.frame(exact) for file in files]
    as_text = _to_read_as_text(frames, decimal, targets) - exact
    if not as_text:
        return frames
    return [file.frame(exact, as_text) for file in files]


def _to_read_as_text(
    frames: Sequence[Any], decimal: str | None, targets: Sequence[str]
) -> set[str]:
    """Columns that are text in one of two files, or could have points between thousands."""
    texts: list[set[str]] = [
        {str(c) for c in f.columns if f[c].dtype.kind not in "fiub"} for f in frames
    ]
    found = texts[0] ^ texts[-1]
    commas = decimal == COMMA
    if decimal is None:
        commas = any(
            _has_commas(f[c]) for f, names in zip(frames, texts, strict=True) for c in names
        )
    if commas:
        floats = {str(c) for f in frames for c in f.columns if f[c].dtype.kind == "f"}
        # Labels with empty cells are floats, too, and are never written with commas.
        found |= floats.difference(targets)
    return found


def _has_commas(column: Any) -> bool:
    formats = readings(column.dropna().unique()).formats
    return bool(formats) and formats[0].decimal == COMMA


def _with_numbers(frame: Any, targets: list[str]) -> Any:
    """Return a single column of 0, 1 and missing cells as numbers: it is one label, not two."""
    column = targets[0] if len(targets) == 1 else None
    if column in frame.columns:
        cells = frame[column]
        missing = cells.isin(MISSING_WORDS)
        if not missing.all() and cells[~missing].isin(ZERO_OR_ONE).all():
            frame[column] = cells.mask(missing).astype(float)
    return frame
