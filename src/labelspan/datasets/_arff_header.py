"""The header of an ARFF file: relation, and one attribute a column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labelspan.datasets._stream import LineBlocks

NUMERIC, NOMINAL, SKIPPED = 0, 1, 2
NUMERIC_TYPES = frozenset({"numeric", "real", "integer"})
SKIPPED_TYPES = frozenset({"string", "date"})
FALSE_WORDS = frozenset({"no", "false", "n", "f", "negative", "neg"})
TRUE_WORDS = frozenset({"yes", "true", "y", "t", "positive", "pos"})
DATA_LINE = re.compile(rb"^[ \t]*@[dD][aA][tT][aA][ \t]*\r?$", re.MULTILINE)
TOKEN = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,{}'"%][^\s,{}]*"""
ATTRIBUTE = re.compile(rf"@attribute\s+({TOKEN})\s*(\S.*)", re.I | re.S)
PLAIN_ATTRIBUTE = re.compile(
    r"^[ \t]*@(?:attribute|ATTRIBUTE)[ \t]+([^\s,{}'\"%][^\s,{}]*)[ \t]+([^\s%'\"][^\n%'\"]*)\n",
    re.MULTILINE,
)
RELATION = re.compile(rf"@relation\s+({TOKEN}).*", re.I | re.S)
CATEGORY = re.compile(rf"\s*({TOKEN})\s*(,|$)")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


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

    def type(self, column: int) -> ColumnType:
        """Give the type of a column."""
        return self.types[self.type_of[column]]


def read_header(source: LineBlocks, encoding: str) -> Header:
    """Read up to the ``@data`` line and leave the source at the line after it."""
    raw, rest = _split_header(source)
    try:
        text = raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        place = raw.count(b"\n", 0, error.start) + 1
        raise source.error(f"not {encoding}; try encoding='latin-1'", place) from error
    header = _plain_header(text) or _any_header(text, source)
    _check_columns(header.names, source)
    source.unread(rest, raw.count(b"\n") + 2)
    return header


def _plain_header(text: str) -> Header | None:
    """Parse a header without quoted names in one pass; None leaves it to the careful way."""
    pieces = PLAIN_ATTRIBUTE.split(text)
    other = "".join(pieces[::3])
    if "@attribute" in other.lower():
        return None
    relation = ""
    for line in other.split("\n"):
        if match := RELATION.fullmatch(line.strip()):
            relation = unquote(match.group(1))
        elif line.strip() and not line.lstrip().startswith("%"):
            return None
    try:
        return _header(relation, pieces[1::3], pieces[2::3])
    except ValueError:
        return None


def _any_header(text: str, source: LineBlocks) -> Header:
    """Parse a header line by line; errors name the line."""
    relation, names, declared = "", [], []
    checked = set()
    for number, untrimmed in enumerate(text.split("\n"), start=1):
        line = untrimmed.strip()
        if match := ATTRIBUTE.fullmatch(line):
            names.append(unquote(match.group(1)))
            declared.append(match.group(2))
            if declared[-1] not in checked:
                _check_type(declared[-1], source, number)
                checked.add(declared[-1])
        elif match := RELATION.fullmatch(line):
            relation = unquote(match.group(1))
        elif line and not line.startswith("%"):
            raise source.error(f"not an ARFF header line: {line[:60]!r}", number)
    return _header(relation, names, declared)


def _header(relation: str, names: list[str], declared: list[str]) -> Header:
    distinct = {text: number for number, text in enumerate(dict.fromkeys(declared))}
    types = [_column_type(text) for text in distinct]
    type_of = np.fromiter(map(distinct.__getitem__, declared), np.int64, len(declared))
    return Header(relation, names, types, type_of)


def unquote(token: str) -> str:
    """Remove quotes; backslash escapes count only inside them, as in Weka's tokenizer."""
    if token[:1] not in ("'", '"'):
        return token
    inner = token[1:-1]
    if "\\" not in inner:
        return inner
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), inner, flags=re.S)


def category_values(categories: tuple[str, ...]) -> tuple[float, ...]:
    """Numbers for categories: their own value, else 0/1 for no/yes, else their position."""
    try:
        values = tuple(float(category) for category in categories)
    except ValueError:
        values = (np.nan,)
    if np.isfinite(values).all():
        return values
    words = [category.lower() for category in categories]
    if all(word in FALSE_WORDS | TRUE_WORDS for word in words):
        return tuple(float(word in TRUE_WORDS) for word in words)
    return tuple(float(position) for position in range(len(categories)))


def _split_header(source: LineBlocks) -> tuple[bytes, bytes]:
    """Give the text before the ``@data`` line and what its block has after it."""
    parts: list[bytes] = []
    length = 0
    while block := source.next_block():
        # Blocks are whole lines, so that no block before this one has the line.
        near = block.lower().find(b"@data")
        if near >= 0 and (match := DATA_LINE.search(block, block.rfind(b"\n", 0, near) + 1)):
            return b"".join([*parts, block[: match.start()]]), block[match.end() + 1 :]
        parts.append(block)
        length += len(block)
        if length > source.limits.max_line_bytes:
            raise source.error("header longer than Limits.max_line_bytes")
    raise source.error("no @data line; is this a whole ARFF file?")


def _check_type(declared: str, source: LineBlocks, line: int) -> None:
    try:
        _column_type(declared)
    except ValueError as error:
        raise source.error(str(error), line) from error


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


def _check_columns(names: list[str], source: LineBlocks) -> None:
    if not names:
        raise source.error("the header has no @attribute line")
    if len(names) > source.limits.max_columns:
        raise source.error(
            f"{len(names)} columns; the limit is {source.limits.max_columns} (Limits.max_columns)"
        )
