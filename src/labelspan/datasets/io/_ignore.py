"""Columns of a data set that are chosen by their names after it was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._tables import first_repeat, refuse_others, refuse_unknown


def without_columns(dataset: MultilabelDataset, ignore: Sequence[str]) -> MultilabelDataset:
    """Leave out features and labels by their names."""
    if not ignore:
        return dataset
    names = (*dataset.feature_names, *dataset.label_names)
    refuse_unknown(ignore, names, "ignore", dataset.name)
    left_out = set(ignore)
    features, labels = (
        np.array([i for i, name in enumerate(names) if name not in left_out], dtype=np.intp)
        for names in (dataset.feature_names, dataset.label_names)
    )
    return replace(
        dataset,
        X=dataset.X[:, features],
        Y=dataset.Y[:, labels],
        feature_names=tuple(dataset.feature_names[i] for i in features),
        label_names=tuple(dataset.label_names[i] for i in labels),
    )


def with_features(
    dataset: MultilabelDataset, names: Sequence[str], ignore: Sequence[str] = ()
) -> MultilabelDataset:
    """Return the features in the order of these names; missing and unknown ones are refused.

    Unknown ones that are to be ignored are left out.
    """
    given = dataset.feature_names
    if given == tuple(names):
        return dataset
    if (repeated := first_repeat([*given])) is not None:
        message = f"two columns are called {repeated!r}; rename one"
        raise DataFileError(message, file=dataset.name)
    refuse_others(names, set(given).difference(set(ignore).difference(names)), dataset.name)
    places = {name: i for i, name in enumerate(given)}
    X = dataset.X[:, [places[name] for name in names]]
    return replace(dataset, X=X, feature_names=tuple(names))
