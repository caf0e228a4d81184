"""Text of the extreme classification repository."""

from __future__ import annotations

import os
from pathlib import Path

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._split import join
from labelspan.datasets.io._stream import LineBlocks
from labelspan.datasets.io.text._pairs import PairRows, read_pairs


def read_xmc(
    path: str | os.PathLike[str],
    test: str | os.PathLike[str] | None = None,
    *,
    name: str | None = None,
    limits: Limits | None = None,
) -> MultilabelDataset:
    r"""Read extreme-classification text, plain or gzip: a header ``n d q``, then rows.

    Parameters
    ----------
    path : str or path
        The file, or its training part. Labels and features count from zero.
    test : str or path, optional
        The test part, stacked below; its header must state the same ``d`` and ``q``.
    name : str, optional
        Name of the data set; by default the name of the file.
    limits : Limits, optional
        Largest file to accept.

    Returns
    -------
    MultilabelDataset
        `X` (float64) and `Y` (int64) as csr_array. A blank line is a row without labels and
        features, as long as the header announces one.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelspan.datasets import read_xmc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.txt")
    ...     _ = path.write_text("2 4 3\n0,2 0:0.5 3:-2\n 1:1\n")
    ...     toy = read_xmc(path)
    >>> toy
    MultilabelDataset('toy': 2 samples, 4 features, 3 labels)
    """
    limits = Limits() if limits is None else limits
    path = Path(path)
    name = name or path.name.removesuffix(".gz").removesuffix(".txt")

    def read_part(part: str | os.PathLike[str]) -> MultilabelDataset:
        with LineBlocks(part, limits) as source:
            n_rows, n_features, n_labels = _header(source)
            rows = read_pairs(source, first=(0, 0), size=(n_labels, n_features), keep_blank=True)
            rows = _counted(rows, n_rows, source)
            return MultilabelDataset(name, rows.X, rows.Y, source=os.fspath(part))

    dataset = read_part(path)
    return dataset if test is None else join(dataset, read_part(test), test)


def _header(source: LineBlocks) -> tuple[int, int, int]:
    line = source.next_block().tobytes().partition(b"\n")[0]
    words = line.split()
    if len(words) != 3 or not all(word.isdigit() and len(word) < 10 for word in words):
        shown = line[:60].decode("utf-8", "replace")
        message = (
            f"expected a header of rows, features and labels such as 12920 500 983: {shown!r}; "
            "LibSVM text has none: use read_libsvm, or a file name that ends with .svm"
        )
        raise source.error(message, 1)
    n_rows, n_features, n_labels = (int(word) for word in words)
    for what, count, limit in (
        ("rows", n_rows, source.limits.max_rows),
        ("features", n_features, source.limits.max_columns),
        ("labels", n_labels, source.limits.max_columns),
    ):
        if count > limit:
            raise source.error(f"the header announces {count} {what}; the limit is {limit}", 1)
    source.unread(len(line) + 1)
    return n_rows, n_features, n_labels


def _counted(rows: PairRows, n_rows: int, source: LineBlocks) -> PairRows:
    """Check the number of rows; blank lines at the end beyond it are not rows."""
    found = rows.X.shape[0]
    extra = slice(n_rows, None)
    if found > n_rows and rows.X[extra].nnz == 0 and rows.Y[extra].nnz == 0:
        return PairRows(rows.X[:n_rows], rows.Y[:n_rows])
    if found != n_rows:
        message = f"the header announces {n_rows} rows but the file has {found}"
        raise source.error(f"{message}; is it truncated?" if found < n_rows else message)
    return rows
