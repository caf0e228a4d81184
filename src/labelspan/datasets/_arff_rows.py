"""The rows of an ARFF file, block by block, as one dense or CSR table of all columns."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets._arff_header import NOMINAL, NUMERIC, ColumnType, Header, unquote
from labelspan.datasets._arff_kernels import (
    MESSAGES,
    OK,
    TOO_MANY_ROWS,
    parse_dense,
    parse_sparse,
)
from labelspan.datasets._csr import assemble
from labelspan.datasets._errors import DataFileError
from labelspan.datasets._stream import LineBlocks

FIRST_BYTE = re.compile(rb"^[ \t\r]*([^ \t\r\n%])", re.MULTILINE)
QUOTES = b"'\""
# The shortest sparse row is "{}", its shortest entry "0 1,", and the shortest dense value "0,".
SPARSE_ROW_BYTES, SPARSE_ENTRY_BYTES, DENSE_VALUE_BYTES = 2, 4, 2


def read_rows(source: LineBlocks, header: Header, encoding: str) -> Any:
    """Parse all rows; the first one decides whether the table is dense or sparse.

    Returns
    -------
    ndarray or csr_array of shape (n_rows, n_attributes)
        Missing values are NaN, categories are their numbers.
    """
    reader: _DenseRows | _SparseRows | None = None
    for block in source:
        text = np.frombuffer(block, dtype=np.uint8)
        if reader is None:
            first = _first_byte(block)
            if first is None:
                continue
            rows = _SparseRows if first == b"{" else _DenseRows
            reader = rows(source, header, encoding)
        reader.add(text)
    if reader is None:
        return np.empty((0, len(header.names)))
    return reader.table()


class _Rows:
    """What dense and sparse rows share: the category table and the values left to Python."""

    def __init__(self, source: LineBlocks, header: Header, encoding: str) -> None:
        self.source = source
        self.header = header
        self.encoding = encoding
        self.types = _type_table(header, encoding)
        self.n_rows = 0

    def check(self, status: int, pos: int, text: np.ndarray, n_rows: int) -> None:
        self.n_rows += n_rows
        if status == OK and self.n_rows > self.source.limits.max_rows:
            status = TOO_MANY_ROWS
        if status != OK:
            raise self.error(MESSAGES[status], pos, text)

    def error(self, message: str, pos: int, text: np.ndarray) -> DataFileError:
        before = text[:pos].tobytes()
        return DataFileError(
            message,
            file=self.source.path,
            line=self.source.line + before.count(b"\n"),
            column=pos - before.rfind(b"\n"),
        )

    def settle(self, text: np.ndarray, hard: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Parse with Python the values that a kernel put aside."""
        values = np.empty(len(hard))
        is_number = hard[:, 3] == 1
        block = text.tobytes() if is_number.any() else b""
        bounds = hard[is_number, 1:3].tolist()
        values[is_number] = [float(block[start:stop]) for start, stop in bounds]
        others = ~is_number | np.isinf(values)
        for i in np.flatnonzero(others):
            values[i] = self._settle_one(text, int(hard[i, 1]), int(hard[i, 2]), int(columns[i]))
        return values

    def _settle_one(self, text: np.ndarray, start: int, stop: int, column: int) -> float:
        raw = text[start:stop].tobytes()
        kind = self.header.type(column)
        try:
            token = raw.decode(self.encoding)
            if text[start - 1] in QUOTES:
                token = unquote(f"'{token}'")
            return _nominal(token, kind) if kind.kind == NOMINAL else _number(token)
        except ValueError as error:
            shown = raw[:60].decode(self.encoding, "replace")
            wanted = (
                f"one of {{{','.join(kind.categories)[:60]}}}"
                if kind.kind == NOMINAL
                else "a finite number or ?"
            )
            name = self.header.names[column]
            message = f"value {shown!r} of attribute {name!r}: expected {wanted}"
            raise self.error(message, start, text) from error


class _DenseRows(_Rows):
    """Dense rows."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.parts: list[np.ndarray] = []

    def add(self, text: np.ndarray) -> None:
        n_columns = len(self.header.names)
        # One row more than can be whole: a truncated row is written before it is refused.
        n_rows = (len(text) + 1) // (DENSE_VALUE_BYTES * n_columns) + 1
        out = np.empty((n_rows, n_columns))
        hard = np.empty((len(text) // DENSE_VALUE_BYTES + 1, 4), dtype=np.int64)
        status, pos, n_rows, n_hard = parse_dense(text, self.types, out, hard)
        self.check(status, pos, text, n_rows)
        hard = hard[:n_hard]
        out.ravel()[hard[:, 0]] = self.settle(text, hard, hard[:, 0] % n_columns)
        self.parts.append(out[:n_rows].copy())

    def table(self) -> np.ndarray:
        return np.concatenate(self.parts) if len(self.parts) > 1 else self.parts[0]


class _SparseRows(_Rows):
    """Sparse rows; an absent nominal value is the first category, which need not be zero."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def add(self, text: np.ndarray) -> None:
        n_entries = len(text) // SPARSE_ENTRY_BYTES + 1
        indptr = np.empty(len(text) // SPARSE_ROW_BYTES + 2, dtype=np.int64)
        indptr[0] = 0
        indices = np.empty(n_entries, dtype=np.int32)
        data = np.empty(n_entries)
        hard = np.empty((n_entries, 4), dtype=np.int64)
        status, pos, n_rows, n_hard = parse_sparse(text, self.types, indptr, indices, data, hard)
        self.check(status, pos, text, n_rows)
        hard = hard[:n_hard]
        data[hard[:, 0]] = self.settle(text, hard, indices[hard[:, 0]])
        # Views: memory that the kernel did not touch is not taken from the machine.
        n_entries = int(indptr[n_rows])
        self.parts.append((indptr[: n_rows + 1], indices[:n_entries], data[:n_entries]))

    def table(self) -> sp.csr_array:
        table = assemble(self.parts, len(self.header.names), self.source)
        defaults = np.array([kind.default for kind in self.header.types])
        return fill_absent(table, defaults[self.header.type_of])


def fill_absent(table: sp.csr_array, defaults: np.ndarray) -> sp.csr_array:
    """Write the default of a column, where it is not zero, into the rows without an entry."""
    columns = np.flatnonzero(defaults)
    if len(columns) == 0:
        return table
    present = table.copy()
    present.data = np.ones(len(present.data), dtype=np.int8)
    rows, positions = np.nonzero(present[:, columns].toarray() == 0)
    filled = (defaults[columns[positions]], (rows, columns[positions]))
    return table + sp.csr_array(filled, shape=table.shape)


def _first_byte(block: bytes) -> bytes | None:
    """First byte of the first row of a block, past comments and blank lines."""
    match = FIRST_BYTE.search(block)
    return match.group(1) if match else None


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
        np.frombuffer(words, dtype=np.uint8),
        np.cumsum([0, *(len(word) for word, _ in pairs)], dtype=np.int64),
        np.array([value for _, value in pairs], dtype=np.float64),
        np.array([_digit_values(kind) for kind in header.types]),
    )


def _digit_values(kind: ColumnType) -> list[float]:
    """Values of the tokens 0 to 9; NaN where such a token is no value."""
    if kind.kind == NUMERIC:
        return [float(digit) for digit in range(10)]
    known = dict(zip(kind.categories, kind.values, strict=True))
    return [known.get(str(digit), np.nan) for digit in range(10)]


def _nominal(token: str, kind: ColumnType) -> float:
    if token in kind.categories:
        return kind.values[kind.categories.index(token)]
    number = float(token)
    # "1.0" for the category "1": numbers are compared as numbers.
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
