"""One CSR array from the parts that a streaming parser leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from labelspan.datasets._stream import LineBlocks

CsrParts = tuple[np.ndarray, np.ndarray, np.ndarray]


def assemble(parts: Sequence[CsrParts], n_columns: int, source: LineBlocks) -> sp.csr_array:
    """Stack ``(indptr, indices, data)`` parts, with sorted columns and no column twice in a row.

    Stored zeros are kept: in an ARFF file they differ from an absent entry.
    """
    starts = np.cumsum([0, *(part[0][-1] for part in parts)])
    indptr = np.concatenate(
        [[0], *(part[0][1:] + start for part, start in zip(parts, starts, strict=False))]
    ).astype(np.int64)
    indices = np.concatenate([np.empty(0, dtype=np.int32), *(part[1] for part in parts)])
    data = np.concatenate([np.empty(0), *(part[2] for part in parts)])
    if starts[-1] < np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    table = sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))
    table.sort_indices()
    if not table.has_canonical_format:
        row, column = _first_repeat(table)
        raise source.error(f"row {row + 1} of the data names column {column} twice", None)
    return table


def _first_repeat(table: sp.csr_array) -> tuple[int, int]:
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    same = (table.indices[1:] == table.indices[:-1]) & (rows[1:] == rows[:-1])
    entry = int(np.flatnonzero(same)[0])
    return int(rows[entry]), int(table.indices[entry])
