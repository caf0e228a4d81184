"""Row weights: their validation, and the rows of positive weight."""

from __future__ import annotations

from dataclasses import replace
from numbers import Number
from typing import Any

import numpy as np
from sklearn.utils import check_array

from labelspan.arrays import cast, dense, detached, is_device, like, namespace, to_host
from labelspan.compat import is_dask_array, n_rows_of
from labelspan.gate._labels import Labels
from labelspan.gate._tags import LabelTags, label_tags


def weighing(
    X: Any, labels: Labels, weights: np.ndarray, *, anew: bool, all_rows: bool = False
) -> tuple[Any, Labels]:
    """Rows of positive weight, or `all_rows`, and their labels with the weights."""
    kept = None if all_rows or weights.all() else weights > 0
    return X if kept is None else X[like(X, kept)], labels.weighted(weights, kept, anew=anew)


def check_weights(
    estimator: Any, X: Any, sample_weight: Any, min_samples: int
) -> np.ndarray | None:
    """Validate the row weights (n,); None if there are none."""
    if sample_weight is None:
        return None
    tags, name = label_tags(estimator), type(estimator).__name__
    if not tags.takes("sample_weight"):
        raise TypeError(
            f"{name}.fit takes no sample_weight: {tags.refused['sample_weight']}. Leave it out."
        )
    n_rows = n_rows_of(X)
    if is_dask_array(sample_weight):
        # A number per row, which is checked before a block of X is read.
        sample_weight = sample_weight.compute()
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n_rows, sample_weight)
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}; expected ({n_rows},), a number per row of X."
        )
    if weights.min() < 0:
        i = int(weights.argmin())
        raise ValueError(
            f"sample_weight[{i}] is {weights[i]:g}; allowed are numbers >= 0, 0 leaves a row out."
        )
    n_positive = np.count_nonzero(weights)
    if n_positive < min_samples:
        raise ValueError(
            f"sample_weight is zero for all but {n_positive} of {n_rows} rows; {name} needs at "
            f"least {min_samples} of positive weight."
        )
    return weights


def labels_on_device(X: Any, y: Any) -> Labels | None:
    """Plain 0/1 labels (n, q) of an array on the device of X; None if they need other checks."""
    if not is_device(y) or y.ndim != 2 or y.shape[1] < 2:
        return None
    y = detached(y)
    if type(y) is not type(X) or y.device != X.device:
        y = like(X, to_host(y))
    xp = namespace(y)
    if y.dtype != xp.bool and not bool(xp.all((y == 0) | (y == 1))):
        return None
    return Labels(cast(y, np.float64))


def refuse_holes_on_device(estimator: Any, tags: LabelTags, chunk: bool) -> None:
    """Raise for missing labels if an estimator does not accept them on a device."""
    if chunk or not tags.takes("device_holes"):
        name, how = type(estimator).__name__, " in chunks" if chunk else ""
        raise ValueError(
            "y has labels that are not observed (NaN), and X is on a device, where "
            f"{name} does not take them{how}. Move X to the host first: X.cpu().numpy() for "
            "torch, X.get() for CuPy."
        )


def beside(X: Any, labels: Labels) -> Labels:
    """Dense labels and their weights on the device of X; labels with NaN stay on the host.

    They are filled in there, and then go to the device by blocks.
    """
    Y = labels.Y
    if not is_device(Y) and not labels.missing:
        # One byte per label is transferred faster.
        Y = cast(like(X, dense(Y if labels.soft else Y.astype(np.uint8))), np.float64)
    weights = None if labels.weights is None else like(X, labels.weights)
    return replace(labels, Y=Y, weights=weights, sparse=False)
