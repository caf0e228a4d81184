"""The rows of an ARFF file, block by block, as one dense or CSR table of all columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._csr import CsrBuffer, drop_zeros, grown
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._numbers import as_floats
from labelspan.datasets.io._row_lines import RowLines
from labelspan.datasets.io._stream import LineBlocks
from labelspan.datasets.io.arff._header import (
    NOMINAL,
    NUMERIC,
    OTHER_ENCODING,
    ColumnType,
    Header,
    unquote,
)
from labelspan.datasets.io.arff._kernels import MESSAGES, OK, TOO_MANY_ROWS, parse_dense
from labelspan.datasets.io.arff._sparse_kernels import ABSENT, parse_sparse

FIRST_BYTE = re.compile(rb"^[ \t\r]*([^ \t\r\n%])", re.MULTILINE)
QUOTES = b"'\""
# The shortest entry of a sparse row is "0 1,", and the shortest dense value "0,".
SPARSE_ENTRY_BYTES, DENSE_VALUE_BYTES = 4, 2


def read_rows(
    source: LineBlocks, columns: Columns, encoding: str, lines: RowLines
) -> tuple[Any, Any]:
    """Features and labels as float64, NaN where missing; dense or sparse like the first row."""
    reader: _DenseRows | _SparseRows | None = None
    for text in source:
        if reader is None:
            first = FIRST_BYTE.search(text.data)
            if first is None:
                continue
            rows = _SparseRows if first.group(1) == b"{" else _DenseRows
            reader = rows(source, columns, encoding, lines)
        reader.add(text)
    if reader is None:
        return np.empty((0, len(columns.features))), np.empty((0, len(columns.labels)))
    return reader.tables()


@dataclass(frozen=True)
class Columns:
    header: Header
    features: np.ndarray
    labels: np.ndarray


class _Rows:
    """What dense and sparse rows share: the category table and the values left to Python."""

    def __init__(
        self, source: LineBlocks, columns: Columns, encoding: str, lines: RowLines
    ) -> None:
        self.source = source
        self.lines = lines
        self.columns = columns
        self.header = columns.header
        self.encoding = encoding
        self.types = _type_table(columns.header, encoding)
        self.n_rows = 0
        self.hard = np.empty((0, 4), dtype=np.int64)

    def hard_list(self, size: int) -> np.ndarray:
        if size > len(self.hard):
            self.hard = np.empty((size, 4), dtype=np.int64)
        return self.hard

    def check(self, status: int, pos: int) -> None:
        if status == OK and self.n_rows > self.source.limits.max_rows:
            status = TOO_MANY_ROWS
        if status != OK:
            raise self.source.error_at(MESSAGES[status], pos)

    def read_by_python(self, text: np.ndarray, hard: np.ndarray) -> np.ndarray:
        block, kinds = text.tobytes(), self.types[1][self.types[0][hard[:, 3]]]
        values = as_floats([block[start:stop] for start, stop in hard[:, 1:3].tolist()])
        for i in np.flatnonzero(np.isnan(values) | (kinds != NUMERIC)):
            values[i] = self._read_one(text, *hard[i, 1:4].tolist())
        return values

    def _read_one(self, text: np.ndarray, start: int, stop: int, column: int) -> float:
        raw = text[start:stop].tobytes()
        kind = self.header.type(column)
        try:
            token = raw.decode(self.encoding)
            if text[start - 1] in QUOTES:
                token = unquote(f"'{token}'")
            return _nominal(token, kind) if kind.kind == NOMINAL else _number(token)
        except UnicodeDecodeError as error:
            message = f"value of attribute {self.header.names[column]!r}: "
            raise self.source.error_at(
                message + OTHER_ENCODING.format(self.encoding), start
            ) from error
        except ValueError as error:
            shown = raw[:60].decode(self.encoding, "replace")
            wanted = (
                f"one of {{{','.join(kind.categories)[:60]}}}"
                if kind.kind == NOMINAL
                else "a finite number or ?"
            )
            name = self.header.names[column]
            message = f"value {shown!r} of attribute {name!r}: expected {wanted}"
            raise self.source.error_at(message, start) from error


class _DenseRows(_Rows):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.table = np.empty((0, len(self.header.names)))

    def add(self, text: np.ndarray) -> None:
        # One more row than can be complete, because a truncated row is written before it is
        # refused.
        n_rows = (len(text) + 1) // (DENSE_VALUE_BYTES * self.table.shape[1]) + 1
        self.table = grown(self.table, self.n_rows, n_rows)
        hard = self.hard_list(len(text) // DENSE_VALUE_BYTES + 1)
        status, pos, n_rows, n_hard = parse_dense.for_steps(len(text))(
            text, self.types, self.table, self.n_rows, hard
        )
        self.n_rows = int(n_rows)
        self.check(status, pos)
        if n_hard:
            self.table.ravel()[hard[:n_hard, 0]] = self.read_by_python(text, hard[:n_hard])

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rows = self.table[: self.n_rows]
        return rows[:, self.columns.features], rows[:, self.columns.labels]


class _SparseRows(_Rows):
    """Sparse rows; an absent nominal value is the first category, which need not be zero."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        features, labels = self.columns.features, self.columns.labels
        self.place = np.full(len(self.header.names), ABSENT, dtype=np.int32)
        self.place[features] = np.arange(len(features))
        self.place[labels] = -1 - np.arange(len(labels))
        n_entries = self.source.n_bytes // SPARSE_ENTRY_BYTES
        self.parts = (CsrBuffer(n_entries), CsrBuffer(n_entries))

    def add(self, text: np.ndarray) -> None:
        n_entries = len(text) // SPARSE_ENTRY_BYTES + 1
        for part in self.parts:
            part.reserve(self.source.n_lines, n_entries)
        features, labels = self.parts
        hard = self.hard_list(n_entries)
        status, pos, n_rows, n_hard = parse_sparse.for_steps(len(text))(
            text, self.types, self.place, features.arrays, labels.arrays, self.n_rows, hard
        )
        self.n_rows = int(n_rows)
        self.check(status, pos)
        if n_hard:
            values, slots = self.read_by_python(text, hard[:n_hard]), hard[:n_hard, 0]
            features.data[slots[slots >= 0]] = values[slots >= 0]
            labels.data[-1 - slots[slots < 0]] = values[slots < 0]
        for part in self.parts:
            part.fill(self.n_rows)

    def tables(self) -> tuple[sp.csr_array, sp.csr_array]:
        header, source = self.header, self.source
        first, second = (
            fill_absent(part.table(columns, self.lines), header.defaults(columns), source)
            for part, columns in zip(
                self.parts, (self.columns.features, self.columns.labels), strict=True
            )
        )
        return first, second


def fill_absent(table: sp.csr_array, defaults: np.ndarray, source: LineBlocks) -> sp.csr_array:
    """Write the default of a column where a row has no entry, and drop stored zeros."""
    columns = np.flatnonzero(defaults)
    if len(columns):
        # A row of three bytes may need as many values as there are columns.
        if table.shape[0] * len(columns) > source.limits.max_bytes // DENSE_VALUE_BYTES:
            message = (
                f"{table.shape[0]} sparse rows of {len(columns)} nominal columns whose first "
                "category is not zero; raise Limits.max_bytes to fill them in"
            )
            raise DataFileError(message, file=source.path)
        present = table.copy()
        present.data = np.ones(len(present.data), dtype=np.int8)
        rows, positions = np.nonzero(present[:, columns].toarray() == 0)
        filled = (defaults[columns[positions]], (rows, columns[positions]))
        table = table + sp.csr_array(filled, shape=table.shape)
    drop_zeros(table)
    return table


def _type_table(header: Header, encoding: str) -> tuple[np.ndarray, ...]:
    """Column types, their sorted categories, and the value of each digit, for the kernels."""
    counts = [len(kind.categories) for kind in header.types]
    pairs = [
        pair
        for kind in header.types
        for pair in sorted(
            (word.encode(encoding), value)
            for word, value in zip(kind.categories, kind.values, strict=True)
        )
    ]
    words = b"".join(word for word, _ in pairs)
    return (
        header.type_of,
        np.array([kind.kind for kind in header.types], dtype=np.int64),
        np.cumsum([0, *counts], dtype=np.int64),
        # From bytes it would be a read-only array, which numba treats as another type.
        np.frombuffer(bytearray(words), dtype=np.uint8),
        np.cumsum([0, *(len(word) for word, _ in pairs)], dtype=np.int64),
        np.array([value for _, value in pairs], dtype=np.float64),
        np.array([_digit_values(kind) for kind in header.types]),
    )


def _digit_values(kind: ColumnType) -> list[float]:
    """Values of the tokens 0 to 9; NaN if such a token is not a value."""
    if kind.kind == NUMERIC:
        return [float(digit) for digit in range(10)]
    known = dict(zip(kind.categories, kind.values, strict=True))
    return [known.get(str(digit), np.nan) for digit in range(10)]


def _nominal(token: str, kind: ColumnType) -> float:
    if token in kind.categories:
        return kind.values[kind.categories.index(token)]
    number = float(token)
    # "1.0" matches the category "1", because numbers are compared as numbers.
    if number in kind.values and any(_is_number(word, number) for word in kind.categories):
        return number
    raise ValueError(token)


def _is_number(word: str, number: float) -> bool:
    try:
        return float(word) == number
    except ValueError:
        return False


def _number(token: str) -> float:
    if token.lower() == "nan":
        return float("nan")
    number = float(token)
    if not np.isfinite(number) or "_" in token:
        raise ValueError(token)
    return number
