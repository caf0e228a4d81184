"""CSV files."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._stream import LineBlocks
from labelspan.datasets.io.arff import first_repeat
from labelspan.datasets.io.frames._frame import from_frame
from labelspan.system import require

DELIMITERS = ",;\t|"
MISSING_WORDS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"]
ZERO_OR_ONE = ("0", "1")


def read_csv(
    path: str | os.PathLike[str],
    test: str | os.PathLike[str] | None = None,
    *,
    labels: str | Sequence[str],
    ignore: Sequence[str] = (),
    separator: str | None = None,
    delimiter: str | None = None,
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
    name : str, optional
        Name of the data set; by default the name of the file.
    encoding : str, default="utf-8"
        Encoding of the text.
    limits : Limits, optional
        Largest file to accept.

    Returns
    -------
    MultilabelDataset
        `X` as float64, `Y` as int64; see `from_frame` for how columns become features.

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
    files = [Path(path)] if test is None else [Path(path), Path(test)]
    frames = [_frame(pandas, file, targets, delimiter, encoding, limits) for file in files]
    if len(frames) > 1 and list(frames[0].columns) != list(frames[1].columns):
        message = f"its columns are not those of {files[0].name}: {list(frames[1].columns)[:5]}"
        raise DataFileError(message, file=files[1])
    whole = frames[0] if test is None else pandas.concat(frames, ignore_index=True)
    dataset = from_frame(
        whole, targets, ignore=ignore, separator=separator, name=str(path), limits=limits
    )
    ends = np.cumsum([len(frame) for frame in frames])
    return replace(
        dataset,
        name=name or files[0].name.split(".")[0],
        train=None if test is None else np.arange(ends[0]),
        test=None if test is None else np.arange(ends[0], ends[1]),
        source=" and ".join(map(str, files)),
    )


def _frame(
    pandas: Any,
    path: Path,
    targets: list[str],
    delimiter: str | None,
    encoding: str,
    limits: Limits,
) -> Any:
    """Read one file; nothing is left to pandas' guesses."""
    encoding = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    try:
        with LineBlocks(path, limits) as source:
            delimiter, names = _header(source, delimiter, encoding)
            _check_rows(source, delimiter, len(names), encoding)
        with LineBlocks(path, limits) as source, warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            _header(source, delimiter, encoding)
            # A label column is read as plain text: an empty cell has no labels, "NA" is a label.
            is_text = len(targets) == 1
            frame = pandas.read_csv(
                io.BufferedReader(_Blocks(source)),
                sep=delimiter,
                header=None,
                names=names,
                index_col=False,
                skipinitialspace=True,
                dtype={name: str for name in targets if is_text and name in names},
                keep_default_na=False,
                na_values={
                    name: MISSING_WORDS for name in names if not (is_text and name in targets)
                },
                nrows=limits.max_rows + 1,
                low_memory=False,
                encoding=encoding,
            )
    except DataFileError:
        raise
    except (ValueError, LookupError, pandas.errors.ParserWarning, csv.Error) as error:
        text = " ".join(str(error).split())
        raise DataFileError(f"not a readable CSV file ({text})", file=path) from error
    if len(frame) > limits.max_rows:
        raise DataFileError(f"more than {limits.max_rows} rows (Limits.max_rows)", file=path)
    return _with_numbers(frame, targets)


def _header(source: LineBlocks, delimiter: str | None, encoding: str) -> tuple[str, list[str]]:
    """Read the line of names and leave the source after it."""
    line = source.next_block().tobytes().partition(b"\n")[0]
    text = line.decode(encoding).strip("\r\n")
    if not text:
        raise source.error("no line of column names at the start", 1)
    if delimiter is None:
        delimiter = max(DELIMITERS, key=text.count)
    if len(delimiter) != 1:
        raise source.error(f"delimiter is {delimiter!r}; give one character", 1)
    names = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])
    if (repeated := first_repeat(names)) is not None:
        raise source.error(f"two columns are called {repeated!r}; rename one", 1)
    if len(names) > source.limits.max_columns:
        limit = source.limits.max_columns
        raise source.error(f"{len(names)} columns; the limit is {limit} (Limits.max_columns)", 1)
    source.unread(len(line) + 1)
    return delimiter, names


def _check_rows(source: LineBlocks, delimiter: str, width: int, encoding: str) -> None:
    """Refuse a row of another length; pandas would fill it up as if it had no labels."""
    stream = io.TextIOWrapper(io.BufferedReader(_Blocks(source)), encoding, newline="")
    rows = csv.reader(stream, delimiter=delimiter, skipinitialspace=True)
    for row in rows:
        if row and len(row) != width:
            message = f"{len(row)} values for {width} columns"
            raise source.error(message, rows.line_num + 1)


def _with_numbers(frame: Any, targets: list[str]) -> Any:
    """Return a single column of only 0 and 1 as numbers, because it is one label, not two."""
    column = targets[0]
    if len(targets) == 1 and column in frame.columns and frame[column].isin(ZERO_OR_ONE).all():
        frame[column] = frame[column].astype(int)
    return frame


class _Blocks(io.RawIOBase):
    """The rest of a source as a file, so that its limits also hold for pandas."""

    def __init__(self, source: LineBlocks) -> None:
        self.source = source
        self.rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self.rest:
            block = self.source.next_block().tobytes()
            if b"\0" in block:
                raise self.source.error("there are zero bytes; is this a text file?")
            self.rest = memoryview(block)
        size = min(len(buffer), len(self.rest))
        buffer[:size] = self.rest[:size]
        self.rest = self.rest[size:]
        return size
