"""Writers of LibSVM text and Mulan ARFF."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._written_labels import written_labels
from labelspan.datasets.io.arff import MEKA_LABELS
from labelspan.system import replace_file

PLAIN_NAME = re.compile(r"[^\s,{}'\"%\\@?][^\s,{}'\"%\\]*")
# What XML 1.0 cannot hold: control characters, surrogates and two noncharacters.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
NAMESPACE = "http://mulan.sourceforge.net/labels"


def write_libsvm(
    dataset: MultilabelDataset, path: str | os.PathLike[str], *, rows: np.ndarray | None = None
) -> None:
    """Write a data set as multi-label LibSVM text: features from one, labels from zero.

    The format has no names, no split and no width: pass `rows` for one part, and give
    `read_libsvm` the number of features and labels.

    Parameters
    ----------
    dataset : MultilabelDataset
        The data set.
    path : str or path
        File to write; an existing file is replaced once the new one is complete.
    rows : ndarray of int, optional
        Rows to write, such as ``dataset.train``; by default all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelspan.datasets import load_yeast, read_libsvm, write_libsvm
    >>> yeast = load_yeast()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "yeast.txt")
    ...     write_libsvm(yeast, path)
    ...     bool((read_libsvm(path).X == yeast.X).all())
    True
    """
    X, Y = _selected(dataset, rows)
    _check_values(X, "LibSVM text", allow_missing=False)
    with replace_file(path, encoding="ascii") as file:
        for labels, features in zip(_rows(Y), _rows(X), strict=True):
            left = ",".join(str(label) for label, _ in labels)
            # An empty row would be a blank line, which readers skip.
            right = " ".join(f"{i + 1}:{_shortest(v)}" for i, v in features) or "1:0"
            file.write(f"{left} {right}\n")


def write_arff(
    dataset: MultilabelDataset,
    path: str | os.PathLike[str],
    *,
    xml: str | os.PathLike[str] | None = None,
    rows: np.ndarray | None = None,
) -> None:
    """Write a data set as Mulan ARFF, sparse if `X` is, with the XML file of label names.

    Parameters
    ----------
    dataset : MultilabelDataset
        The data set; names must be distinct. An option ``-C`` in its own name is not written,
        because readers would take it for other labels than those of the XML file.
    path : str or path
        ARFF file to write; an existing file is replaced once both new files are complete.
    xml : str or path, optional
        XML file to write; by default ``NAME.xml`` beside ``NAME.arff``.
    rows : ndarray of int, optional
        Rows to write, such as ``dataset.train``; by default all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelspan.datasets import load_yeast, read_arff, write_arff
    >>> yeast = load_yeast()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "yeast.arff")
    ...     write_arff(yeast, path)
    ...     bool((read_arff(path).X == yeast.X).all())
    True
    """
    path = Path(path)
    _check_names((*dataset.feature_names, *dataset.label_names))
    X, Y = _selected(dataset, rows)
    _check_values(X, "ARFF", allow_missing=True)
    labels = path.with_suffix(".xml") if xml is None else xml
    with replace_file(path, encoding="utf-8") as file:
        file.write(f"@relation {_quoted(_relation(dataset.name))}\n\n")
        file.writelines(f"@attribute {_quoted(n)} numeric\n" for n in dataset.feature_names)
        file.writelines(f"@attribute {_quoted(n)} {{0,1}}\n" for n in dataset.label_names)
        file.write("\n@data\n")
        file.writelines(_sparse_lines(X, Y) if sp.issparse(X) else _dense_lines(X, Y))
        # Complete before the second file is replaced, and an error names the right file.
        file.flush()
        with replace_file(labels, encoding="utf-8") as names:
            names.writelines(_xml_lines(dataset.label_names))


def _xml_lines(names: Iterable[str]) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{NAMESPACE}">\n'
    yield from (f"<label name={quoteattr(name)}></label>\n" for name in names)
    yield "</labels>\n"


def _relation(name: str) -> str:
    """Name without MEKA's option; removing one may join two words to another option."""
    while MEKA_LABELS.search(name):
        name = MEKA_LABELS.sub("", name).rstrip()
    return name


def _check_names(names: tuple[str, ...]) -> None:
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns are called {repeated!r}; ARFF names must be distinct")
    for name in names:
        if not name or UNWRITABLE.search(name):
            raise ValueError(f"column name {name!r} is empty or has control characters")


def _selected(dataset: MultilabelDataset, rows: np.ndarray | None) -> tuple[Any, Any]:
    Y = written_labels(dataset.Y)
    return (dataset.X, Y) if rows is None else (dataset.X[rows], Y[rows])


def _check_values(X: Any, what: str, *, allow_missing: bool) -> None:
    stored = X.data if sp.issparse(X) else X
    refused = np.isinf(stored) if allow_missing else ~np.isfinite(stored)
    if refused.any():
        raise ValueError(
            f"{int(refused.sum())} values of X are infinite or missing, which {what} "
            "cannot hold; impute them first"
        )


def _rows(matrix: Any) -> Iterator[list[tuple[int, Any]]]:
    csr = sp.csr_array(matrix)
    csr.sort_indices()
    indices, data, ends = csr.indices, csr.data, csr.indptr
    for start, stop in pairwise(ends):
        columns, values = indices[start:stop].tolist(), data[start:stop].tolist()
        yield [(i, v) for i, v in zip(columns, values, strict=True) if v]


def _sparse_lines(X: Any, Y: Any) -> Iterator[str]:
    n_features = X.shape[1]
    for features, labels in zip(_rows(X), _rows(Y), strict=True):
        entries = [f"{i} {_shortest(v)}" for i, v in features]
        entries += [f"{i + n_features} 1" for i, _ in labels]
        yield f"{{{','.join(entries)}}}\n"


def _dense_lines(X: np.ndarray, Y: Any) -> Iterator[str]:
    Y = Y.toarray() if sp.issparse(Y) else Y
    for features, labels in zip(np.asarray(X), np.asarray(Y), strict=True):
        values = [_shortest(value) for value in features.tolist()]
        yield ",".join(values + [str(label) for label in labels.tolist()]) + "\n"


def _shortest(value: float) -> str:
    """Shortest text that reads back as the same number; integers without a point."""
    if value != value:
        return "?"
    text = repr(float(value))
    return text.removesuffix(".0")


def _quoted(name: str) -> str:
    if PLAIN_NAME.fullmatch(name):
        return name
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    for letter, character in (("n", "\n"), ("r", "\r"), ("t", "\t")):
        escaped = escaped.replace(character, f"\\{letter}")
    return f"'{escaped}'"
