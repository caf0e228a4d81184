"""Compiled loops over the bytes of ARFF rows: values, and dense rows of them.

A kernel reads the structure and all values that it can parse exactly. A value that needs Python
(long mantissa, escape inside quotes, unknown category) goes on a list. Each text ends with a line
end (`LineBlocks` adds it), which stops the loops over values of the common forms.
"""

from __future__ import annotations

import numpy as np

from labelspan.datasets.io._numbers import (
    ONE,
    ZERO_BYTE,
    quick_number,
)
from labelspan.datasets.io.arff._header import NOMINAL, NUMERIC, SKIPPED
from labelspan.jit import ZERO, inner_kernel, kernel

OK, NO_SEPARATOR, TOO_MANY, TOO_FEW, EMPTY, UNCLOSED_QUOTE, SPARSE_ROW = range(7)
DENSE_ROW, BAD_INDEX, LARGE_INDEX, UNCLOSED_ROW, AFTER_ROW, TOO_MANY_ROWS = range(7, 13)
MESSAGES = {
    NO_SEPARATOR: "expected a comma or the end of the row",
    TOO_MANY: "more values in the row than attributes in the header",
    TOO_FEW: "fewer values in the row than attributes in the header; is the file truncated?",
    EMPTY: "empty value; write ? for a missing one",
    UNCLOSED_QUOTE: "quote is not closed on this line",
    SPARSE_ROW: "sparse row {...} in a file whose first row is dense",
    DENSE_ROW: "expected a sparse row {index value, ...}",
    BAD_INDEX: "expected a column index",
    LARGE_INDEX: "column index is beyond the last attribute of the header",
    UNCLOSED_ROW: "sparse row is not closed by }; is the file truncated?",
    AFTER_ROW: "text after the row (instance weights are not supported)",
    TOO_MANY_ROWS: "more rows than Limits.max_rows",
}
MAX_INDEX = 2**31 - 1
# What ends a dense or sparse row, and whether all values are wanted. Not literals, because numba
# would then compile all functions that read a value once more.
LINE_END, BRACE, EVERY = np.uint8(10), np.uint8(125), np.bool_(True)


@inner_kernel
def skip_blanks(text, pos):  # type: ignore[no-untyped-def]
    """Move past spaces, tabs and carriage returns."""
    while pos < len(text) and (text[pos] == 32 or text[pos] == 9 or text[pos] == 13):
        pos += 1
    return pos


@inner_kernel
def skip_line(text, pos):  # type: ignore[no-untyped-def]
    """Move to the next line end."""
    while pos < len(text) and text[pos] != 10:
        pos += 1
    return pos


@inner_kernel
def at_row_end(text, pos):  # type: ignore[no-untyped-def]
    """Whether the row ends here: end of file, of line, or a comment."""
    return pos >= len(text) or text[pos] == 10 or text[pos] == 37


@inner_kernel
def scan_token(text, pos, closing):  # type: ignore[no-untyped-def]
    """Value at a position: start, stop, position after it, state (0, error, -1 with escapes)."""
    n = len(text)
    if pos < n and (text[pos] == 39 or text[pos] == 34):
        quote, start, state = text[pos], pos + 1, 0
        pos = start
        while pos < n and text[pos] != quote and text[pos] != 10:
            if text[pos] == 92:
                state = -1
                pos += pos + 1 < n and text[pos + 1] != 10
            pos += 1
        if pos >= n or text[pos] != quote:
            return start, start, start, UNCLOSED_QUOTE
        return start, pos, pos + 1, state
    start = pos
    while pos < n:
        byte = text[pos]
        if byte == 44 or byte == closing or byte == 32 or byte == 10 or byte == 9 or byte == 13:
            break
        pos += 1
    return start, pos, pos, OK if pos > start else EMPTY


@inner_kernel
def compare(text, start, stop, other, first, last):  # type: ignore[no-untyped-def]
    """Order two byte strings: negative, zero or positive."""
    for i in range(min(stop - start, last - first)):
        difference = np.int64(text[start + i]) - np.int64(other[first + i])
        if difference != 0:
            return difference
    return (stop - start) - (last - first)


@inner_kernel
def find_category(text, start, stop, words, ends, low, high):  # type: ignore[no-untyped-def]
    while low < high:
        middle = (low + high) // 2
        order = compare(text, start, stop, words, ends[middle], ends[middle + 1])
        if order == 0:
            return middle
        if order < 0:
            high = middle
        else:
            low = middle + 1
    return -1


@inner_kernel
def read_value(text, start, stop, column, table):  # type: ignore[no-untyped-def]
    """Return the value of a token, and whether it is final or left to Python."""
    type_of, kinds, bounds, words, ends, values, _ = table
    if stop - start == 1 and text[start] == 63:
        return np.nan, True
    number = type_of[column]
    if kinds[number] == NUMERIC:
        end, value = quick_number(text, np.uint64(start))
        return value, end == stop and value == value
    if kinds[number] == NOMINAL:
        found = find_category(text, start, stop, words, ends, bounds[number], bounds[number + 1])
        if found >= 0:
            return values[found], True
        return 0.0, False
    return 0.0, True


@inner_kernel
def quick_digit(text, pos, column, table, closing):  # type: ignore[no-untyped-def]
    """Return the value of a single digit before a comma or the end of the row, else NaN."""
    if pos + 1 >= len(text) or (text[pos + 1] != 44 and text[pos + 1] != closing):
        return np.nan
    digit = np.int64(text[pos]) - 48
    if digit < 0 or digit > 9:
        return np.nan
    return table[6][table[0][column], digit]


@inner_kernel
def read_cell(text, pos, column, table, closing, slot, wanted, hard, n_hard):  # type: ignore[no-untyped-def]
    """Error code, position after it, value, number of hard values (slot, token, column)."""
    value = quick_digit(text, pos, column, table, closing)
    if value == value:
        return OK, pos + 1, value, n_hard
    start, stop, after, state = scan_token(text, pos, closing)
    if state > 0:
        return state, start, 0.0, n_hard
    value, is_final = read_value(text, start, stop, column, table)
    if table[1][table[0][column]] == SKIPPED:
        wanted = False
    if wanted and (not is_final or state < 0):
        hard[n_hard, 0] = slot
        hard[n_hard, 1] = start
        hard[n_hard, 2] = stop
        hard[n_hard, 3] = column
        n_hard += 1
    return OK, after, value, n_hard


@inner_kernel
def quick_values(text, start, first, type_of, kinds, digits, out):  # type: ignore[no-untyped-def]
    """Read values such as ``0.25,`` or ``1,`` of one dense row up to one of another form."""
    pos, column, last = np.uint64(start), np.uint64(first), np.uint64(len(type_of) - 1)
    while column < last:
        number = np.uint64(type_of[column])
        digit, stop = np.uint8(text[pos] - ZERO_BYTE), pos + ONE
        value = np.nan
        if digit <= 9 and text[stop] == 44:
            value = digits[number, np.uint64(digit)]
        elif kinds[number] == NUMERIC:
            stop, value = quick_number(text, pos)
            if text[stop] != 44:
                break
        if value != value:
            break
        out[column] = value
        column += ONE
        pos = stop + ONE
    return np.int64(pos), np.int64(column)


@inner_kernel
def skip_comma(text, pos):  # type: ignore[no-untyped-def]
    """Move past a comma, or blanks in its place, to the next value of a dense row."""
    before = pos
    pos = skip_blanks(text, pos)
    if at_row_end(text, pos):
        return TOO_FEW, pos
    if text[pos] == 44:
        return OK, skip_blanks(text, pos + 1)
    return OK if pos > before else NO_SEPARATOR, pos


@kernel
def parse_dense(text, table, out, row, hard):  # type: ignore[no-untyped-def]
    """Fill `out` from a row on; returns status, position, number of rows, of hard values."""
    n_columns = out.shape[1]
    pos, n_hard = ZERO, ZERO
    while pos < len(text):
        pos = skip_blanks(text, pos)
        if at_row_end(text, pos):
            pos = skip_line(text, pos) + 1
            continue
        if text[pos] == 123:
            return SPARSE_ROW, pos, row, n_hard
        column = ZERO
        while True:
            pos, column = quick_values(text, pos, column, table[0], table[1], table[6], out[row])
            pos = skip_blanks(text, pos)
            slot = row * n_columns + column
            state, pos, value, n_hard = read_cell(
                text, pos, column, table, LINE_END, slot, EVERY, hard, n_hard
            )
            if state != OK:
                return state, pos, row, n_hard
            out[row, column] = value
            column += 1
            if column == n_columns:
                break
            state, pos = skip_comma(text, pos)
            if state != OK:
                return state, pos, row, n_hard
        pos = skip_blanks(text, pos)
        if not at_row_end(text, pos):
            return TOO_MANY, pos, row, n_hard
        pos = skip_line(text, pos) + 1
        row += 1
    return OK, pos, row, n_hard


@inner_kernel
def scan_index(text, pos):  # type: ignore[no-untyped-def]
    """Read a column index; the position is unchanged when there is none."""
    index = np.int64(0)
    while pos < len(text) and 48 <= text[pos] <= 57:
        index = min(index * 10 + np.int64(text[pos]) - 48, MAX_INDEX)
        pos += 1
    return pos, index
