"""Input validation of arrays on a device."""

from __future__ import annotations

from typing import Any

from labelspan.arrays import is_followed, place_of
from labelspan.gate._tags import LabelTags, label_tags

# Methods of a fitted estimator that take rows.
CALLS = ("transform", "predict", "decision_function", "predict_proba", "predict_log_proba")


def refuse_device(estimator: Any, X: Any, tags: LabelTags | None = None) -> None:
    """Reject an array on a device that an estimator does not support, before any copy."""
    tags = tags or label_tags(estimator)
    if not tags.takes("device"):
        name, reason = type(estimator).__name__, tags.refused["device"]
        raise TypeError(
            f"X is on a device ({place_of(X)}); {name} {reason}. Move it first: "
            "X.cpu().numpy() for torch, X.get() for CuPy."
        )


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
