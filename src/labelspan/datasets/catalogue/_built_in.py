"""The built-in data sets."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np

from labelspan.datasets.io import MultilabelDataset

YEAST = (
    "Elisseeff and Weston, NIPS 2001; from the R package mlr 2.19.1 (yeast.task), "
    "BSD-2-Clause, copyright 2013-2018 Bernd Bischl and others"
)
GOEMOTIONS = (
    "Demszky et al., ACL 2020 (GoEmotions, Apache-2.0): vectors by wordllama 0.4.0 (MIT) of 3000 "
    "texts"
)


def load_yeast() -> MultilabelDataset:
    """Load the yeast gene-function data: 2417 genes, 103 features, 14 functional classes.

    Returns
    -------
    MultilabelDataset
        Dense features (float64) and labels (int64), with the standard split into the
        first 1500 and the last 917 rows.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> yeast
    MultilabelDataset('yeast': 2417 samples, 103 features, 14 labels)
    >>> len(yeast.train), len(yeast.test)
    (1500, 917)
    """
    arrays = _stored("yeast")
    return _dataset(
        "yeast",
        arrays["X_micro"] / 1e6,
        arrays["Y"],
        feature_names=tuple(f"Att{i + 1}" for i in range(103)),
        label_names=tuple(f"Class{i + 1}" for i in range(14)),
        n_train=1500,
        source=YEAST,
    )


def load_goemotions() -> MultilabelDataset:
    """Load a sample of GoEmotions: vectors of 3000 texts, 256 dimensions, 27 emotions.

    The vectors are those of a text encoder, of unit length up to the rounding to one byte per
    dimension; each text has at least one emotion.

    Returns
    -------
    MultilabelDataset
        Dense features (float64) and labels (int64), the first 2000 rows for training.

    Examples
    --------
    >>> from labelspan.datasets import load_goemotions
    >>> texts = load_goemotions()
    >>> texts
    MultilabelDataset('goemotions': 3000 samples, 256 features, 27 labels)
    >>> texts.label_names[:4]
    ('admiration', 'amusement', 'anger', 'annoyance')
    """
    arrays = _stored("goemotions")
    X = arrays["X"] * arrays["unit"]
    return _dataset(
        "goemotions",
        X,
        arrays["Y"],
        feature_names=tuple(f"dimension{i + 1}" for i in range(X.shape[1])),
        label_names=tuple(map(str, arrays["labels"])),
        n_train=2000,
        source=GOEMOTIONS,
    )


def _stored(name: str) -> dict[str, Any]:
    place = files("labelspan.datasets").joinpath(f"data/{name}.npz")
    with place.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return dict(arrays)


def _dataset(name: str, X: Any, packed: Any, n_train: int, **names: Any) -> MultilabelDataset:
    Y = np.unpackbits(packed, axis=1, count=len(names["label_names"]))
    train, test = np.arange(n_train), np.arange(n_train, len(X))
    return MultilabelDataset(name=name, X=X, Y=Y, train=train, test=test, **names)


#: Data sets of the package, by name.
BUILT_IN = {"yeast": load_yeast, "goemotions": load_goemotions}
