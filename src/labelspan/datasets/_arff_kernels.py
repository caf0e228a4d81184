"""Compiled loops over the bytes of ARFF rows.

A kernel reads structure and the values that are exact at once; a value that needs Python
(long mantissa, escape inside quotes, unknown category) is put on a list as slot, start, stop.
"""

from __future__ import annotations

import numpy as np

from labelspan.datasets._arff_header import NOMINAL, NUMERIC
from labelspan.datasets._jit import kernel
from labelspan.datasets._numbers import EXACT, scan_number

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
    """Give the value of a token and whether it is settled (else Python decides)."""
    kinds, bounds, words, ends, values = table
    if stop - start == 1 and text[start] == 63:
        return np.nan, True
    if kinds[column] == NUMERIC:
        status, value = scan_number(text, start, stop)
        return value, status == EXACT
    if kinds[column] == NOMINAL:
        found = find_category(text, start, stop, words, ends, bounds[column], bounds[column + 1])
        if found >= 0:
            return values[found], True
        return 0.0, False
    return 0.0, True


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
        for column in range(n_columns):
            if column > 0:
                before = pos
                pos = skip_blanks(text, pos)
                if at_row_end(text, pos):
                    return TOO_FEW, pos, row, n_hard
                if text[pos] == 44:
                    pos = skip_blanks(text, pos + 1)
                elif pos == before:
                    return NO_SEPARATOR, pos, row, n_hard
            start, stop, pos, state = scan_token(text, pos, 44)
            if state > 0:
                return state, start, row, n_hard
            value, settled = read_value(text, start, stop, column, table)
            if row >= out.shape[0]:
                return TOO_FEW, pos, row, n_hard
            out[row, column] = value
            if not settled or state < 0:
                hard[n_hard, 0] = row * n_columns + column
                hard[n_hard, 1] = start
                hard[n_hard, 2] = stop
                n_hard += 1
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
def parse_entries(text, pos, n_columns, table, entry, indices, data, hard, n_hard):  # type: ignore[no-untyped-def]
    """Read the entries of one sparse row up to its closing brace."""
    pos = skip_blanks(text, pos)
    closed = pos < len(text) and text[pos] == 125
    while not closed:
        if pos >= len(text) or text[pos] == 10:
            return UNCLOSED_ROW, pos, entry, n_hard
        after, index = scan_index(text, pos)
        value_pos = skip_blanks(text, after)
        if after == pos or value_pos == after:
            return BAD_INDEX, pos, entry, n_hard
        if index >= n_columns:
            return LARGE_INDEX, pos, entry, n_hard
        start, stop, pos, state = scan_token(text, value_pos, 125)
        if state > 0:
            return state, start, entry, n_hard
        value, settled = read_value(text, start, stop, index, table)
        indices[entry] = index
        data[entry] = value
        if not settled or state < 0:
            hard[n_hard, 0] = entry
            hard[n_hard, 1] = start
            hard[n_hard, 2] = stop
            n_hard += 1
        entry += 1
        pos = skip_blanks(text, pos)
        closed = pos < len(text) and text[pos] == 125
        if not closed:
            if pos >= len(text) or text[pos] == 10:
                return UNCLOSED_ROW, pos, entry, n_hard
            if text[pos] != 44:
                return NO_SEPARATOR, pos, entry, n_hard
            pos = skip_blanks(text, pos + 1)
    return OK, pos + 1, entry, n_hard


@kernel
def parse_sparse(text, table, indptr, indices, data, hard):  # type: ignore[no-untyped-def]
    """Fill CSR parts; returns status, position, number of rows, number of hard values."""
    n_columns = len(table[0])
    pos, row, entry, n_hard = 0, 0, 0, 0
    while pos < len(text):
        pos = skip_blanks(text, pos)
        if at_row_end(text, pos):
            pos = skip_line(text, pos) + 1
            continue
        if text[pos] != 123:
            return DENSE_ROW, pos, row, n_hard
        status, pos, entry, n_hard = parse_entries(
            text, pos + 1, n_columns, table, entry, indices, data, hard, n_hard
        )
        if status != OK:
            return status, pos, row, n_hard
        pos = skip_blanks(text, pos)
        if not at_row_end(text, pos):
            return AFTER_ROW, pos, row, n_hard
        pos = skip_line(text, pos) + 1
        row += 1
        indptr[row] = entry
    return OK, pos, row, n_hard
