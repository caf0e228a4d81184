"""Text rows ``label,label index:value ...``: what the LibSVM and XMC formats share."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._csr import CsrBuffer, drop_zeros
from labelspan.datasets.io._numbers import as_floats
from labelspan.datasets.io._row_lines import RowLines
from labelspan.datasets.io._stream import LineBlocks
from labelspan.datasets.io.text._pairs_kernel import BAD_VALUE, MESSAGES, OK, parse_pairs

# The shortest label is "3," and the shortest feature is "1:0 ".
LABEL_BYTES, FEATURE_BYTES = 2, 4
# A line that is a row: not a comment, and not blank unless such lines are kept.
ROW = re.compile(rb"^[ \t\r]*[^ \t\r\n#]", re.MULTILINE)
ROW_OR_BLANK = re.compile(rb"^[ \t\r]*[^ \t\r#]", re.MULTILINE)


@dataclass(frozen=True)
class PairRows:
    """Features and labels of a file; the first column is used if named, even with value 0."""

    X: sp.csr_array
    Y: sp.csr_array
    uses_first: bool = False


def read_pairs(
    source: LineBlocks,
    *,
    first: tuple[int, int],
    size: tuple[int | None, int | None],
    keep_blank: bool,
) -> PairRows:
    """Rows of a source; `first` and `size` of labels and features; blank lines are rows if kept."""
    limit = source.limits.max_columns
    bounds = (limit if size[0] is None else size[0], limit if size[1] is None else size[1])
    lines = RowLines.behind(source, ROW_OR_BLANK if keep_blank else ROW)
    labels, features = CsrBuffer(), CsrBuffer()
    for text in source:
        n_rows = _parse_block(source, text, first, bounds, keep_blank, labels, features)
        if n_rows > source.limits.max_rows:
            raise source.error(f"more than {source.limits.max_rows} rows (Limits.max_rows)")
    widths = [
        known if known is not None else part.n_columns
        for known, part in zip(size, (labels, features), strict=True)
    ]
    numbers = [np.arange(start, start + n) for start, n in zip(first, widths, strict=True)]
    X = features.table(numbers[1], lines, "feature")
    uses_first = bool((X.indices == 0).any())
    drop_zeros(X)
    Y = labels.table(numbers[0], lines, "label").astype(np.int64)
    return PairRows(X, Y, uses_first)


def widen(rows: PairRows, n_features: int, n_labels: int) -> PairRows:
    X, Y = rows.X.copy(), rows.Y.copy()
    X.resize((X.shape[0], n_features))
    Y.resize((Y.shape[0], n_labels))
    return PairRows(X, Y)


def without_first(rows: PairRows) -> PairRows:
    X = rows.X
    shape = (X.shape[0], max(X.shape[1] - 1, 0))
    shifted = sp.csr_array((X.data, X.indices - 1, X.indptr), shape=shape)
    shifted.has_canonical_format = True
    return PairRows(shifted, rows.Y)


def _parse_block(
    source: LineBlocks,
    text: np.ndarray,
    first: tuple[int, int],
    bounds: tuple[int, int],
    keep_blank: bool,
    labels: CsrBuffer,
    features: CsrBuffer,
) -> int:
    labels.reserve(source.n_lines, len(text) // LABEL_BYTES + 1)
    features.reserve(source.n_lines, len(text) // FEATURE_BYTES + 1)
    hard = np.empty((len(text) // FEATURE_BYTES + 1, 3), dtype=np.int64)
    status, pos, n_rows, n_hard = parse_pairs.for_steps(len(text))(
        text, first, bounds, keep_blank, labels.arrays, features.arrays, labels.n_rows, hard
    )
    block = text.tobytes() if n_hard else b""
    values = as_floats([block[start:stop] for _, start, stop in hard[:n_hard].tolist()])
    if (wrong := np.isnan(values)).any():
        raise source.error_at(MESSAGES[BAD_VALUE], hard[int(wrong.argmax()), 1])
    if status != OK:
        raise source.error_at(MESSAGES[status], pos)
    features.data[hard[:n_hard, 0]] = values
    labels.fill(n_rows)
    features.fill(n_rows)
    return n_rows
