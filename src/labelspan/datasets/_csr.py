"""One CSR array from the parts that a streaming parser leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from labelspan.datasets._stream import LineBlocks

CsrParts = tuple[np.ndarray, np.ndarray, np.ndarray]


def assemble(parts: Sequence[CsrParts], columns: np.ndarray, source: LineBlocks) -> sp.csr_array:
    """Stack ``(indptr, indices, data)`` parts, with sorted columns and no column twice in a row.

    `columns` are the numbers of the columns in the file. Stored zeros are kept: in an ARFF
    file they differ from an absent entry.
    """
    indptr, indices, data = parts[0] if len(parts) == 1 else _stacked(parts)
    if indptr[-1] < np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    table = sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, len(columns)))
    table.sort_indices()
    if not table.has_canonical_format:
        row, column = _first_repeat(table)
        raise source.error(f"row {row + 1} of the data names column {columns[column]} twice", None)
    return table


def _stacked(parts: Sequence[CsrParts]) -> CsrParts:
    starts = np.cumsum([0, *(part[0][-1] for part in parts)])
    ends = [part[0][1:] + start for part, start in zip(parts, starts, strict=False)]
    return (
        np.concatenate([np.zeros(1, dtype=np.int64), *ends]),
        np.concatenate([np.empty(0, dtype=np.int32), *(part[1] for part in parts)]),
        np.concatenate([np.empty(0), *(part[2] for part in parts)]),
    )


def _first_repeat(table: sp.csr_array) -> tuple[int, int]:
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    same = (table.indices[1:] == table.indices[:-1]) & (rows[1:] == rows[:-1])
    entry = int(np.flatnonzero(same)[0])
    return int(rows[entry]), int(table.indices[entry])
