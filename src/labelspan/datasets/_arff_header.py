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
DATA_LINE = re.compile(rb"^[ \t]*@data[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
TOKEN = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,{}'"%][^\s,{}]*"""
ATTRIBUTE = re.compile(rf"@attribute\s+({TOKEN})\s*(\S.*)", re.I | re.S)
RELATION = re.compile(rf"@relation\s+({TOKEN}).*", re.I | re.S)
CATEGORY = re.compile(rf"\s*({TOKEN})\s*(,|$)")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


class Attribute(NamedTuple):
    """One column: its name, its kind and, if nominal, its categories and their values."""

    name: str
    kind: int
    categories: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def default(self) -> float:
        """What an absent entry of a sparse row means: the first category, else zero."""
        return self.values[0] if self.values else 0.0


@dataclass(frozen=True)
class Header:
    """Relation name and columns of an ARFF file."""

    relation: str
    attributes: tuple[Attribute, ...]


def read_header(source: LineBlocks, encoding: str) -> Header:
    """Read up to the ``@data`` line and leave the source at the line after it."""
    text, rest = _split_header(source)
    try:
        lines = text.decode(encoding).removeprefix("\ufeff").split("\n")
    except UnicodeDecodeError as error:
        place = text.count(b"\n", 0, error.start) + 1
        raise source.error(f"not {encoding}; try encoding='latin-1'", place) from error
    relation, attributes = "", []
    types: dict[str, tuple[int, tuple[str, ...], tuple[float, ...]]] = {}
    for number, untrimmed in enumerate(lines, start=1):
        line = untrimmed.strip()
        if match := ATTRIBUTE.fullmatch(line):
            name, declared = match.groups()
            if declared not in types:
                types[declared] = _column_type(declared, source, number)
            attributes.append(Attribute(unquote(name), *types[declared]))
        elif match := RELATION.fullmatch(line):
            relation = unquote(match.group(1))
        elif line and not line.startswith("%"):
            raise source.error(f"not an ARFF header line: {line[:60]!r}", number)
    _check_columns(attributes, source)
    source.unread(rest, text.count(b"\n") + 2)
    return Header(relation, tuple(attributes))


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
    text = b""
    while (match := DATA_LINE.search(text)) is None:
        block = source.next_block()
        if not block:
            raise source.error("no @data line; is this a whole ARFF file?")
        text += block
        if len(text) > source.limits.max_line_bytes:
            raise source.error("header longer than Limits.max_line_bytes")
    return text[: match.start()], text[match.end() + 1 :]


def _column_type(
    declared: str, source: LineBlocks, line: int
) -> tuple[int, tuple[str, ...], tuple[float, ...]]:
    if declared.startswith("{"):
        if (closing := declared.rfind("}")) < 0:
            raise source.error("the list of categories is not closed by }", line)
        categories = _categories(declared[1:closing], source, line)
        return NOMINAL, categories, category_values(categories)
    word = declared.split()[0].lower()
    if word in NUMERIC_TYPES:
        return NUMERIC, (), ()
    if word in SKIPPED_TYPES:
        return SKIPPED, (), ()
    raise source.error(
        f"attribute type {declared[:60]!r}: expected numeric, real, integer, string, date "
        "or {categories}",
        line,
    )


def _categories(inner: str, source: LineBlocks, line: int) -> tuple[str, ...]:
    categories, pos = [], 0
    while match := CATEGORY.match(inner, pos):
        categories.append(unquote(match.group(1)))
        pos = match.end()
        if not match.group(2):
            break
    if not categories or pos < len(inner):
        raise source.error(f"cannot read the categories {{{inner[:60]}}}", line)
    if len(set(categories)) < len(categories):
        raise source.error(f"a category is listed twice in {{{inner[:60]}}}", line)
    return tuple(categories)


def _check_columns(attributes: list[Attribute], source: LineBlocks) -> None:
    if not attributes:
        raise source.error("the header has no @attribute line")
    if len(attributes) > source.limits.max_columns:
        raise source.error(
            f"{len(attributes)} columns; the limit is {source.limits.max_columns} "
            "(Limits.max_columns)"
        )
