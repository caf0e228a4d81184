"""The container that every loader and reader returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._tables import numbered


@dataclass(frozen=True, eq=False)
class MultilabelDataset:
    """A multi-label data set: features, labels, their names and the standard split.

    Parameters
    ----------
    name : str, default="data"
        Short name, such as ``"yeast"``.
    X : ndarray or csr_array of shape (n_samples, n_features)
        Features, dense or sparse as stored.
    Y : ndarray or csr_array of shape (n_samples, n_labels)
        Label indicators in {0, 1}. Smaller integers and booleans become int64, because
        scikit-learn 1.9 numbers the columns in the dtype of the labels, which 256 labels exceed in
        uint8; a memory map keeps its dtype.
    feature_names : tuple of str, optional
        One name per column of `X`; by default the columns of a frame, else ``feature0`` and so
        on.
    label_names : tuple of str, optional
        One name per column of `Y`; by default the columns of a frame, else ``label0`` and so on.
    train : ndarray of int or None, default=None
        Row indices of the standard training part, if there is one.
    test : ndarray of int or None, default=None
        Row indices of the standard test part, if there is one.
    source : str, default=""
        Where the data come from and under which terms.
    encoder : ColumnEncoder or None, default=None
        How the columns of a frame or a CSV file became `X`, or of an ARFF file with columns of two
        words; None for other sources, and once `feature_names` are not those of the encoder.

    Examples
    --------
    >>> from labelspan.datasets import MultilabelDataset
    >>> MultilabelDataset(X=[[0.5, 1], [2, 0], [1, 1]], Y=[[1, 0], [0, 1], [1, 1]])
    MultilabelDataset('data': 3 samples, 2 features, 2 labels)
    """

    name: str = "data"
    X: Any = None
    Y: Any = None
    feature_names: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    train: np.ndarray | None = None
    test: np.ndarray | None = None
    source: str = ""
    encoder: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(
                f"name is of type {type(self.name).__name__}; give a string, and the arrays by "
                "name: MultilabelDataset(X=X, Y=Y)"
            )
        for key, names_key, prefix in (
            ("X", "feature_names", "feature"),
            ("Y", "label_names", "label"),
        ):
            given = getattr(self, key)
            table = _table(given, key)
            if key == "Y" and table.dtype.kind in "biu" and not _is_mapped(table):
                table = table.astype(np.int64, copy=False)
            names = tuple(getattr(self, names_key) or ())
            if not names:
                columns = getattr(given, "columns", None)
                names = numbered(prefix, table.shape[1]) if columns is None else columns
                names = tuple(str(name) for name in names)
            if len(names) != table.shape[1]:
                raise ValueError(
                    f"{names_key} has {len(names)} names; {key} has {table.shape[1]} columns"
                )
            object.__setattr__(self, key, table)
            object.__setattr__(self, names_key, names)
        if self.encoder is not None and self.encoder.feature_names != self.feature_names:
            # Reduced features, for example, are not what the encoder makes.
            object.__setattr__(self, "encoder", None)
        n_rows = self.X.shape[0]
        if self.Y.shape[0] != n_rows:
            raise ValueError(f"X has {n_rows} rows and Y has {self.Y.shape[0]}; they must agree")
        for key in ("train", "test"):
            object.__setattr__(self, key, _rows(getattr(self, key), key, n_rows))

    def __repr__(self) -> str:
        n_samples, n_features = self.X.shape
        return (
            f"MultilabelDataset({self.name!r}: {n_samples} samples, {n_features} features, "
            f"{self.Y.shape[1]} labels)"
        )


def _table(given: Any, key: str) -> Any:
    if given is None:
        raise TypeError(f"{key} is missing; give MultilabelDataset(X=X, Y=Y)")
    table = given if sp.issparse(given) else np.asarray(given)
    if table.ndim != 2:
        what = "features" if key == "X" else "labels"
        raise ValueError(f"{key} has {table.ndim} dimensions; expected 2, samples by {what}")
    return table


def _is_mapped(table: Any) -> bool:
    while isinstance(table, np.ndarray) and not isinstance(table, np.memmap):
        table = table.base
    return isinstance(table, np.memmap)


def _rows(rows: Any, key: str, n_rows: int) -> np.ndarray | None:
    if rows is None:
        return None
    rows = np.asarray(rows)
    numbers = rows.ndim == 1 and rows.dtype.kind in "iu"
    if not numbers or (len(rows) and not 0 <= rows.min() <= rows.max() < n_rows):
        raise ValueError(f"{key} must be row numbers from 0 to {n_rows - 1}, one dimension")
    return rows
