"""The rows of an ARFF file, block by block, as one dense or CSR table of all columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets._arff_header import NOMINAL, Attribute, unquote
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
# The shortest entry of a sparse row is "0 1," and the shortest dense value is "0,".
SPARSE_ENTRY_BYTES, DENSE_VALUE_BYTES = 4, 2


def read_rows(source: LineBlocks, attributes: Sequence[Attribute], encoding: str) -> Any:
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
            reader = rows(source, attributes, encoding)
        reader.add(text)
    if reader is None:
        return np.empty((0, len(attributes)))
    return reader.table()


class _Rows:
    """What dense and sparse rows share: the category table and the values left to Python."""

    def __init__(self, source: LineBlocks, attributes: Sequence[Attribute], encoding: str) -> None:
        self.source = source
        self.attributes = attributes
        self.encoding = encoding
        self.categories = _category_table(attributes, encoding)
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

    def settle(self, text: np.ndarray, hard: np.ndarray, columns: np.ndarray) -> list[float]:
        """Parse with Python the values that a kernel put aside."""
        return [
            self._settle_one(text, int(start), int(stop), self.attributes[column])
            for (_, start, stop), column in zip(hard, columns, strict=True)
        ]

    def _settle_one(self, text: np.ndarray, start: int, stop: int, column: Attribute) -> float:
        raw = text[start:stop].tobytes()
        try:
            token = raw.decode(self.encoding)
            if text[start - 1] in QUOTES:
                token = unquote(f"'{token}'")
            return _nominal(token, column) if column.kind == NOMINAL else _number(token)
        except ValueError as error:
            shown = raw[:60].decode(self.encoding, "replace")
            wanted = (
                f"one of {{{','.join(column.categories)[:60]}}}"
                if column.kind == NOMINAL
                else "a finite number or ?"
            )
            message = f"value {shown!r} of attribute {column.name!r}: expected {wanted}"
            raise self.error(message, start, text) from error


class _DenseRows(_Rows):
    """Dense rows."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.parts: list[np.ndarray] = []

    def add(self, text: np.ndarray) -> None:
        n_columns = len(self.attributes)
        # One row more than can be whole: a truncated row is written before it is refused.
        n_rows = (len(text) + 1) // (DENSE_VALUE_BYTES * n_columns) + 1
        out = np.empty((n_rows, n_columns))
        hard = np.empty((len(text) // DENSE_VALUE_BYTES + 1, 3), dtype=np.int64)
        status, pos, n_rows, n_hard = parse_dense(text, self.categories, out, hard)
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
        n_rows = int(np.count_nonzero(text == 10)) + 1
        indptr = np.zeros(n_rows + 1, dtype=np.int64)
        indices = np.empty(n_entries, dtype=np.int32)
        data = np.empty(n_entries)
        hard = np.empty((n_entries, 3), dtype=np.int64)
        status, pos, n_rows, n_hard = parse_sparse(
            text, self.categories, indptr, indices, data, hard
        )
        self.check(status, pos, text, n_rows)
        hard = hard[:n_hard]
        data[hard[:, 0]] = self.settle(text, hard, indices[hard[:, 0]])
        n_entries = int(indptr[n_rows])
        self.parts.append(
            (indptr[: n_rows + 1].copy(), indices[:n_entries].copy(), data[:n_entries].copy())
        )

    def table(self) -> sp.csr_array:
        table = assemble(self.parts, len(self.attributes), self.source)
        defaults = np.array([column.default for column in self.attributes])
        return fill_absent(table, defaults)


def fill_absent(table: sp.csr_array, defaults: np.ndarray) -> sp.csr_array:
    """Write the default of a column where a row has no entry, and drop stored zeros."""
    columns = np.flatnonzero(defaults)
    if len(columns):
        present = table.copy()
        present.data = np.ones(len(present.data), dtype=np.int8)
        absent = 1 - present[:, columns].toarray()
        rows, positions = np.nonzero(absent)
        filled = (defaults[columns[positions]], (rows, columns[positions]))
        table = table + sp.csr_array(filled, shape=table.shape)
    table.eliminate_zeros()
    return table


def _first_byte(block: bytes) -> bytes | None:
    """First byte of the first row of a block, past comments and blank lines."""
    match = FIRST_BYTE.search(block)
    return match.group(1) if match else None


def _category_table(
    attributes: Sequence[Attribute], encoding: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sorted categories of all columns as flat arrays, for the kernels."""
    kinds = np.array([column.kind for column in attributes], dtype=np.int64)
    counts = [len(column.categories) for column in attributes]
    bounds = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
    pairs = [
        pair
        for column in attributes
        if column.categories
        for pair in sorted(
            (word.encode(encoding), value)
            for word, value in zip(column.categories, column.values, strict=True)
        )
    ]
    words = b"".join(word for word, _ in pairs)
    ends = np.concatenate([[0], np.cumsum([len(word) for word, _ in pairs])]).astype(np.int64)
    values = np.array([value for _, value in pairs], dtype=np.float64)
    return kinds, bounds, np.frombuffer(words, dtype=np.uint8), ends, values


def _nominal(token: str, column: Attribute) -> float:
    if token in column.categories:
        return column.values[column.categories.index(token)]
    number = float(token)
    # "1.0" for the category "1": numbers are compared as numbers.
    if number in column.values and any(_is_number(word, number) for word in column.categories):
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
