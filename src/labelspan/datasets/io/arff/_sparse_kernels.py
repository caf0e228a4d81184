"""Compiled loops over the bytes of sparse ARFF rows, ``{index value, ...}``."""

from __future__ import annotations

import numpy as np

from labelspan.datasets.io._numbers import (
    NONE,
    ONE,
    ZERO_BYTE,
    quick_digits,
    quick_number,
    quick_quotient,
)
from labelspan.datasets.io.arff._header import NUMERIC
from labelspan.datasets.io.arff._kernels import (
    AFTER_ROW,
    BAD_INDEX,
    BRACE,
    DENSE_ROW,
    LARGE_INDEX,
    NO_SEPARATOR,
    OK,
    UNCLOSED_ROW,
    at_row_end,
    read_cell,
    scan_index,
    skip_blanks,
    skip_line,
)
from labelspan.jit import ZERO, inner_kernel, kernel

# Place of a column that is not stored.
ABSENT = np.iinfo(np.int32).min
NINE = np.uint64(9)


@inner_kernel
def quick_rows(  # type: ignore[no-untyped-def]
    text, start, type_of, kinds, digits, place,
    ends, indices, data, other_ends, others, values, row, n_first, n_second,
):  # fmt: skip
    """Rows like ``{17 1,29 0.25}`` up to another form: its position, whether in a row.

    Unsigned, as numba tests signed indices for being negative: half the speed. Many rows per call
    and arrays one by one, because calls and tuple access count references.
    """
    pos, n_columns = np.uint64(start), np.uint64(len(place))
    while pos < len(text):
        if text[pos] != 123 or np.uint8(text[pos + ONE] - ZERO_BYTE) > 9:
            break
        pos, end = pos + ONE, text[pos]
        while end != 125:
            digit = np.uint8(text[pos] - ZERO_BYTE)
            if digit > 9:
                if text[pos] != 32:
                    return np.int64(pos), True, row, n_first, n_second
                pos += ONE
                continue
            after, index = quick_digits(text, pos + ONE, np.uint64(digit))
            if after - pos > NINE or text[after] != 32 or index >= n_columns:
                return np.int64(pos), True, row, n_first, n_second
            after += ONE
            number = np.uint64(type_of[index])
            digit, stop = np.uint8(text[after] - ZERO_BYTE), after + ONE
            if digit > 9:
                if kinds[number] != NUMERIC:
                    return np.int64(pos), True, row, n_first, n_second
                stop, value = quick_number(text, after)
                end = text[stop]
            elif text[stop] == 44 or text[stop] == 125:
                value, end = digits[number, np.uint64(digit)], text[stop]
            elif kinds[number] == NUMERIC:
                stop, mantissa = quick_digits(text, stop, np.uint64(digit))
                n_digits, n_decimals = stop - after, NONE
                if text[stop] == 46:
                    first = stop + ONE
                    stop, mantissa = quick_digits(text, first, mantissa)
                    n_decimals = stop - first
                    n_digits += n_decimals
                value, end = quick_quotient(mantissa, n_digits, n_decimals), text[stop]
            else:
                return np.int64(pos), True, row, n_first, n_second
            # A brace ends the row only if the line ends, too.
            if value != value or (end != 44 and (end != 125 or text[stop + ONE] != 10)):
                return np.int64(pos), True, row, n_first, n_second
            column = place[index]
            if column >= 0:
                indices[n_first] = column
                data[n_first] = value
                n_first += ONE
            elif column != ABSENT:
                others[n_second] = -1 - column
                values[n_second] = value
                n_second += ONE
            pos = stop + ONE
        pos += ONE
        row += ONE
        ends[row] = n_first
        other_ends[row] = n_second
    return np.int64(pos), False, row, n_first, n_second


@inner_kernel
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


@inner_kernel
def parse_entries(text, pos, table, place, first, second, n_first, n_second, hard, n_hard):  # type: ignore[no-untyped-def]
    status = OK
    while True:
        status, pos, index = read_index(text, skip_blanks(text, pos), len(place))
        if status != OK:
            break
        column = place[index]
        slot = np.int64(n_first) if column >= 0 else -1 - np.int64(n_second)
        status, pos, value, n_hard = read_cell(
            text, pos, index, table, BRACE, slot, column != ABSENT, hard, n_hard
        )
        if status != OK:
            break
        if column >= 0:
            first[1][n_first] = column
            first[2][n_first] = value
            n_first += ONE
        elif column != ABSENT:
            second[1][n_second] = -1 - column
            second[2][n_second] = value
            n_second += ONE
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
def parse_sparse(text, table, place, first, second, start, hard):  # type: ignore[no-untyped-def]
    """Fill two CSR arrays from a row on; returns status, position, rows, hard values.

    `place` sends a column to the first array (>= 0), to the second (-1 minus its column there) or
    nowhere (ABSENT); so do the slots of hard values.
    """
    (ends, indices, data), (other_ends, others, values) = first, second
    pos, n_hard, row = ZERO, ZERO, np.uint64(start)
    n_first, n_second = np.uint64(ends[row]), np.uint64(other_ends[row])
    while pos < len(text):
        pos, inside, row, n_first, n_second = quick_rows(
            text, pos, table[0], table[1], table[6], place,
            ends, indices, data, other_ends, others, values, row, n_first, n_second,
        )  # fmt: skip
        if not inside:
            pos = skip_blanks(text, pos)
            if at_row_end(text, pos):
                pos = skip_line(text, pos) + 1
                continue
            if text[pos] != 123:
                return DENSE_ROW, pos, row, n_hard
            pos = skip_blanks(text, pos + 1)
        if not inside and text[pos] == 125:
            pos += 1
        else:
            status, pos, n_first, n_second, n_hard = parse_entries(
                text, pos, table, place, first, second, n_first, n_second, hard, n_hard
            )
            if status != OK:
                return status, pos, row, n_hard
        pos = skip_blanks(text, pos)
        if not at_row_end(text, pos):
            return AFTER_ROW, pos, row, n_hard
        pos = skip_line(text, pos) + 1
        row += ONE
        ends[row] = n_first
        other_ends[row] = n_second
    return OK, pos, row, n_hard
