"""The one container that every loader and reader returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class MultilabelDataset:
    """A multi-label data set: features, labels, their names and the standard split.

    Parameters
    ----------
    name : str
        Short name, such as ``"yeast"``.
    X : ndarray or csr_array of shape (n_samples, n_features)
        Features, dense or sparse as they are stored.
    Y : ndarray or csr_array of shape (n_samples, n_labels)
        Label indicators in {0, 1}.
    feature_names : tuple of str
        One name a column of `X`.
    label_names : tuple of str
        One name a column of `Y`.
    train : ndarray of int or None
        Row indices of the standard training part, where there is one.
    test : ndarray of int or None
        Row indices of the standard test part, where there is one.
    source : str
        Where the data come from and under which terms.
    """

    name: str
    X: Any
    Y: Any
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    train: np.ndarray | None
    test: np.ndarray | None
    source: str

    def __repr__(self) -> str:
        n_samples, n_features = self.X.shape
        return (
            f"MultilabelDataset({self.name!r}: {n_samples} samples, {n_features} features, "
            f"{self.Y.shape[1]} labels)"
        )
