"""Outputs of the authors' own programs on small real data, with the data they ran on.

The files are not part of the package. They are in the folder ``oracles`` next to the benchmark
data: ``$LABELSPAN_DATA/../oracles``. Each file names its rows and columns and has sums to check
them.
"""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from labelspan.datasets import load_dataset, load_yeast

SETS = ("emotions", "yeast", "scene", "enron")


@dataclass(frozen=True)
class Run:
    """The output of a program, and its sample.

    Attributes
    ----------
    arrays : dict
        The arrays of the file.
    X, Y, X_test, Y_test : ndarray
        Training and test rows; labels in {0, 1}.
    """

    arrays: dict[str, np.ndarray]
    X: np.ndarray
    Y: np.ndarray
    X_test: np.ndarray
    Y_test: np.ndarray

    def __getitem__(self, key: str) -> np.ndarray:
        return self.arrays[key]

    def __contains__(self, key: str) -> bool:
        return key in self.arrays

    @property
    def Xc(self) -> np.ndarray:
        """The centred training rows."""
        return self.X - self.X.mean(axis=0)


def arrays(file: str) -> dict[str, np.ndarray]:
    """Arrays of a file of oracles; skips the test with a message if the file is missing."""
    data = os.environ.get("LABELSPAN_DATA")
    path = Path(data or ".").resolve().parent / "oracles" / f"{file}.npz"
    if not data or not path.is_file():
        pytest.skip(f"{file} needs the outputs of the authors' programs: LABELSPAN_DATA/../oracles")
    with np.load(path, allow_pickle=False) as held:
        return dict(held)


@cache
def whole(name: str) -> tuple[np.ndarray, np.ndarray]:
    """All rows of a set, dense."""
    data: Any = load_yeast() if name == "yeast" else load_dataset(name)
    X, Y = (part.toarray() if sparse.issparse(part) else part for part in (data.X, data.Y))
    return X, Y.astype(np.int64)


@cache
def run(file: str) -> Run:
    """The file and its sample, whose sums must be those that the program saw."""
    held = arrays(file)
    name = next(one for one in (*SETS, "empty") if one in file)
    X, Y = whole("emotions" if name == "empty" else name)
    columns, labels = held.get("columns", slice(None)), held.get("labels", slice(None))
    parts = [(X[held[key]][:, columns], Y[held[key]][:, labels]) for key in ("rows", "test_rows")]
    if name == "empty":
        # Three rows and a label without entries.
        parts[0][1][[0, 7, 20]] = 0
        parts[0][1][:, 3] = 0
    (X, Y), (X_test, Y_test) = parts
    sums = [X.sum(), np.square(X).sum(), Y.sum(), X_test.sum(), Y_test.sum()]
    np.testing.assert_allclose(sums, held["check"], rtol=1e-12, atol=1e-9)
    return Run(held, X, Y, X_test, Y_test)


def assert_equal(ours: Any, theirs: Any, tolerance: float = 1e-8) -> None:
    """Every entry to `tolerance` of the largest."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()


def assert_equal_columns(ours: np.ndarray, theirs: np.ndarray, tolerance: float = 1e-8) -> None:
    """The same after matching the signs of the columns of `ours`, which are free."""
    assert_equal(ours * np.sign(np.einsum("ij,ij->j", ours, theirs)), theirs, tolerance)
