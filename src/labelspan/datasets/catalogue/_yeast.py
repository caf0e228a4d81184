"""The built-in data set."""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from labelspan.datasets.io import MultilabelDataset

N_TRAIN = 1500
N_LABELS = 14
SOURCE = (
    "Elisseeff and Weston, NIPS 2001; from the R package mlr 2.19.1 (yeast.task), "
    "BSD-2-Clause, copyright 2013-2018 Bernd Bischl and others"
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
    stored = files("labelspan.datasets").joinpath("data/yeast.npz")
    with stored.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        X = arrays["X_micro"] / 1e6
        Y = np.unpackbits(arrays["Y"], axis=1, count=N_LABELS)
    return MultilabelDataset(
        name="yeast",
        X=X,
        Y=Y,
        feature_names=tuple(f"Att{i + 1}" for i in range(X.shape[1])),
        label_names=tuple(f"Class{i + 1}" for i in range(N_LABELS)),
        train=np.arange(N_TRAIN),
        test=np.arange(N_TRAIN, len(X)),
        source=SOURCE,
    )
