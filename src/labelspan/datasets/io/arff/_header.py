"""The header of an ARFF file: relation, and one attribute per column."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._nominal import category_values
from labelspan.datasets.io._stream import LineBlocks
from labelspan.datasets.io.arff._header_kernels import (
    REFUSED,
    find_data_line,
    line_keys,
    scan_header,
)
from labelspan.jit import INTERPRETED_STEPS

NUMERIC, NOMINAL, SKIPPED = 0, 1, 2
NUMERIC_TYPES = frozenset({"numeric", "real", "integer"})
SKIPPED_TYPES = frozenset({"string", "date"})
# Possessive, so that a line without a type is not read as a shorter name and one letter.
TOKEN = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^\s,{}'"%][^\s,{}]*+"""
ATTRIBUTE = re.compile(rf"@attribute\s+({TOKEN})\s*(\S.*)", re.I | re.S)
RELATION = re.compile(rf"@relation\s+({TOKEN}).*", re.I | re.S)
CATEGORY = re.compile(rf"\s*({TOKEN})\s*(,|$)")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
WIDE_BLANK = re.compile(r"[^\S\x00-\x7f]")
WALK_ROWS = 4096
ASCII = bytes(range(128))
SIGNS = b"@data {0 1.5,2 'a'}\n"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
OTHER_ENCODING = "not {}; try encoding='latin-1' (--encoding latin-1)"
TO_UTF8 = "convert it first: iconv -f {} -t utf-8"
UTF8 = ("utf-8", "surrogatepass")
# Key of a name that the kernel did not copy; it may be any name.
ANY_KEY = 0
# Bytes of a name without quotes, and of one between them.
NAME_BYTES = np.arange(256) > np.array([[32], [31]])
NAME_BYTES[0, list(b",{}")] = False
NAME_BYTES[1, ord("\\")] = False
ASCII_NAME_BYTES = NAME_BYTES & (np.arange(256) < 128)


class ColumnType(NamedTuple):
    """Kind of a column and, if it is nominal, its categories and their values."""

    kind: int
    categories: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def default(self) -> float:
        """What an absent entry of a sparse row means: the first category, else zero."""
        return self.values[0] if self.values else 0.0


@dataclass(frozen=True)
class Header:
    """Relation name and columns of an ARFF file.

    Columns share their types: a file with thousands of columns has few distinct ones.
    """

    relation: str
    names: list[str]
    types: list[ColumnType]
    type_of: np.ndarray
    keys: np.ndarray

    def type(self, column: int) -> ColumnType:
        """Return the type of a column."""
        return self.types[self.type_of[column]]

    def find(self, names: Collection[str]) -> list[int]:
        """Return the columns that have one of the names, in their order.

        Only names whose key matches are looked up, because hashing ten thousand strings takes
        longer than reading them.
        """
        sought = set(names)
        text = "".join(f"{name}\n" for name in sought)
        keys = np.empty(text.count("\n"), dtype=np.uint16)
        content = np.frombuffer(bytearray(text, *UTF8), np.uint8)
        line_keys.for_steps(len(content))(content, keys)
        is_near = np.zeros(2**16, dtype=bool)
        is_near[keys] = is_near[ANY_KEY] = True
        near = np.flatnonzero(is_near[self.keys]).tolist()
        return [i for i in near if self.names[i] in sought]

    def is_skipped(self) -> np.ndarray:
        """Whether each column holds strings or dates."""
        skipped = np.array([kind.kind == SKIPPED for kind in self.types])
        return skipped[self.type_of] if skipped.any() else np.zeros(len(self.names), dtype=bool)

    def defaults(self, columns: np.ndarray) -> np.ndarray:
        """Return what an absent entry means for each of the columns."""
        values = np.array([kind.default for kind in self.types])
        return values[self.type_of[columns]] if values.any() else np.zeros(len(columns))


@dataclass(frozen=True)
class _Lines:
    """A header after the kernel: names of its plain lines, and the other lines."""

    content: np.ndarray
    names: list[str]
    keys: np.ndarray
    # Which of the other lines declares the type of each name.
    declared: np.ndarray
    # Start, stop, line number, and number of names before.
    others: np.ndarray
    # Where the line after the @data line starts; 0 if there is none.
    stop: int


def read_header(source: LineBlocks, encoding: str) -> Header:
    """Read up to the ``@data`` line and leave the source at the line after it."""
    _check_encoding(source, encoding)
    block = source.next_block()
    if block[:2].tobytes() in UTF16_MARKS:
        raise source.error(f"a UTF-16 file; {TO_UTF8.format('utf-16')}")
    stop = 0
    if _keeps_ascii(encoding):
        lines = _scan(block, ASCII_NAME_BYTES, source.n_lines)
        stop = lines.stop
    if stop > 0 and block[:stop].max() < 128:
        source.unread(stop)
    else:
        lines = _decoded(source, block, encoding)
    header = _parse(lines, source)
    if not header.names:
        raise source.error("the header has no @attribute line")
    if len(header.names) > source.limits.max_columns:
        raise source.error(
            f"{len(header.names)} columns; the limit is {source.limits.max_columns} "
            "(Limits.max_columns)"
        )
    return header


def _check_encoding(source: LineBlocks, encoding: str) -> None:
    """Refuse an encoding that does not keep the bytes of ASCII."""
    try:
        is_usable = SIGNS.decode(encoding) == SIGNS.decode("ascii")
    except UnicodeError:
        is_usable = False
    except LookupError as error:
        message = f"encoding={encoding!r} is not one of Python's; give one such as 'latin-1'"
        raise DataFileError(message, file=source.path) from error
    if not is_usable:
        message = f"encoding={encoding!r} does not keep the bytes of ASCII, by which rows are read"
        raise DataFileError(f"{message}; {TO_UTF8.format(encoding)}", file=source.path)


def _keeps_ascii(encoding: str) -> bool:
    try:
        return ASCII.decode(encoding) == ASCII.decode("ascii")
    except UnicodeError:
        return False


def _decoded(source: LineBlocks, block: np.ndarray, encoding: str) -> _Lines:
    """Scan a header of any length and encoding, as a copy in UTF-8."""
    raw = _before_data(source, block)
    try:
        text = raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        place = raw.count(b"\n", 0, error.start) + 1
        raise source.error(OTHER_ENCODING.format(encoding), place) from error
    content = np.frombuffer(bytearray(f"{text}\n", *UTF8), np.uint8)
    # A non-ASCII blank also ends a name; then all such characters are left to Python.
    name_bytes = ASCII_NAME_BYTES if WIDE_BLANK.search(text) else NAME_BYTES
    return _scan(content, name_bytes, text.count("\n") + 1)


def _before_data(source: LineBlocks, block: np.ndarray) -> bytes:
    """Return the text before the ``@data`` line and leave the source after that line."""
    parts: list[bytes] = []
    length = 0
    # Blocks are whole lines, so that no line is in two of them.
    while len(block):
        start, stop = find_data_line.for_steps(_header_bytes(block))(block)
        parts.append(block[:start].tobytes())
        if stop > 0:
            source.unread(stop)
            return b"".join(parts)
        length += len(block)
        if length > source.limits.max_line_bytes:
            raise source.error("header longer than Limits.max_line_bytes")
        block = source.next_block()
    raise source.error("no @data line; is this a whole ARFF file?")


def _scan(content: np.ndarray, name_bytes: np.ndarray, n_lines: int) -> _Lines:
    names = np.empty(len(content), dtype=np.uint8)
    keys = np.empty(n_lines, dtype=np.uint16)
    declared = np.empty(n_lines, dtype=np.int32)
    others = np.empty((n_lines, 4), dtype=np.int64)
    scan = scan_header.for_steps(_header_bytes(content))
    n_bytes, n_plain, n_others, stop = scan(content, name_bytes, names, keys, declared, others)
    plain = _text(names[:n_bytes]).split("\n")
    plain.pop()
    return _Lines(content, plain, keys[:n_plain], declared[:n_plain], others[:n_others], stop)


def _header_bytes(block: np.ndarray) -> int:
    """Estimate how many bytes of a block belong to the header."""
    stop = block[:INTERPRETED_STEPS].tobytes().lower().find(b"\n@data")
    return stop if stop >= 0 else len(block)


def _text(content: np.ndarray) -> str:
    return content.tobytes().decode(*UTF8)


def _walk(table: np.ndarray) -> Iterator[list[int]]:
    """Rows as lists, some at a time, because a hostile header has tens of millions of lines."""
    for start in range(0, len(table), WALK_ROWS):
        yield from table[start : start + WALK_ROWS].tolist()


def _parse(lines: _Lines, source: LineBlocks) -> Header:
    """Parse the lines that the kernel left, and put all names and types in their order."""
    relation, names, done = "", [], 0
    types: list[ColumnType] = []
    known: dict[str, int] = {}
    numbers = np.full(len(lines.others), -1, dtype=np.int32)
    for i, (start, stop, number, n_before) in enumerate(_walk(lines.others)):
        line = _text(lines.content[start:stop]).strip()
        if n_before == REFUSED:
            raise source.error(f"not an ARFF header line: {line[:60]!r}", number)
        if match := ATTRIBUTE.fullmatch(line):
            names += lines.names[done:n_before]
            names.append(unquote(match.group(1)))
            done = n_before
            declared = match.group(2)
            if declared not in known:
                known[declared] = len(types)
                types.append(_checked_type(declared, source, number))
            numbers[i] = known[declared]
        elif match := RELATION.fullmatch(line):
            relation = unquote(match.group(1))
        elif line and not line.startswith("%"):
            raise source.error(f"not an ARFF header line: {line[:60]!r}", number)
    names += lines.names[done:]
    is_attribute = numbers >= 0
    places = lines.others[is_attribute, 3]
    type_of = np.insert(numbers[lines.declared], places, numbers[is_attribute])
    return Header(relation, names, types, type_of, np.insert(lines.keys, places, ANY_KEY))


def _checked_type(declared: str, source: LineBlocks, line: int) -> ColumnType:
    try:
        return _column_type(declared)
    except ValueError as error:
        raise source.error(str(error), line) from error


def unquote(token: str) -> str:
    """Remove quotes; backslash escapes count only inside them, as in Weka's tokenizer."""
    if token[:1] not in ("'", '"'):
        return token
    inner = token[1:-1]
    if "\\" not in inner:
        return inner
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), inner, flags=re.S)


def _column_type(declared: str) -> ColumnType:
    if declared.startswith("{"):
        if (closing := declared.rfind("}")) < 0:
            raise ValueError("the list of categories is not closed by }")
        categories = _categories(declared[1:closing])
        return ColumnType(NOMINAL, categories, category_values(categories))
    word = declared.split()[0].lower()
    if word in NUMERIC_TYPES:
        return ColumnType(NUMERIC)
    if word in SKIPPED_TYPES:
        return ColumnType(SKIPPED)
    raise ValueError(
        f"attribute type {declared[:60]!r}: expected numeric, real, integer, string, date "
        "or {categories}"
    )


def _categories(inner: str) -> tuple[str, ...]:
    categories, pos = [], 0
    while match := CATEGORY.match(inner, pos):
        categories.append(unquote(match.group(1)))
        pos = match.end()
        if not match.group(2):
            break
    if not categories or pos < len(inner):
        raise ValueError(f"cannot read the categories {{{inner[:60]}}}")
    if len(set(categories)) < len(categories):
        raise ValueError(f"a category is listed twice in {{{inner[:60]}}}")
    return tuple(categories)
