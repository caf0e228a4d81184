"""Data sets as CSV files."""

from __future__ import annotations

import csv
import os

from labelspan.arrays import dense
from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._tables import first_repeat
from labelspan.datasets.io._written_labels import written_labels
from labelspan.system import replace_file

# Rows made dense at a time.
BLOCK = 1024


def write_csv(dataset: MultilabelDataset, path: str | os.PathLike[str]) -> None:
    """Write a data set as a CSV file: a column per feature, then a column of 0 and 1 per label.

    The format has no split; ``read_csv(path, labels=dataset.label_names)`` reads the rest back
    exactly, if no feature is missing. A label that was not observed is an empty cell.

    Parameters
    ----------
    dataset : MultilabelDataset
        The data set; names must be distinct.
    path : str or path
        File to write; an existing file is replaced once the new one is complete.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelspan.datasets import load_yeast, read_csv, write_csv
    >>> yeast = load_yeast()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "yeast.csv")
    ...     write_csv(yeast, path)
    ...     bool((read_csv(path, labels=yeast.label_names).X == yeast.X).all())
    True
    """
    names = [*dataset.feature_names, *dataset.label_names]
    if (repeated := first_repeat(names)) is not None:
        raise ValueError(f"two columns would be called {repeated!r}; rename one of them.")
    X, Y = dataset.X, written_labels(dataset.Y, allow_missing=True)
    with replace_file(path, encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(names)
        for start in range(0, X.shape[0], BLOCK):
            block = slice(start, start + BLOCK)
            features, labels = dense(X[block]), dense(Y[block])
            for x, y in zip(features.tolist(), labels.tolist(), strict=True):
                rows.writerow([*x, *("" if value != value else int(value) for value in y)])
