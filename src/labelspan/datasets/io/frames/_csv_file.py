"""A CSV file as a frame of pandas, without guesses about its texts."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelspan.compat import exact_floats
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._stream import LineBlocks
from labelspan.datasets.io._tables import first_repeat
from labelspan.system import require

DELIMITERS = ",;\t|"
MISSING_WORDS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"]


@dataclass(frozen=True)
class CsvFile:
    """A file and how it is written; each call of `frame` reads it again."""

    path: Path
    delimiter: str | None
    encoding: str
    limits: Limits

    def frame(self, exact: Collection[str], as_text: Collection[str] = ()) -> Any:
        """The rows; columns `exact` keep their text, `as_text` are text with missing cells."""
        pandas = require("pandas", "data", "reading CSV")
        encoding = "utf-8-sig" if self.encoding.lower() in ("utf-8", "utf8") else self.encoding
        try:
            with LineBlocks(self.path, self.limits) as source:
                delimiter, names = _header(source, self.delimiter, encoding)
                _check_rows(source, delimiter, len(names), encoding)
            with LineBlocks(self.path, self.limits) as source, warnings.catch_warnings():
                warnings.simplefilter("error", pandas.errors.ParserWarning)
                _header(source, delimiter, encoding)
                frame = pandas.read_csv(
                    io.BufferedReader(_Blocks(source)),
                    sep=delimiter,
                    header=None,
                    names=names,
                    index_col=False,
                    skipinitialspace=True,
                    dtype={name: str for name in names if name in exact or name in as_text},
                    keep_default_na=False,
                    na_values={name: MISSING_WORDS for name in names if name not in exact},
                    nrows=self.limits.max_rows + 1,
                    low_memory=False,
                    encoding=encoding,
                    **exact_floats(pandas),
                )
        except DataFileError:
            raise
        except UnicodeError as error:
            raise self._error(
                f"its text is not {self.encoding} ({_line(error)}); pass its encoding= "
                "(--encoding), such as latin-1 or cp1252"
            ) from error
        except (ValueError, LookupError, pandas.errors.ParserWarning, csv.Error) as error:
            raise self._error(f"not a readable CSV file ({_line(error)})") from error
        if len(frame) > self.limits.max_rows:
            raise self._error(f"more than {self.limits.max_rows} rows (Limits.max_rows)")
        return frame

    def _error(self, message: str) -> DataFileError:
        return DataFileError(message, file=self.path)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _header(source: LineBlocks, delimiter: str | None, encoding: str) -> tuple[str, list[str]]:
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
