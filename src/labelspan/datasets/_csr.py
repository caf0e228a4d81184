"""One CSR array from the parts that a streaming parser leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from labelspan._jit import kernel
from labelspan.datasets._stream import LineBlocks

ABSENT = np.iinfo(np.int64).min
CsrParts = tuple[np.ndarray, np.ndarray, np.ndarray]


def assemble(parts: Sequence[CsrParts], n_columns: int, source: LineBlocks) -> sp.csr_array:
    """Stack ``(indptr, indices, data)`` parts, with sorted columns and no column twice in a row.

    Stored zeros are kept: in an ARFF file they differ from an absent entry.
    """
    indptr, indices, data = parts[0] if len(parts) == 1 else _stacked(parts)
    if indptr[-1] < np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    table = sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))
    table.sort_indices()
    if not table.has_canonical_format:
        row, column = _first_repeat(table)
        raise source.error(f"row {row + 1} of the data names column {column} twice", None)
    return table


def _stacked(parts: Sequence[CsrParts]) -> CsrParts:
    starts = np.cumsum([0, *(part[0][-1] for part in parts)])
    ends = [part[0][1:] + start for part, start in zip(parts, starts, strict=False)]
    return (
        np.concatenate([np.zeros(1, dtype=np.int64), *ends]),
        np.concatenate([np.empty(0, dtype=np.int32), *(part[1] for part in parts)]),
        np.concatenate([np.empty(0), *(part[2] for part in parts)]),
    )


def split_csr(
    table: sp.csr_array, first: np.ndarray, second: np.ndarray
) -> tuple[sp.csr_array, sp.csr_array]:
    """Select two disjoint ascending sets of columns in one pass; stored zeros are dropped."""
    place = np.full(table.shape[1], ABSENT, dtype=np.int64)
    place[first] = np.arange(len(first))
    place[second] = -1 - np.arange(len(second))
    n_rows = table.shape[0]
    chosen = [_empty(table, n_rows), _empty(table, n_rows)]
    split_entries(table.indptr, table.indices, table.data, place, chosen[0], chosen[1])
    arrays = []
    for (indptr, indices, data), columns in zip(chosen, (first, second), strict=True):
        stored = (data[: indptr[-1]].copy(), indices[: indptr[-1]].copy(), indptr)
        arrays.append(sp.csr_array(stored, shape=(n_rows, len(columns))))
    return arrays[0], arrays[1]


def _empty(table: sp.csr_array, n_rows: int) -> CsrParts:
    size = len(table.data)
    index = table.indptr.dtype
    return np.zeros(n_rows + 1, dtype=index), np.empty(size, dtype=index), np.empty(size)


@kernel
def split_entries(indptr, indices, data, place, first, second):  # type: ignore[no-untyped-def]
    """Copy each entry to the first array (place >= 0), the second (place < 0) or neither."""
    n_first, n_second = 0, 0
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            column = place[indices[entry]]
            if data[entry] == 0 or column == ABSENT:
                continue
            if column >= 0:
                first[1][n_first] = column
                first[2][n_first] = data[entry]
                n_first += 1
            else:
                second[1][n_second] = -1 - column
                second[2][n_second] = data[entry]
                n_second += 1
        first[0][row + 1] = n_first
        second[0][row + 1] = n_second


def _first_repeat(table: sp.csr_array) -> tuple[int, int]:
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    same = (table.indices[1:] == table.indices[:-1]) & (rows[1:] == rows[:-1])
    entry = int(np.flatnonzero(same)[0])
    return int(rows[entry]), int(table.indices[entry])
