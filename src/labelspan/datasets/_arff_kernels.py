"""Compiled loops over the bytes of ARFF rows.

A kernel reads structure and the values that are exact at once; a value that needs Python
(long mantissa, escape inside quotes, unknown category) is put on a list.
"""

from __future__ import annotations

import numpy as np

from labelspan._jit import kernel
from labelspan.datasets._arff_header import NOMINAL, NUMERIC, SKIPPED
from labelspan.datasets._numbers import EXACT, HARD, INVALID, quick_number, scan_number

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
# Place of a column that goes nowhere.
ABSENT = np.iinfo(np.int64).min
ONE, TWO, NINE, TEN = np.uint64(1), np.uint64(2), np.uint64(9), np.uint64(10)
ZERO_BYTE = np.uint8(48)


@kernel
def skip_blanks(text, pos):  # type: ignore[no-untyped-def]
    """Move past spaces, tabs and carriage returns."""
    while pos < len(text) and (text[pos] == 32 or text[pos] == 9 or text[pos] == 13):
        pos += 1
    return pos


@kernel
def skip_line(text, pos):  # type: ignore[no-untyped-def]
    """Move to the next line end."""
    while pos < len(text) and text[pos] != 10:
        pos += 1
    return pos


@kernel
def at_row_end(text, pos):  # type: ignore[no-untyped-def]
    """Tell whether the row ends here: end of file, of line, or a comment."""
    return pos >= len(text) or text[pos] == 10 or text[pos] == 37


@kernel
def scan_token(text, pos, closing):  # type: ignore[no-untyped-def]
    """Find the value at a position: start, stop, position after it, and its state.

    The state is 0, an error code, or -1 for a quoted value with escapes.
    """
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


@kernel
def compare(text, start, stop, other, first, last):  # type: ignore[no-untyped-def]
    """Order two byte strings: negative, zero or positive."""
    for i in range(min(stop - start, last - first)):
        difference = np.int64(text[start + i]) - np.int64(other[first + i])
        if difference != 0:
            return difference
    return (stop - start) - (last - first)


@kernel
def find_category(text, start, stop, words, ends, low, high):  # type: ignore[no-untyped-def]
    """Binary search among the sorted categories ``low .. high - 1``; -1 if there is none."""
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


@kernel
def read_value(text, start, stop, column, table):  # type: ignore[no-untyped-def]
    """Give the value of a token and whether it is settled, or a hard number, or unknown."""
    type_of, kinds, bounds, words, ends, values, _ = table
    if stop - start == 1 and text[start] == 63:
        return np.nan, EXACT
    number = type_of[column]
    if kinds[number] == NUMERIC:
        status, value = scan_number(text, start, stop)
        return value, status
    if kinds[number] == NOMINAL:
        found = find_category(text, start, stop, words, ends, bounds[number], bounds[number + 1])
        if found >= 0:
            return values[found], EXACT
        return 0.0, INVALID
    return 0.0, EXACT


@kernel
def quick_digit(text, pos, column, table, closing):  # type: ignore[no-untyped-def]
    """Give the value of a single digit before a comma or the end of the row, else NaN."""
    if pos + 1 >= len(text) or (text[pos + 1] != 44 and text[pos + 1] != closing):
        return np.nan
    digit = np.int64(text[pos]) - 48
    if digit < 0 or digit > 9:
        return np.nan
    return table[6][table[0][column], digit]


@kernel
def read_cell(text, pos, column, table, closing, slot, hard, n_hard):  # type: ignore[no-untyped-def]
    """Read one value: error code, position after it, value, number of hard values.

    A value that needs Python goes on the list as slot, start, stop, whether it is a number,
    and column; but not one that nobody wants.
    """
    value = quick_digit(text, pos, column, table, closing)
    if value == value:
        return OK, pos + 1, value, n_hard
    start, stop, after, state = scan_token(text, pos, closing)
    if state > 0:
        return state, start, 0.0, n_hard
    value, status = read_value(text, start, stop, column, table)
    wanted = slot != ABSENT and table[1][table[0][column]] != SKIPPED
    if wanted and (status != EXACT or state < 0):
        hard[n_hard, 0] = slot
        hard[n_hard, 1] = start
        hard[n_hard, 2] = stop
        hard[n_hard, 3] = status == HARD and state == 0
        hard[n_hard, 4] = column
        n_hard += 1
    return OK, after, value, n_hard


@kernel
def quick_values(text, pos, column, type_of, kinds, digits, out):  # type: ignore[no-untyped-def]
    """Read values such as ``0.25,`` or ``1,`` of one dense row up to one of another form."""
    n = len(text)
    while column + 1 < len(type_of) and pos + 1 < n:
        digit, stop = np.int64(text[pos]) - 48, pos + 1
        value = np.nan
        if 0 <= digit <= 9 and text[stop] == 44:
            value = digits[type_of[column], digit]
        elif kinds[type_of[column]] == NUMERIC:
            stop, value = quick_number(text, pos)
            if stop < 0 or stop >= n or text[stop] != 44:
                break
        if value != value:
            break
        out[column] = value
        column += 1
        pos = stop + 1
    return pos, column


@kernel
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
def parse_dense(text, table, out, hard):  # type: ignore[no-untyped-def]
    """Fill rows of `out`; returns status, position, number of rows, number of hard values."""
    n_columns = out.shape[1]
    pos, row, n_hard = 0, 0, 0
    while pos < len(text):
        pos = skip_blanks(text, pos)
        if at_row_end(text, pos):
            pos = skip_line(text, pos) + 1
            continue
        if text[pos] == 123:
            return SPARSE_ROW, pos, row, n_hard
        column = 0
        while True:
            pos, column = quick_values(text, pos, column, table[0], table[1], table[6], out[row])
            pos = skip_blanks(text, pos)
            slot = row * n_columns + column
            state, pos, value, n_hard = read_cell(text, pos, column, table, 10, slot, hard, n_hard)
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


@kernel
def scan_index(text, pos):  # type: ignore[no-untyped-def]
    """Read a column index; the position is unchanged when there is none."""
    index = np.int64(0)
    while pos < len(text) and 48 <= text[pos] <= 57:
        index = min(index * 10 + np.int64(text[pos]) - 48, MAX_INDEX)
        pos += 1
    return pos, index


@kernel
def store(parts, count, column, value):  # type: ignore[no-untyped-def]
    """Append an entry to the indices and data of a CSR array."""
    parts[1][count] = column
    parts[2][count] = value


@kernel
def quick_entries(  # type: ignore[no-untyped-def]
    text, start, type_of, kinds, digits, place, indices, data, others, values, n_first, n_second
):
    """Read entries such as ``17 1,`` or ``17 0.25,`` up to one of another form or the brace.

    Nearly all entries have this form. Positions are unsigned here: for signed ones numba
    tests each index for being negative, which doubles the time of this loop. Arrays come one
    by one, since taking them out of a tuple counts references.
    """
    n, pos = np.uint64(len(text)), np.uint64(start)
    while True:
        after, index = pos, np.uint64(0)
        limit = min(n, pos + NINE)
        while after < limit:
            digit = np.uint8(text[after] - ZERO_BYTE)
            if digit > 9:
                break
            index = index * TEN + np.uint64(digit)
            after += ONE
        if after == pos or after + TWO >= n or text[after] != 32 or index >= len(type_of):
            break
        number = np.uint64(type_of[index])
        digit, stop = np.uint8(text[after + ONE] - ZERO_BYTE), after + TWO
        value = np.nan
        if digit <= 9 and (text[stop] == 44 or text[stop] == 125):
            value = digits[number, np.uint64(digit)]
        elif kinds[number] == NUMERIC:
            end, value = quick_number(text, np.int64(after + ONE))
            if end < 0 or end >= len(text) or (text[end] != 44 and text[end] != 125):
                break
            stop = np.uint64(end)
        if value != value:
            break
        column = place[index]
        if column >= 0:
            indices[n_first] = column
            data[n_first] = value
            n_first += 1
        elif column != ABSENT:
            others[n_second] = -1 - column
            values[n_second] = value
            n_second += 1
        pos = stop + ONE
        if text[stop] == 125:
            return True, np.int64(pos), n_first, n_second
    return False, np.int64(pos), n_first, n_second


@kernel
def read_index(text, pos, n_columns):  # type: ignore[no-untyped-def]
    """Read the column index of an entry: error code, position of its value, index."""
    if pos >= len(text) or text[pos] == 10:
        return UNCLOSED_ROW, pos, np.int64(0)
    after, index = scan_index(text, pos)
    value_pos = skip_blanks(text, after)
    if after == pos or value_pos == after:
        return BAD_INDEX, pos, index
    if index >= n_columns:
        return LARGE_INDEX, pos, index
    return OK, value_pos, index


@kernel
def parse_entries(text, pos, table, place, first, second, n_first, n_second, hard, n_hard):  # type: ignore[no-untyped-def]
    """Read entries of any form up to the closing brace."""
    status = OK
    while True:
        status, pos, index = read_index(text, skip_blanks(text, pos), len(place))
        if status != OK:
            break
        column = place[index]
        slot = n_first if column >= 0 else (-1 - n_second if column != ABSENT else ABSENT)
        status, pos, value, n_hard = read_cell(text, pos, index, table, 125, slot, hard, n_hard)
        if status != OK:
            break
        if column >= 0:
            store(first, n_first, column, value)
            n_first += 1
        elif column != ABSENT:
            store(second, n_second, -1 - column, value)
            n_second += 1
        pos = skip_blanks(text, pos)
        if pos >= len(text) or text[pos] == 10:
            status = UNCLOSED_ROW
        elif text[pos] != 44 and text[pos] != 125:
            status = NO_SEPARATOR
        if status != OK:
            break
        pos += 1
        if text[pos - 1] == 125:
            break
    return status, pos, n_first, n_second, n_hard


@kernel
def parse_sparse(text, table, place, first, second, hard):  # type: ignore[no-untyped-def]
    """Fill two CSR arrays; returns status, position, number of rows, number of hard values.

    `place` sends a column to the first array (its column there), to the second (-1 minus its
    column there) or nowhere (ABSENT). The slot of a hard value has the same signs.
    """
    type_of, kinds, digits = table[0], table[1], table[6]
    (ends, indices, data), (other_ends, others, values) = first, second
    pos, row, n_hard = 0, 0, 0
    n_first, n_second = np.int64(0), np.int64(0)
    while pos < len(text):
        pos = skip_blanks(text, pos)
        if at_row_end(text, pos):
            pos = skip_line(text, pos) + 1
            continue
        if text[pos] != 123:
            return DENSE_ROW, pos, row, n_hard
        pos = skip_blanks(text, pos + 1)
        closed = pos < len(text) and text[pos] == 125
        if closed:
            pos += 1
        else:
            closed, pos, n_first, n_second = quick_entries(
                text, pos, type_of, kinds, digits, place,
                indices, data, others, values, n_first, n_second,
            )  # fmt: skip
        if not closed:
            status, pos, n_first, n_second, n_hard = parse_entries(
                text, pos, table, place, first, second, n_first, n_second, hard, n_hard
            )
            if status != OK:
                return status, pos, row, n_hard
        pos = skip_blanks(text, pos)
        if not at_row_end(text, pos):
            return AFTER_ROW, pos, row, n_hard
        pos = skip_line(text, pos) + 1
        row += 1
        ends[row] = n_first
        other_ends[row] = n_second
    return OK, pos, row, n_hard
