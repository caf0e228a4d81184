"""The labels of ``fit``: any form in memory or on a device, unless the estimator refuses it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_consistent_length

from labelspan.arrays import dense
from labelspan.gate._labels import Labels, check_labels
from labelspan.gate._misread import swap_named, warn_of_column
from labelspan.gate._places import labels_elsewhere
from labelspan.gate._soft import refuse_holes, refuse_no_label, refuse_soft, refuse_streamed_holes
from labelspan.gate._tags import label_tags

# Checks of labels that ``fit`` refuses unless the tags of the estimator take them.
REFUSALS = {
    "missing_labels": refuse_holes,
    "streamed_holes": refuse_streamed_holes,
    "soft_labels": refuse_soft,
}


def check_target(
    estimator: Any, X: Any, y: Any, classes: np.ndarray | None = None, chunk: bool = False
) -> Labels:
    """Labels in memory, one for each row of X, checked against the tags of the estimator."""
    name = type(estimator).__name__
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    labels = labels_elsewhere(X, y)
    if labels is None:
        with swap_named(X, y):
            labels = check_labels(y, classes, soft=True, missing=True)
    refuse_no_label(labels, chunk)
    if labels.missing or labels.soft:
        refused = label_tags(estimator).refused
        for what in REFUSALS:
            if what in refused and (chunk or what != "streamed_holes"):
                REFUSALS[what](labels.Y, name, refused[what])
    check_consistent_length(X, labels.Y)
    # A list has no number of dimensions, and other libraries refuse np.ndim.
    columns = is_classifier(estimator) and labels.classes is not None
    if columns and dense(y).ndim == 2:
        warn_of_column()
    return labels
