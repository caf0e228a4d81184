"""The header of an ARFF file: relation, and one attribute a column."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labelspan._jit import kernel
from labelspan.datasets._numbers import NONE, ONE
from labelspan.datasets._stream import LineBlocks

NUMERIC, NOMINAL, SKIPPED = 0, 1, 2
NUMERIC_TYPES = frozenset({"numeric", "real", "integer"})
SKIPPED_TYPES = frozenset({"string", "date"})
FALSE_WORDS = frozenset({"no", "false", "n", "f", "negative", "neg"})
TRUE_WORDS = frozenset({"yes", "true", "y", "t", "positive", "pos"})
# Possessive, so that a line without a type is not read as a shorter name and one letter.
TOKEN = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^\s,{}'"%][^\s,{}]*+"""
ATTRIBUTE = re.compile(rf"@attribute\s+({TOKEN})\s*(\S.*)", re.I | re.S)
RELATION = re.compile(rf"@relation\s+({TOKEN}).*", re.I | re.S)
CATEGORY = re.compile(rf"\s*({TOKEN})\s*(,|$)")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
WIDE_BLANK = re.compile(r"[^\S\x00-\x7f]")
WALK_ROWS = 4096
# In place of the number of names before a line: no header has it, and the scan ends there.
REFUSED = -1
ASCII = bytes(range(128))
UTF8 = ("utf-8", "surrogatepass")
# Key of a name that was not copied by the kernel; such a name may be any.
ANY_KEY = 0
# How many declared types the kernel remembers: most headers have one or two.
N_KNOWN = 8
DATA_WORD, ATTRIBUTE_WORD, RELATION_WORD = (
    np.frombuffer(word, np.uint8) for word in (b"data", b"attribute", b"relation")
)
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
        """Give the type of a column."""
        return self.types[self.type_of[column]]

    def find(self, names: Collection[str]) -> list[int]:
        """Give the columns that have one of the names, in their order.

        Only names with the key of one that is sought are looked up: to make the hashes of ten
        thousand strings takes longer than reading them.
        """
        sought = set(names)
        text = "".join(f"{name}\n" for name in sought)
        keys = np.empty(text.count("\n"), dtype=np.uint16)
        line_keys(np.frombuffer(text.encode(*UTF8), np.uint8), keys)
        is_near = np.zeros(2**16, dtype=bool)
        is_near[keys] = is_near[ANY_KEY] = True
        near = np.flatnonzero(is_near[self.keys]).tolist()
        return [i for i in near if self.names[i] in sought]

    def is_skipped(self) -> np.ndarray:
        """Tell for each column whether it holds strings or dates."""
        skipped = np.array([kind.kind == SKIPPED for kind in self.types])
        return skipped[self.type_of] if skipped.any() else np.zeros(len(self.names), dtype=bool)

    def defaults(self, columns: np.ndarray) -> np.ndarray:
        """Give what an absent entry means for each of the columns."""
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
    block = source.next_block()
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
        raise source.error(f"not {encoding}; try encoding='latin-1'", place) from error
    content = np.frombuffer(f"{text}\n".encode(*UTF8), np.uint8)
    # A blank beyond ASCII ends a name too; then all such letters are left to Python.
    name_bytes = ASCII_NAME_BYTES if WIDE_BLANK.search(text) else NAME_BYTES
    return _scan(content, name_bytes, text.count("\n") + 1)


def _before_data(source: LineBlocks, block: np.ndarray) -> bytes:
    """Give the text before the ``@data`` line and leave the source after that line."""
    parts: list[bytes] = []
    length = 0
    # Blocks are whole lines, so that no line is in two of them.
    while len(block):
        start, stop = find_data_line(block)
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
    n_bytes, n_plain, n_others, stop = scan_header(
        content, name_bytes, names, keys, declared, others
    )
    plain = _text(names[:n_bytes]).split("\n")
    plain.pop()
    return _Lines(content, plain, keys[:n_plain], declared[:n_plain], others[:n_others], stop)


def _text(content: np.ndarray) -> str:
    return content.tobytes().decode(*UTF8)


def _walk(table: np.ndarray) -> Iterator[list[int]]:
    """Rows as lists, some at a time: a hostile header has tens of millions of lines."""
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


@kernel
def starts_with(text, pos, word):  # type: ignore[no-untyped-def]
    """Tell whether ``@`` and a word are at a position of the text, in lower or upper case."""
    if text[pos] != 64:
        return False
    same = np.uint64(0)
    while same < len(word) and text[pos + same + ONE] | 32 == word[same]:
        same += ONE
    return same == len(word)


@kernel
def skip_spaces(text, pos):  # type: ignore[no-untyped-def]
    """Move past spaces and tabs."""
    while text[pos] == 32 or text[pos] == 9:
        pos += ONE
    return pos


@kernel
def skip_ascii_blanks(text, pos):  # type: ignore[no-untyped-def]
    """Move past all that Python calls a blank, up to the line end."""
    while text[pos] == 32 or (9 <= text[pos] <= 13 and text[pos] != 10) or 28 <= text[pos] <= 31:
        pos += ONE
    return pos


@kernel
def line_end(text, pos):  # type: ignore[no-untyped-def]
    """Move to the next line end."""
    while text[pos] != 10:
        pos += ONE
    return pos


@kernel
def after_data_line(text, pos):  # type: ignore[no-untyped-def]
    """Give the start of the line after an ``@data`` line at a position; 0 if it is another."""
    if not starts_with(text, pos, DATA_WORD):
        return NONE
    pos = skip_spaces(text, pos + np.uint64(len(DATA_WORD) + 1))
    if text[pos] == 13:
        pos += ONE
    return pos + ONE if text[pos] == 10 else NONE


@kernel
def find_data_line(text):  # type: ignore[no-untyped-def]
    """Give the start of the ``@data`` line and of the next; else the end of the text and 0."""
    start = NONE
    while start < len(text):
        pos = skip_spaces(text, start)
        stop = after_data_line(text, pos)
        if stop > NONE:
            return start, stop
        start = line_end(text, pos) + ONE
    return start, NONE


@kernel
def copy_name(text, pos, is_inside, names, size):  # type: ignore[no-untyped-def]
    """Copy a name, without its quotes; the position after it is 0 if it is not plain.

    `is_inside` tells which bytes may be in a name, and in one between quotes.
    """
    quote = text[pos]
    if quote == 39 or quote == 34:
        pos += ONE
        while is_inside[ONE, text[pos]] and text[pos] != quote:
            names[size] = text[pos]
            size += ONE
            pos += ONE
        if text[pos] != quote:
            return NONE, size
        pos += ONE
    elif quote != 37:
        while is_inside[NONE, text[pos]]:
            names[size] = text[pos]
            size += ONE
            pos += ONE
    return pos if text[pos] == 32 or text[pos] == 9 else NONE, size


@kernel
def find_known(text, start, known, n_known):  # type: ignore[no-untyped-def]
    """Find the declared type among those remembered: its number, or -1, and the line end."""
    for i in range(n_known):
        first, stop, pos = known[i, 0], known[i, 1], start
        while first < stop and text[first] == text[pos]:
            first += ONE
            pos += ONE
        while first == stop and (text[pos] == 32 or text[pos] == 9 or text[pos] == 13):
            pos += ONE
        if first == stop and text[pos] == 10:
            return i, pos
    return -1, line_end(text, start)


@kernel
def name_key(names, start, stop):  # type: ignore[no-untyped-def]
    """Give a number for the length, the first and the last byte of a name; 0 if it is empty."""
    if start == stop:
        return np.uint16(0)
    first, last = np.uint64(names[start]), np.uint64(names[stop - ONE])
    key = (stop - start) + np.uint64(31) * first + np.uint64(997) * last
    return np.uint16(key & np.uint64(0xFFFF))


@kernel
def line_keys(text, keys):  # type: ignore[no-untyped-def]
    """Fill in the key of each line of a text."""
    start = NONE
    for i in range(len(keys)):
        stop = line_end(text, start)
        keys[i] = name_key(text, start, stop)
        start = stop + ONE


@kernel
def quick_lines(text, pos, is_inside, names, size, keys, declared, n_plain, first, stop, number):  # type: ignore[no-untyped-def]
    """Copy the names of lines ``@attribute name type`` with the type ``text[first:stop]``.

    Nearly all lines are read here, up to the first of another form or type: one type at a time,
    one blank between words, no quotes.
    """
    while pos < len(text):
        after = pos + np.uint64(len(ATTRIBUTE_WORD) + 2)
        if not starts_with(text, pos, ATTRIBUTE_WORD) or text[after - ONE] != 32:
            break
        if text[after] == 39 or text[after] == 34 or text[after] == 37:
            break
        end = size
        while is_inside[text[after]]:
            names[end] = text[after]
            end += ONE
            after += ONE
        if end == size or text[after] != 32:
            break
        after += ONE
        length = NONE
        while first + length < stop and text[first + length] == text[after + length]:
            length += ONE
        after += length
        if first + length < stop or text[after] != 10:
            break
        names[end] = 10
        keys[n_plain] = name_key(names, size, end)
        declared[n_plain] = number
        n_plain += 1
        size, pos = end + ONE, after + ONE
    return pos, size, n_plain


@kernel
def scan_header(text, is_inside, names, keys, declared, others):  # type: ignore[no-untyped-def]
    """Copy names and keys of lines ``@attribute name type`` whose type was declared before.

    Any other line but blank ones and comments goes on a list: start, stop, line number, number
    of names copied before. `declared` tells which line of that list declares the type. Returns
    the number of bytes and of names copied, the length of the list, and where the line after
    the ``@data`` line starts, or 0.
    """
    known = np.empty((N_KNOWN, 2), dtype=np.uint64)
    known_by = np.empty(N_KNOWN, dtype=np.int64)
    pos, n_bytes = NONE, NONE
    line, n_plain, n_others, n_known = 0, 0, 0, 0
    while pos < len(text):
        start, size, found, end = pos, n_bytes, -1, NONE
        line += 1
        pos = skip_spaces(text, pos)
        if text[pos] == 10 or text[pos] == 37:
            pos = line_end(text, pos) + ONE
            continue
        if starts_with(text, pos, ATTRIBUTE_WORD):
            pos += np.uint64(len(ATTRIBUTE_WORD) + 1)
            name = skip_spaces(text, pos)
            if name > pos:
                end, size = copy_name(text, name, is_inside, names, n_bytes)
        else:
            stop = after_data_line(text, pos)
            if stop > NONE:
                return n_bytes, n_plain, n_others, stop
            pos = skip_ascii_blanks(text, pos)
            if 32 < text[pos] < 128 and not starts_with(text, pos, RELATION_WORD):
                if text[pos] == 37:
                    pos = line_end(text, pos) + ONE
                    continue
                if not starts_with(text, pos, ATTRIBUTE_WORD):
                    end = line_end(text, pos)
                    others[n_others] = (np.int64(start), np.int64(end), line, REFUSED)
                    return n_bytes, n_plain, n_others + 1, NONE
            elif text[pos] == 10:
                pos += ONE
                continue
        if end > NONE:
            pos = skip_spaces(text, end)
            found, end = find_known(text, pos, known, n_known)
        if found >= 0:
            names[size] = 10
            keys[n_plain] = name_key(names, n_bytes, size)
            n_bytes = size + ONE
            declared[n_plain] = known_by[found]
            n_plain += 1
        else:
            if end > pos and n_known < N_KNOWN:
                known[n_known] = (pos, trimmed(text, pos, end))
                known_by[n_known] = n_others
                found = n_known
                n_known += 1
            end = line_end(text, pos)
            others[n_others] = (np.int64(start), np.int64(end), line, n_plain)
            n_others += 1
        pos = end + ONE
        if found >= 0:
            before = n_plain
            pos, n_bytes, n_plain = quick_lines(
                text, pos, is_inside[0], names, n_bytes, keys, declared, n_plain,
                known[found, 0], known[found, 1], known_by[found],
            )  # fmt: skip
            line += n_plain - before
    return n_bytes, n_plain, n_others, NONE


@kernel
def trimmed(text, start, stop):  # type: ignore[no-untyped-def]
    """Move back over blanks at the end of a line."""
    while stop > start and (
        text[stop - ONE] == 32 or text[stop - ONE] == 9 or text[stop - ONE] == 13
    ):
        stop -= ONE
    return stop
