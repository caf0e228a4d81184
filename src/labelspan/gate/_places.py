"""Input validation of arrays on a device."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from labelspan.arrays import (
    cast,
    dense,
    detached,
    is_dask_array,
    is_device,
    is_followed,
    is_streamed,
    like,
    namespace,
    place_of,
    precision_of,
    to_host,
)
from labelspan.gate._labels import Labels
from labelspan.gate._tags import label_tags

# Methods of a fitted estimator that take rows.
CALLS = ("transform", "predict", "decision_function", "predict_proba", "predict_log_proba")


def refuse_device(estimator: Any, X: Any) -> bool:
    """Whether X stays on a device; raises before any copy if the estimator does not support it."""
    stays = is_followed(X)
    if stays and "device" in (refused := label_tags(estimator).refused):
        raise TypeError(
            f"X is on a device ({place_of(X)}); {type(estimator).__name__} {refused['device']}. "
            "Move it first: X.cpu().numpy() for torch, X.get() for CuPy."
        )
    return stays


def place_rows(X: Any) -> tuple[Any, Any]:
    """X, without torch's gradient record if it stays on a device, and the library to check it."""
    if not is_followed(X):
        return X, np
    X, xp = detached(X), namespace(X)
    if xp.isdtype(X.dtype, "complex floating"):
        raise ValueError(
            f"Complex data not supported: X is {X.dtype}. Pass X.real, and X.imag as further "
            "columns."
        )
    return X, xp


def summed_elsewhere(X: Any) -> bool:
    """Whether a device sums the rows of X, which finds NaN and infinity."""
    return is_streamed(X) or (is_followed(X) and precision_of(X) == np.float32)


def refuse_elsewhere(estimator: Any, X: Any) -> None:
    """Reject rows that are not on the device of those of ``fit``."""
    place = vars(estimator).get("_place")
    if place is None and not is_followed(X):
        return
    place, given = place_of(place), place_of(X)
    name = type(estimator).__name__
    if given != place:
        calls = ", ".join(f"{name}.{call}()" for call in CALLS if hasattr(type(estimator), call))
        raise ValueError(
            f"Inputs of {calls} must use the same namespace and device as those of fit(): X lives "
            f"on {given}, but {name} was fitted on {place}. Move X there, or the model to the "
            "host: labelspan.to_numpy(estimator)."
        )
    if place != "the host" and not is_followed(X):
        raise ValueError(
            f"{name} was fitted on {place}. Call it as it was fitted, within "
            "sklearn.config_context(array_api_dispatch=True)."
        )


def refuse_undivided(classifier: Any, X: Any) -> None:
    """Refuse rows that cannot be divided into folds."""
    if is_dask_array(X) or is_device(X):
        where = "a Dask array" if is_dask_array(X) else "on a device"
        raise TypeError(
            f"X is {where}, but threshold='auto' fits {type(classifier).__name__} to folds of rows "
            "in memory. Pass 'paper' or a number, or move X to memory first."
        )


def labels_elsewhere(X: Any, y: Any) -> Labels | None:
    """Plain 0/1 labels (n, q) of an array on the device of X; None if they need other checks."""
    if not (is_device(X) and is_device(y)) or y.ndim != 2 or y.shape[1] < 2:
        return None
    y = detached(y)
    if type(y) is not type(X) or y.device != X.device:
        y = like(X, to_host(y))
    xp = namespace(y)
    if y.dtype != xp.bool and not bool(xp.all((y == 0) | (y == 1))):
        return None
    return Labels(cast(y, np.float64))


def labels_on_device(estimator: Any, X: Any, labels: Labels, chunk: bool) -> Labels:
    """Dense labels and weights on the device of X; labels with NaN stay on the host."""
    if labels.missing and (chunk or not label_tags(estimator).takes("device_holes")):
        name, how = type(estimator).__name__, " in chunks" if chunk else ""
        raise ValueError(
            "y has labels that are not observed (NaN), and X is on a device, where "
            f"{name} does not take them{how}. Move X to the host first: X.cpu().numpy() for "
            "torch, X.get() for CuPy."
        )
    Y = labels.Y
    if not is_device(Y) and not labels.missing:
        # One byte per label is transferred faster.
        Y = cast(like(X, dense(Y if labels.soft else Y.astype(np.uint8))), np.float64)
    weights = None if labels.weights is None else like(X, labels.weights)
    return replace(labels, Y=Y, weights=weights, sparse=False)
