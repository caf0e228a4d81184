"""Columns that are left out of a data set after it was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._tables import refuse_unknown


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
