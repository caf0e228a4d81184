"""How many neighbours have each label, counted without an (n, q) table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

# Number of neighbour labels counted at once; the counts take about 40 bytes each.
BLOCK_LABELS = 2**20


def counted(Y: Any) -> sparse.csr_array:
    """Labels as the other functions take them."""
    return sparse.csr_array(Y)


def neighbour_histogram(neighbours: np.ndarray, Y: Any) -> np.ndarray:
    """Rows without and with each label, by number of neighbours with it: (2, q, k + 1)."""
    (n, k), n_labels = neighbours.shape, Y.shape[1]
    table = np.zeros(n_labels * 2 * (k + 1), dtype=np.int64)
    for rows, counts in _neighbour_labels(neighbours, Y):
        # A count is at most k, so adding k + 1 marks rows that have the label themselves.
        both = counts + (k + 1) * _ones(Y[rows])
        places = both.indices * np.int64(2 * (k + 1)) + both.data
        table += np.bincount(places, minlength=len(table))
    table = table.reshape(n_labels, 2, k + 1).transpose(1, 0, 2).astype(np.float64)
    # The remaining rows have neither the label nor a neighbour with it.
    table[0, :, 0] = n - table.sum(axis=(0, 2))
    return table


def look_up(neighbours: np.ndarray, Y: Any, table: np.ndarray) -> np.ndarray:
    """Return table[l, number of neighbours with label l] for each row and label, (n, q).

    `neighbours` (n, k) are training rows; their labels Y have no stored zeros; `table` is (q, k +
    1).
    """
    # A model that came from a device has dense labels.
    Y = counted(Y)
    out = np.tile(table[:, 0], (len(neighbours), 1))
    for rows, counts in _neighbour_labels(neighbours, Y):
        places = np.repeat(np.arange(rows.start, rows.stop), np.diff(counts.indptr))
        out[places, counts.indices] = table[counts.indices, counts.data]
    return out


def _neighbour_labels(neighbours: np.ndarray, Y: Any) -> Iterator[tuple[slice, Any]]:
    """Numbers of neighbours with each label that some have, as CSR blocks of rows."""
    n, k = neighbours.shape
    ones = _ones(Y)
    n_rows = max(1, int(BLOCK_LABELS * Y.shape[0] / max(1, k * Y.nnz)))
    for start in range(0, n, n_rows):
        rows = slice(start, min(start + n_rows, n))
        columns = neighbours[rows].ravel()
        ends = np.arange(0, len(columns) + 1, k)
        shape = (rows.stop - start, Y.shape[0])
        is_near = sparse.csr_array((np.ones(len(columns), np.int32), columns, ends), shape=shape)
        yield rows, is_near @ ones


def _ones(Y: Any) -> Any:
    """The same indicators as integers."""
    return sparse.csr_array((np.ones(Y.nnz, np.int32), Y.indices, Y.indptr), shape=Y.shape)
