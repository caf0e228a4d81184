"""Compiled loops over the bytes of an ARFF header.

They read lines of the common form; all others go on a list for Python. Each text ends with a line
end, which stops the loops.
"""

from __future__ import annotations

import numpy as np

from labelspan.datasets.io._numbers import NONE, ONE
from labelspan.jit import ZERO, inner_kernel, kernel

# Stands for the number of names before a line where the scan ends; no header has so many.
REFUSED = np.int64(-1)
# Number of declared types that the kernel remembers; most headers have one or two.
N_KNOWN = 8
DATA_WORD, ATTRIBUTE_WORD, RELATION_WORD = (
    np.frombuffer(word, np.uint8) for word in (b"data", b"attribute", b"relation")
)


@inner_kernel
def starts_with(text, pos, word):  # type: ignore[no-untyped-def]
    """Whether ``@`` and a word are at a position of the text, in lower or upper case."""
    if text[pos] != 64:
        return False
    same = np.uint64(0)
    while same < len(word) and text[pos + same + ONE] | 32 == word[same]:
        same += ONE
    return same == len(word)


@inner_kernel
def skip_spaces(text, pos):  # type: ignore[no-untyped-def]
    """Move past spaces and tabs."""
    while text[pos] == 32 or text[pos] == 9:
        pos += ONE
    return pos


@inner_kernel
def skip_ascii_blanks(text, pos):  # type: ignore[no-untyped-def]
    """Move past all whitespace as Python defines it, up to the line end."""
    while text[pos] == 32 or (9 <= text[pos] <= 13 and text[pos] != 10) or 28 <= text[pos] <= 31:
        pos += ONE
    return pos


@inner_kernel
def line_end(text, pos):  # type: ignore[no-untyped-def]
    """Move to the next line end."""
    while text[pos] != 10:
        pos += ONE
    return pos


@inner_kernel
def after_data_line(text, pos):  # type: ignore[no-untyped-def]
    """Return the start of the line after an ``@data`` line at a position; 0 if it is another."""
    if not starts_with(text, pos, DATA_WORD):
        return NONE
    pos = skip_spaces(text, pos + np.uint64(len(DATA_WORD) + 1))
    if text[pos] == 37:
        pos = line_end(text, pos)
    if text[pos] == 13:
        pos += ONE
    return pos + ONE if text[pos] == 10 else NONE


@kernel
def find_data_line(text):  # type: ignore[no-untyped-def]
    """Return the start of the ``@data`` line and of the next; else the end of the text and 0."""
    start = NONE
    while start < len(text):
        pos = skip_spaces(text, start)
        stop = after_data_line(text, pos)
        if stop > NONE:
            return start, stop
        start = line_end(text, pos) + ONE
    return start, NONE


@inner_kernel
def copy_name(text, pos, is_inside, names, size):  # type: ignore[no-untyped-def]
    """Copy a name, without its quotes; the position after it is 0 if it is not plain.

    `is_inside` marks the bytes allowed in a name, and in a quoted one.
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


@inner_kernel
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


@inner_kernel
def name_key(names, start, stop):  # type: ignore[no-untyped-def]
    """Return a number for the length, the first and the last byte of a name; 0 if it is empty."""
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


@inner_kernel
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


@inner_kernel
def note_line(others, n_others, start, stop, line, n_before):  # type: ignore[no-untyped-def]
    """Put a line on the list of those left to Python."""
    # Element by element, because assigning a sequence is slow to compile.
    others[n_others, 0] = np.int64(start)
    others[n_others, 1] = np.int64(stop)
    others[n_others, 2] = line
    others[n_others, 3] = n_before


@kernel
def scan_header(text, is_inside, names, keys, declared, others):  # type: ignore[no-untyped-def]
    """Copy names and keys of lines ``@attribute name type`` whose type was declared before.

    Other lines, except blank ones and comments, go on a list: start, stop, line number, number
    of names copied before. `declared` is the line of that list that declares the type. Returns
    the number of bytes and of names copied, the length of the list, and where the line after
    the ``@data`` line starts, or 0.
    """
    known = np.empty((N_KNOWN, 2), dtype=np.uint64)
    known_by = np.empty(N_KNOWN, dtype=np.int64)
    pos, n_bytes = NONE, NONE
    line, n_plain, n_others, n_known = ZERO, ZERO, ZERO, ZERO
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
                    note_line(others, n_others, start, end, line, REFUSED)
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
                known[n_known, 0] = pos
                known[n_known, 1] = trimmed(text, pos, end)
                known_by[n_known] = n_others
                found = n_known
                n_known += 1
            end = line_end(text, pos)
            note_line(others, n_others, start, end, line, n_plain)
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


@inner_kernel
def trimmed(text, start, stop):  # type: ignore[no-untyped-def]
    """Move back over blanks at the end of a line."""
    while stop > start and (
        text[stop - ONE] == 32 or text[stop - ONE] == 9 or text[stop - ONE] == 13
    ):
        stop -= ONE
    return stop
