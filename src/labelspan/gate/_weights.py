"""Row weights: their validation, and the rows of positive weight."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from sklearn.utils import check_array

from labelspan.arrays import in_memory, is_dask_array, like
from labelspan.compat import n_rows_of
from labelspan.gate._labels import Labels
from labelspan.gate._tags import label_tags


def weighing(
    X: Any, labels: Labels, weights: np.ndarray, *, anew: bool, all_rows: bool = False
) -> tuple[Any, Labels]:
    """Rows of positive weight, or `all_rows`, and their labels with the weights."""
    kept = None if all_rows or weights.all() else weights > 0
    return X if kept is None else X[like(X, kept)], labels.weighted(weights, kept, anew=anew)


def weighs_nothing(estimator: Any, X: Any, sample_weight: Any) -> bool:
    """Whether all rows of a chunk have weight 0."""
    if sample_weight is None or is_dask_array(sample_weight):
        return False
    weights = check_weights(estimator, X, sample_weight, 0)
    return weights is not None and not weights.any()


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
    # A number per row, which is checked before a block of X is read.
    sample_weight = in_memory(sample_weight)
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n_rows, sample_weight)
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}; expected ({n_rows},): one number per row of "
            "X."
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
