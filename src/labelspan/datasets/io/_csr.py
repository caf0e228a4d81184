"""Build one CSR array from rows that a streaming parser appends."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._row_lines import RowLines
from labelspan.datasets.io._tables import repeated_entry

# Largest allocation before the size is known: 32 MB of data.
MAX_ENTRIES = 2**22


class CsrBuffer:
    """The arrays of a CSR array in growing memory, to which kernels append.

    `ends` (int64) holds a zero and the end of each row, `indices` (int32) and `data` (float64) the
    entries; `n_rows` and `n_entries` say how much is filled. The initial capacity may be generous:
    memory that is never touched costs nothing, memory that grows is copied.
    """

    def __init__(self, n_entries: int = 0) -> None:
        n_entries = min(n_entries, MAX_ENTRIES)
        self.ends = np.zeros(1, dtype=np.int64)
        self.indices = np.empty(n_entries, dtype=np.int32)
        self.data = np.empty(n_entries)
        self.n_rows = self.n_entries = 0

    def reserve(self, n_rows: int, n_entries: int) -> None:
        """Make room for this many more rows and entries."""
        self.ends = grown(self.ends, self.n_rows + 1, n_rows)
        self.indices = grown(self.indices, self.n_entries, n_entries)
        self.data = grown(self.data, self.n_entries, n_entries)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Ends, indices and data, for a kernel."""
        return self.ends, self.indices, self.data

    @property
    def n_columns(self) -> int:
        """The largest column so far, plus one."""
        return int(self.indices[: self.n_entries].max(initial=-1)) + 1

    def fill(self, n_rows: int) -> None:
        """Store the number of rows after a kernel wrote some."""
        self.n_rows = n_rows
        self.n_entries = int(self.ends[self.n_rows])

    def table(self, columns: np.ndarray, lines: RowLines, what: str = "column") -> sp.csr_array:
        """Return the rows with sorted columns, none twice, and stored zeros; call it once.

        `columns` are the column numbers in the file, and `what` names what they count.
        """
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
    """Return an array with free capacity; a new one is at least twice as long."""
    if used + more <= len(array):
        return array
    size = max(used + more, 2 * len(array))
    larger = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    larger[:used] = array[:used]
    return larger


def drop_zeros(table: sp.csr_array) -> None:
    """Remove stored zeros, if there are any."""
    if not table.data.all():
        table.eliminate_zeros()
