"""The header of an ARFF file: relation, and one attribute per column."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._nominal import category_values
from labelspan.datasets.io._stream import LineBlocks

NUMERIC, NOMINAL, SKIPPED = 0, 1, 2
NUMERIC_TYPES = frozenset({"numeric", "real", "integer"})
SKIPPED_TYPES = frozenset({"string", "date"})
DATA_LINE = re.compile(data := rb"[ \t]*+@data[ \t]*(?:%[^\n]*)?\r?\n", re.I)
# Searching for a byte is four times as fast as searching for the start of a line.
LATER_DATA_LINE = re.compile(rb"\n" + data, re.I)
# Possessive, so that a line without a type is not read as a shorter name and one letter.
TOKEN = r"""'(?:[^'\\\n]|\\[^\n])*+'|"(?:[^"\\\n]|\\[^\n])*+"|[^\s,{}'"%][^\s,{}]*+"""
BLANK = r"[^\S\n]"
# Name and type of an attribute, or another line; not blank lines and comments.
LINE = re.compile(
    rf"^{BLANK}*+(?:(?ai:@attribute){BLANK}+({TOKEN}){BLANK}*(\S[^\n]*)|([^\s%][^\n]*))", re.M
)
RELATION = re.compile(rf"(?ai:@relation)\s+({TOKEN}).*")
CATEGORY = re.compile(rf"\s*({TOKEN})\s*(,|$)")
QUOTES = ("'", '"')
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
SIGNS = b"@data {0 1.5,2 'a'}\n"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
OTHER_ENCODING = "not {}; try encoding='latin-1' (--encoding latin-1)"
TO_UTF8 = "convert it first: iconv -f {} -t utf-8"


class ColumnType(NamedTuple):
    kind: int
    categories: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def default(self) -> float:
        """What an absent entry of a sparse row means: the first category, else zero."""
        return self.values[0] if self.values else 0.0


@dataclass(frozen=True)
class Header:
    """Relation name and columns, which share their types: of thousands, few are distinct."""

    relation: str
    names: list[str]
    types: list[ColumnType]
    type_of: np.ndarray

    def type(self, column: int) -> ColumnType:
        return self.types[self.type_of[column]]

    def find(self, names: Collection[str]) -> list[int]:
        sought = set(names)
        return [i for i, name in enumerate(self.names) if name in sought]

    def is_skipped(self) -> np.ndarray:
        skipped = np.array([kind.kind == SKIPPED for kind in self.types])
        return skipped[self.type_of] if skipped.any() else np.zeros(len(self.names), dtype=bool)

    def defaults(self, columns: np.ndarray) -> np.ndarray:
        values = np.array([kind.default for kind in self.types])
        return values[self.type_of[columns]] if values.any() else np.zeros(len(columns))


def read_header(source: LineBlocks, encoding: str) -> Header:
    """Read up to the ``@data`` line and leave the source at the line after it."""
    _check_encoding(source, encoding)
    raw = _before_data(source)
    try:
        text = raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise source.error(OTHER_ENCODING.format(encoding), line) from error
    header = _parse(text, source)
    if not header.names:
        raise source.error("the header has no @attribute line")
    if len(header.names) > source.limits.max_columns:
        raise source.error(
            f"{len(header.names)} columns; the limit is {source.limits.max_columns} "
            "(Limits.max_columns)"
        )
    return header


def _check_encoding(source: LineBlocks, encoding: str) -> None:
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


def _before_data(source: LineBlocks) -> bytes:
    raw = b""
    # Blocks are whole lines, so that no line is in two of them.
    for block in source:
        if not raw and block[:2].tobytes() in UTF16_MARKS:
            raise source.error(f"a UTF-16 file; {TO_UTF8.format('utf-16')}")
        if match := DATA_LINE.match(block.data) or LATER_DATA_LINE.search(block.data):
            source.unread(match.end())
            return raw + block[: match.start()].tobytes()
        raw += block.tobytes()
        if len(raw) > source.limits.max_line_bytes:
            raise source.error("header longer than Limits.max_line_bytes")
    raise source.error("no @data line; is this a whole ARFF file?")


def _parse(text: str, source: LineBlocks) -> Header:
    relation, names, type_of = "", [], []
    types: list[ColumnType] = []
    known: dict[str, int] = {}
    try:
        for line in LINE.finditer(text):
            name, declared, other = line.groups()
            if other is None:
                if declared not in known:
                    known[declared] = len(types)
                    types.append(_column_type(declared.rstrip()))
                names.append(unquote(name) if name[0] in QUOTES else name)
                type_of.append(known[declared])
            elif match := RELATION.fullmatch(other):
                relation = unquote(match.group(1))
            else:
                raise ValueError(f"not an ARFF header line: {other.rstrip()[:60]!r}")
    except ValueError as error:
        raise source.error(str(error), text.count("\n", 0, line.start()) + 1) from error
    return Header(relation, names, types, np.array(type_of, dtype=np.int32))


def unquote(token: str) -> str:
    """Remove quotes; backslash escapes count only inside them, as in Weka's tokenizer."""
    if token[:1] not in QUOTES:
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
