"""Multi-label LibSVM text."""

from __future__ import annotations

import os
from pathlib import Path

from labelspan.datasets._dataset import MultilabelDataset
from labelspan.datasets._limits import Limits
from labelspan.datasets._pairs import PairRows, as_dataset, read_pairs, widen
from labelspan.datasets._split import join
from labelspan.datasets._stream import LineBlocks


def read_libsvm(
    path: str | os.PathLike[str],
    test: str | os.PathLike[str] | None = None,
    *,
    n_features: int | None = None,
    n_labels: int | None = None,
    first_feature: int = 1,
    first_label: int = 0,
    name: str | None = None,
    limits: Limits | None = None,
) -> MultilabelDataset:
    r"""Read multi-label LibSVM text, plain or gzip: ``3,17 1:0.5 8:2`` a row.

    Parameters
    ----------
    path : str or path
        The file, or its training part.
    test : str or path, optional
        The test part, stacked below.
    n_features, n_labels : int, optional
        Width of `X` and `Y`, which the format does not state; by default the largest numbers
        of the files given.
    first_feature, first_label : int, default=1 and 0
        Number of the first column: features count from one and labels from zero in the
        files of the LibSVM collection.
    name : str, optional
        Name of the data set; by default the name of the file.
    limits : Limits, optional
        Largest file to accept.

    Returns
    -------
    MultilabelDataset
        `X` (float64) and `Y` (uint8) as csr_array. Blank lines are skipped.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelspan.datasets import read_libsvm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.txt")
    ...     _ = path.write_text("0,2 1:0.5 3:-2\n 2:1e3\n")
    ...     toy = read_libsvm(path)
    >>> toy.X.toarray().tolist(), toy.Y.toarray().tolist()
    ([[0.5, 0.0, -2.0], [0.0, 1000.0, 0.0]], [[1, 0, 1], [0, 0, 0]])
    """
    limits = Limits() if limits is None else limits
    path = Path(path)

    def read_part(part: str | os.PathLike[str]) -> PairRows:
        with LineBlocks(part, limits) as source:
            return read_pairs(
                source,
                first=(first_label, first_feature),
                size=(n_labels, n_features),
                keep_blank=False,
            )

    name = name or path.name.removesuffix(".gz").removesuffix(".txt")
    train = read_part(path)
    if test is None:
        return as_dataset(train, name, str(path))
    rows = read_part(test)
    width = max(train.X.shape[1], rows.X.shape[1]), max(train.Y.shape[1], rows.Y.shape[1])
    parts = [
        as_dataset(widen(part, *width), name, str(file))
        for part, file in ((train, path), (rows, test))
    ]
    return join(parts[0], parts[1], test)
