"""Turn files, arrays and frames into blocks for ``fit_blocks``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

from labelspan.datasets.blocks._arrays import array_of, default_height, rows_of
from labelspan.datasets.blocks._tables import Table, table_of


class Blocks(Sequence):
    """A sequence of (X, y) or (X, y, sample_weight) that reads a block when it is indexed.

    Parameters
    ----------
    read : callable
        From the start and stop row numbers to the block.
    edges : sequence of int
        First row of each block, and the number of rows.
    """

    def __init__(self, read: Callable[[int, int], tuple[Any, ...]], edges: Sequence[int]):
        self._read, self.edges = read, tuple(edges)

    def __len__(self) -> int:
        return len(self.edges) - 1

    def __getitem__(self, number: Any) -> Any:
        # No slices: a list of blocks would be read at once.
        i = range(len(self))[number]
        if not isinstance(i, int):
            raise TypeError(f"blocks are read one by one; got {number!r}, expected an int.")
        return self._read(self.edges[i], self.edges[i + 1])

    def features(self, change: Callable[[Any], Any]) -> Blocks:
        """Blocks of the features alone, each as a function changes it."""
        return Blocks(lambda start, stop: (change(self._read(start, stop)[0]),), self.edges)


def blocks_of(
    source: Any, labels: Any = None, *, weights: Any = None, rows: int | None = None
) -> Blocks:
    """Blocks of rows of data that need not fit into memory, for ``fit_blocks``.

    Without `labels` the blocks are (X,), for ``transform_blocks`` and ``predict_blocks``.

    A torch ``DataLoader`` that yields (X, y) needs no conversion; pass it to ``fit_blocks``.

    Parameters
    ----------
    source : array, path, frame or AnnData
        Features. An array is any object with a shape that can be sliced by rows: NumPy, a memory
        map, CSR, an HDF5 data set of h5py, a Zarr array. A path names an npy file, a folder of npy
        files (rows in the order of the file names), a Parquet file or a folder of Parquet files
        (needs pyarrow). A frame is a pandas frame, or a lazy or eager polars frame. AnnData may be
        backed.
    labels : array, path, list of str or None, default=None
        For an array: another array, or its path. For a frame or Parquet: the names of the label
        columns; all others are features. For AnnData: a key of ``obsm``, or columns of ``obs``.
        None for features only.
    weights : array, path, str or None, default=None
        Row weights, given like `labels`, but as one column; by name in a frame, Parquet or ``obs``.
    rows : int or None, default=None
        Rows per block. None makes blocks of about 64 MB, with whole chunks of HDF5 and Zarr. A
        block of Parquet is a row group; `rows` splits larger ones.

    Returns
    -------
    Blocks
        A sequence: it has a length, and a block is read when it is indexed.

    Examples
    --------
    >>> import numpy as np
    >>> from labelspan import MVMD
    >>> from labelspan.datasets import blocks_of
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.standard_normal((100, 5)), rng.integers(0, 2, (100, 3))
    >>> blocks = blocks_of(X, Y, rows=30)
    >>> len(blocks)
    4
    >>> MVMD(2).fit_blocks(blocks).components_.shape
    (2, 5)
    """
    if rows is not None and (not isinstance(rows, Integral) or rows < 1):
        raise ValueError(f"rows={rows!r}; expected an integer of at least 1, or None.")
    in_memory = all(getattr(A, "shape", None) is not None for A in (source, labels))
    if labels is None and weights is not None:
        raise ValueError("weights are given without labels; pass labels, or leave both out.")
    table = None if in_memory else table_of(source)
    if table is not None:
        return _table_blocks(table, labels, weights, rows)
    if type(source).__module__.partition(".")[0] == "anndata":
        kept = labels
        if labels is not None:
            kept = source.obsm[labels] if isinstance(labels, str) else source.obs[list(labels)]
        weights = source.obs[weights].to_numpy() if isinstance(weights, str) else weights
        source, labels = source.X, kept
    given = {"source": source, "labels": labels, "weights": weights}
    arrays = {name: array_of(A, name) for name, A in given.items() if A is not None}
    heights = {name: A.shape[0] for name, A in arrays.items()}
    if len(set(heights.values())) > 1:
        raise ValueError(
            f"source, labels and weights must have the same number of rows; got {heights}."
        )
    edges = _cuts([heights["source"]], rows or default_height(arrays["source"]))
    return Blocks(lambda a, b: tuple(rows_of(A, a, b) for A in arrays.values()), edges)


def _cuts(ends: Sequence[int], height: int) -> list[int]:
    """Edges of blocks of at most `height` rows that do not cross an end."""
    edges = [0]
    for end in ends:
        edges += range(edges[-1] + height, end, height)
        edges += [end] if end > edges[-1] else []
    return edges


def _table_blocks(table: Table, labels: Any, weights: Any, rows: int | None) -> Blocks:
    alone = labels is None
    labels = [] if alone else labels
    if not isinstance(labels, list | tuple) or not all(isinstance(name, str) for name in labels):
        raise TypeError(f"labels={labels!r:.60}; a table needs a list of its label columns.")
    targets = list(labels)
    aside = [*targets, *([] if weights is None else [weights])]
    repeated = [name for name, count in Counter(table.columns).items() if count > 1]
    if repeated:
        raise ValueError(f"The table has the columns {repeated} more than once; rename them.")
    missing = [name for name in aside if name not in table.columns]
    if missing:
        raise ValueError(f"The table has no columns {missing}; it has {table.columns[:20]}.")
    features = [name for name in table.columns if name not in set(aside)]

    def read(start: int, stop: int) -> tuple[Any, ...]:
        frame = table.rows(start, stop)
        if alone:
            return (frame,)
        block = frame[features], frame[targets]
        return block if weights is None else (*block, frame[weights].to_numpy())

    return Blocks(read, _cuts(table.ends, rows or table.height))
