"""Shared code of the fuzzers: bytes go in, and a data set or a clear error must come out."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from labelspan.datasets import (
    DataFileError,
    Limits,
    MultilabelDataset,
    read_arff,
    read_libsvm,
    read_mat,
    read_npz,
    read_xmc,
)

LIMITS = Limits(max_bytes=2**22, max_line_bytes=2**20, max_rows=10_000, max_columns=1000)
ARFF_HEAD = b"@relation 't: -C 1'\n@attribute a {0,1}\n@attribute x real\n@attribute c {u,'v w'}\n"
READERS: dict[str, tuple[str, Callable[[Path], MultilabelDataset]]] = {
    "arff": ("f.arff", lambda path: read_arff(path, limits=LIMITS)),
    "arff rows": ("f.arff", lambda path: read_arff(path, limits=LIMITS)),
    "xml": ("f.xml", lambda path: read_arff(path.with_suffix(".arff"), limits=LIMITS)),
    "libsvm": ("f.txt", lambda path: read_libsvm(path, limits=LIMITS)),
    "xmc": ("f.txt", lambda path: read_xmc(path, limits=LIMITS)),
    "npz": ("f.npz", lambda path: read_npz(path, limits=LIMITS)),
    "mat": ("f.mat", lambda path: read_mat(path, limits=LIMITS)),
}


def run(kind: str, content: bytes) -> MultilabelDataset | None:
    """Read content as a file of a kind; an error other than DataFileError is a finding."""
    name, reader = READERS[kind]
    if kind == "arff rows":
        content = ARFF_HEAD + b"@data\n" + content
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, name)
        path.write_bytes(content)
        if kind == "xml":
            text = ARFF_HEAD.replace(b": -C 1", b"") + b"@data\n1,2,u\n"
            path.with_suffix(".arff").write_bytes(text)
        try:
            dataset = reader(path)
        except DataFileError:
            return None
    check(dataset)
    return dataset


def check(dataset: MultilabelDataset) -> None:
    """Check what every data set must satisfy, however odd its file."""
    assert dataset.X.shape == (dataset.Y.shape[0], len(dataset.feature_names))
    assert dataset.Y.shape[1] == len(dataset.label_names)
    assert dataset.Y.dtype == np.int64
    for matrix in (dataset.X, dataset.Y):
        if sp.issparse(matrix):
            matrix.check_format(full_check=True)
    labels = dataset.Y.data if sp.issparse(dataset.Y) else dataset.Y
    assert np.isin(labels, (0, 1)).all()
