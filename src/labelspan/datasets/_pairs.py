"""Text rows ``label,label index:value ...``: what the LibSVM and XMC formats share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from labelspan.datasets._csr import CsrParts, assemble
from labelspan.datasets._dataset import MultilabelDataset
from labelspan.datasets._errors import DataFileError
from labelspan.datasets._pairs_kernel import BAD_VALUE, MESSAGES, OK, parse_pairs
from labelspan.datasets._stream import LineBlocks

# The shortest label is "3," and the shortest feature is "1:0 ".
LABEL_BYTES, FEATURE_BYTES = 2, 4


@dataclass(frozen=True)
class PairRows:
    """Features and labels of one file, as wide as its largest numbers ask for."""

    X: sp.csr_array
    Y: sp.csr_array


def read_pairs(
    source: LineBlocks,
    *,
    first: tuple[int, int],
    size: tuple[int | None, int | None],
    keep_blank: bool,
) -> PairRows:
    """Read all rows of a source.

    Parameters
    ----------
    source : LineBlocks
        The file, at its first row.
    first : tuple of int
        Number of the first label and of the first feature.
    size : tuple of int or None
        Number of labels and of features where they are known; None takes the largest met.
    keep_blank : bool
        Whether a blank line is a row without labels and features.
    """
    limit = source.limits.max_columns
    bounds = (limit if size[0] is None else size[0], limit if size[1] is None else size[1])
    label_parts: list[CsrParts] = []
    feature_parts: list[CsrParts] = []
    n_rows = 0
    for block in source:
        labels, features = _parse_block(source, block, first, bounds, keep_blank)
        label_parts.append(labels)
        feature_parts.append(features)
        n_rows += len(labels[0]) - 1
        if n_rows > source.limits.max_rows:
            raise source.error(f"more than {source.limits.max_rows} rows (Limits.max_rows)")
    widths = [
        known
        if known is not None
        else max((int(p[1].max(initial=-1)) + 1 for p in parts), default=0)
        for known, parts in zip(size, (label_parts, feature_parts), strict=True)
    ]
    X = assemble(feature_parts, np.arange(widths[1]), source)
    X.eliminate_zeros()
    return PairRows(X, assemble(label_parts, np.arange(widths[0]), source).astype(np.uint8))


def as_dataset(rows: PairRows, name: str, source: str) -> MultilabelDataset:
    """Make a data set with numbered names, since the format has none."""
    return MultilabelDataset(
        name=name,
        X=rows.X,
        Y=rows.Y,
        feature_names=tuple(f"feature{i}" for i in range(rows.X.shape[1])),
        label_names=tuple(f"label{i}" for i in range(rows.Y.shape[1])),
        train=None,
        test=None,
        source=source,
    )


def widen(rows: PairRows, n_features: int, n_labels: int) -> PairRows:
    """Give both arrays the stated number of columns, which is at least their own."""
    X, Y = rows.X.copy(), rows.Y.copy()
    X.resize((X.shape[0], n_features))
    Y.resize((Y.shape[0], n_labels))
    return PairRows(X, Y)


def _parse_block(
    source: LineBlocks,
    block: bytes,
    first: tuple[int, int],
    bounds: tuple[int, int],
    keep_blank: bool,
) -> tuple[CsrParts, CsrParts]:
    text = np.frombuffer(block, dtype=np.uint8)
    n_rows = block.count(b"\n") + 1
    label_ends = np.zeros(n_rows + 1, dtype=np.int64)
    ends = np.zeros(n_rows + 1, dtype=np.int64)
    labels = np.empty(len(text) // LABEL_BYTES + 1, dtype=np.int32)
    indices = np.empty(len(text) // FEATURE_BYTES + 1, dtype=np.int32)
    data = np.empty(len(indices))
    hard = np.empty((len(indices), 3), dtype=np.int64)
    status, pos, n_rows, n_hard = parse_pairs(
        text, first, bounds, keep_blank, (label_ends, labels), (ends, indices, data), hard
    )
    if status != OK:
        raise _error(source, block, int(pos), MESSAGES[status])
    for entry, start, stop in hard[:n_hard]:
        data[entry] = float(block[start:stop])
        if not np.isfinite(data[entry]):
            raise _error(source, block, int(start), MESSAGES[BAD_VALUE])
    label_ends, ends = label_ends[: n_rows + 1].copy(), ends[: n_rows + 1].copy()
    labels = labels[: label_ends[-1]].copy()
    return (label_ends, labels, np.ones(len(labels))), (
        ends,
        indices[: ends[-1]].copy(),
        data[: ends[-1]].copy(),
    )


def _error(source: LineBlocks, block: bytes, pos: int, message: str) -> DataFileError:
    line = source.line + block.count(b"\n", 0, pos)
    column = pos - block.rfind(b"\n", 0, pos)
    return DataFileError(message, file=source.path, line=line, column=column)
