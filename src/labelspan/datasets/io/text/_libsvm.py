"""Multi-label LibSVM text."""

from __future__ import annotations

import os
from pathlib import Path

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._split import join
from labelspan.datasets.io._stream import LineBlocks
from labelspan.datasets.io.text._pairs import PairRows, read_pairs, widen, without_first


def read_libsvm(
    path: str | os.PathLike[str],
    test: str | os.PathLike[str] | None = None,
    *,
    n_features: int | None = None,
    n_labels: int | None = None,
    first_feature: int | None = None,
    first_label: int = 0,
    name: str | None = None,
    limits: Limits | None = None,
) -> MultilabelDataset:
    r"""Read multi-label LibSVM text, plain or gzip: each row is like ``3,17 1:0.5 8:2``.

    Parameters
    ----------
    path : str or path
        The file, or its training part.
    test : str or path, optional
        The test part, stacked below.
    n_features, n_labels : int, optional
        Width of `X` and `Y`, which the format does not state; by default the largest numbers
        of the files given.
    first_feature : int, optional
        Number of the first feature. By default 0 if a file names feature 0, as those that
        scikit-learn writes do, else 1, as in the LibSVM collection.
    first_label : int, default=0
        Number of the first label.
    name : str, optional
        Name of the data set; by default the name of the file.
    limits : Limits, optional
        Largest file to accept.

    Returns
    -------
    MultilabelDataset
        `X` (float64) and `Y` (int64) as csr_array. Blank lines are skipped.

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
    is_open = first_feature is None
    start = 0 if first_feature is None else first_feature
    # Feature 0 may or may not exist; if not, the last feature has the number n_features.
    width = n_features + 1 if is_open and n_features is not None else n_features

    def read_part(part: str | os.PathLike[str]) -> PairRows:
        with LineBlocks(part, limits) as source:
            return read_pairs(
                source, first=(first_label, start), size=(n_labels, width), keep_blank=False
            )

    name = name or _stem(path)
    files = [path] if test is None else [path, Path(test)]
    found = [read_part(file) for file in files]
    if is_open:
        found = _numbered(found, n_features, files)
    if test is None:
        return MultilabelDataset(name, found[0].X, found[0].Y, source=str(path))
    widths = max(part.X.shape[1] for part in found), max(part.Y.shape[1] for part in found)
    wide = [widen(part, *widths) for part in found]
    first, second = (
        MultilabelDataset(name, part.X, part.Y, source=str(file))
        for part, file in zip(wide, files, strict=True)
    )
    return join(first, second, test)


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    suffixes = (".txt", ".svm", ".libsvm", ".svmlight")
    return next((name.removesuffix(end) for end in suffixes if name.endswith(end)), name)


def _numbered(parts: list[PairRows], n_features: int | None, files: list[Path]) -> list[PairRows]:
    """Count features from zero if a file names feature 0, else from one."""
    if not any(part.uses_first for part in parts):
        return [without_first(part) for part in parts]
    if n_features is None:
        return parts
    for part, file in zip(parts, files, strict=True):
        if (part.X.indices == n_features).any():
            raise DataFileError(
                f"feature {n_features} is beyond the last one, as n_features={n_features} and "
                "features count from 0 (feature 0 is there); correct n_features or first_feature",
                file=file,
            )
    return [widen(part, n_features, part.Y.shape[1]) for part in parts]
