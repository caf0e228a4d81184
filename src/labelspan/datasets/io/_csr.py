"""Build one CSR array from rows that a streaming parser appends."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._row_lines import RowLines
from labelspan.datasets.io._tables import repeated_entry

# Largest allocation before the size is known: 32 MB of data.
MAX_ENTRIES = 2**22


class CsrBuffer:
    """A CSR array in growing memory; room never touched costs nothing, growing memory is copied."""

    def __init__(self, n_entries: int = 0) -> None:
        n_entries = min(n_entries, MAX_ENTRIES)
        self.ends = np.zeros(1, dtype=np.int64)
        self.indices = np.empty(n_entries, dtype=np.int32)
        self.data = np.empty(n_entries)
        self.n_rows = self.n_entries = 0

    def reserve(self, n_rows: int, n_entries: int) -> None:
        self.ends = grown(self.ends, self.n_rows + 1, n_rows)
        self.indices = grown(self.indices, self.n_entries, n_entries)
        self.data = grown(self.data, self.n_entries, n_entries)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.ends, self.indices, self.data

    @property
    def n_columns(self) -> int:
        return int(self.indices[: self.n_entries].max(initial=-1)) + 1

    def fill(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self.n_entries = int(self.ends[self.n_rows])

    def table(self, columns: np.ndarray, lines: RowLines, what: str = "column") -> sp.csr_array:
        """The rows, columns sorted and none twice (`what` names them), no zeros; call it once."""
        # Shrink in place; the unused memory was never touched, and nothing is copied.
        self.ends.resize(self.n_rows + 1, refcheck=False)
        self.indices.resize(self.n_entries, refcheck=False)
        self.data.resize(self.n_entries, refcheck=False)
        small = self.n_entries < np.iinfo(np.int32).max
        ends = self.ends.astype(np.int32) if small else self.ends
        table = sp.csr_array((self.data, self.indices, ends), shape=(self.n_rows, len(columns)))
        if not table.has_canonical_format:
            table.sort_indices()
            if (place := repeated_entry(table)) is not None:
                row, column = place
                raise lines.error(f"the row names {what} {columns[column]} twice", row)
            table.has_canonical_format = True
        return table


def grown(array: np.ndarray, used: int, more: int) -> np.ndarray:
    if used + more <= len(array):
        return array
    size = max(used + more, 2 * len(array))
    larger = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    larger[:used] = array[:used]
    return larger


def drop_zeros(table: sp.csr_array) -> None:
    if not table.data.all():
        table.eliminate_zeros()
