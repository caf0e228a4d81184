"""Compiled loop over rows of the form ``label,label index:value index:value``."""

from __future__ import annotations

import numpy as np

from labelspan.datasets.io._numbers import quick_number
from labelspan.datasets.io.arff import scan_index, skip_blanks, skip_line
from labelspan.jit import ZERO, inner_kernel, kernel

OK, BAD_LABEL, BAD_INDEX, BAD_VALUE, LARGE_LABEL, LARGE_INDEX, SMALL = range(7)
MESSAGES = {
    BAD_LABEL: "expected labels such as 3,17 or a feature such as 5:0.25",
    BAD_INDEX: "expected a feature such as 5:0.25",
    BAD_VALUE: "expected a finite number after the colon",
    LARGE_LABEL: "label number is beyond the last label, or beyond Limits.max_columns",
    LARGE_INDEX: "feature number is beyond the last feature, or beyond Limits.max_columns",
    SMALL: "number is below the first one (first_label and first_feature)",
}


@inner_kernel
def at_end(text, pos):  # type: ignore[no-untyped-def]
    """Whether the row ends here: end of file, of line, or a comment."""
    return pos >= len(text) or text[pos] == 10 or text[pos] == 35


@inner_kernel
def token_end(text, pos):  # type: ignore[no-untyped-def]
    while not at_end(text, pos) and text[pos] != 32 and text[pos] != 9 and text[pos] != 13:
        pos += 1
    return pos


@inner_kernel
def parse_labels(text, pos, first, n_labels, count, labels):  # type: ignore[no-untyped-def]
    """Read ``3,17,`` up to a blank; a number with a colon is the first feature, not a label."""
    start = pos
    while True:
        after, label = scan_index(text, pos)
        if after < len(text) and text[after] == 58 and pos == start:
            return OK, start, count
        if after == pos:
            break
        if label < first:
            return SMALL, pos, count
        if label - first >= n_labels:
            return LARGE_LABEL, pos, count
        labels[count] = label - first
        count += 1
        pos = after
        if pos >= len(text) or text[pos] != 44:
            break
        # Some writers put a blank after the comma.
        pos = skip_blanks(text, pos + 1)
        ahead, _ = scan_index(text, pos)
        if ahead < len(text) and text[ahead] == 58:
            return OK, pos, count
    if not at_end(text, pos) and skip_blanks(text, pos) == pos:
        return BAD_LABEL, pos, count
    return OK, pos, count


@inner_kernel
def parse_features(text, pos, first, n_features, entry, indices, data, hard, n_hard):  # type: ignore[no-untyped-def]
    pos = skip_blanks(text, pos)
    while not at_end(text, pos):
        after, index = scan_index(text, pos)
        if after == pos or after >= len(text) or text[after] != 58:
            return BAD_INDEX, pos, entry, n_hard
        if index < first:
            return SMALL, pos, entry, n_hard
        if index - first >= n_features:
            return LARGE_INDEX, pos, entry, n_hard
        end, value = quick_number(text, np.uint64(after + 1))
        stop = np.int64(end)
        # A blank or a line end follows, or else Python reads the number.
        if value != value or text[end] > 32:
            stop = token_end(text, after + 1)
            hard[n_hard, 0] = entry
            hard[n_hard, 1] = after + 1
            hard[n_hard, 2] = stop
            n_hard += 1
        indices[entry] = index - first
        data[entry] = value
        entry += 1
        pos = skip_blanks(text, stop)
    return OK, pos, entry, n_hard


@kernel
def parse_pairs(text, first, size, keep_blank, label_parts, feature_parts, row, hard):  # type: ignore[no-untyped-def]
    """Fill two CSR arrays from a row on; returns status, position, rows, hard values."""
    label_ends, labels, ones = label_parts
    ends, indices, data = feature_parts
    pos, n_hard = ZERO, ZERO
    count, entry = label_ends[row], ends[row]
    while pos < len(text):
        start = skip_blanks(text, pos)
        if at_end(text, start) and not (keep_blank and text[start] == 10):
            pos = skip_line(text, start) + 1
            continue
        status, pos, count = parse_labels(text, start, first[0], size[0], count, labels)
        if status != OK:
            return status, pos, row, n_hard
        status, pos, entry, n_hard = parse_features(
            text, pos, first[1], size[1], entry, indices, data, hard, n_hard
        )
        if status != OK:
            return status, pos, row, n_hard
        ones[label_ends[row] : count] = 1.0
        row += 1
        label_ends[row] = count
        ends[row] = entry
        pos = skip_line(text, pos) + 1
    return OK, pos, row, n_hard
