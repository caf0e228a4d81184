"""Preprocessing that is fitted on the training part, and the rule of the scaler "auto"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from labelspan.lab.methods import SCALERS, get_method
from labelspan.lab.plan._estimators import made_step
from labelspan.lab.plan._fields import check_text, list_of
from labelspan.lab.plan._step import Step, is_bare_path, steps_of

#: Preprocessing chosen by `choose_scaler`.
AUTO = (Step("auto"),)
#: Values of ``--scale``.
SCALES = (*(method.name for method in SCALERS), "none")
# Columns whose spreads differ by more than this factor are on different scales.
LARGEST_RATIO = 100


def preprocessing_of(item: Any) -> tuple[Step, ...]:
    """The steps of a name, a table or a list of these; "none" is no step."""
    is_one = isinstance(item, str | Mapping | Step)
    items = [item] if is_one else list_of(item, "preprocessing")
    return tuple(_step_of(part) for part in items if part != "none")


def _step_of(item: Any) -> Step:
    if isinstance(item, Step):
        return item
    if isinstance(item, Mapping) and item.get("grid"):
        raise ValueError(
            f"preprocessing has a grid, {item['grid']!r}; give one value per parameter in its "
            "parameters, and one plan per preprocessing."
        )
    return steps_of(item, "preprocessing")[0]


def scaling_of(items: Any) -> tuple[tuple[str, str, str], ...]:
    found = tuple(tuple(list_of(item, "scaling")) for item in list_of(items, "scaling"))
    for item in found:
        if len(item) != 3:
            raise ValueError(f"scaling holds {item!r}; give a data set, a scaler and a reason.")
        for part in item:
            check_text(part, "scaling")
    return found


def check_preprocessing(steps: Sequence[Step], scaling: Sequence[tuple[str, ...]]) -> None:
    for step in steps:
        if not is_bare_path(step.method) and get_method(step.method).kind != "scaler":
            raise ValueError(
                f"{step.method} is not a scaler; give {', '.join(SCALES)}, or the path of a "
                "transformer, as sklearn.preprocessing:QuantileTransformer."
            )
    if AUTO[0] in steps and len(steps) > 1:
        raise ValueError(
            "preprocessing holds auto and other steps; give auto alone, or name all steps."
        )
    if scaling and tuple(steps) != AUTO:
        raise ValueError(
            f"scaling is {scaling!r}, but preprocessing is not auto; leave scaling out, the run "
            "fills it in."
        )
    wrong = [scaler for _, scaler, _ in scaling if scaler not in SCALES]
    if wrong:
        raise ValueError(f"scaling holds {wrong[0]!r}; give one of {', '.join(SCALES)}.")


def choose_scaler(X: Any) -> tuple[str, str]:
    """Name of a scaler or "none", and why, from all rows: the same for every split."""
    if not sparse.issparse(X):
        return _by_ratio("standard", "standard deviations", _deviations(np.asarray(X, float)))
    if first_non_count(X) is None:
        return "tfidf", "sparse features that are integers >= 0 are counts"
    largest = np.maximum(_column(X.max(axis=0)), -_column(X.min(axis=0)))
    return _by_ratio("maxabs", "largest absolute values", largest)


def _deviations(X: np.ndarray) -> np.ndarray:
    """Standard deviations of the columns; exactly 0 for a constant column."""
    largest = np.abs(X).max(axis=0)
    # Scaled to size 1, so that squares neither overflow nor vanish.
    with np.errstate(invalid="ignore"):
        # The methods refuse infinite values.
        return largest * np.std(X / np.where(largest > 0, largest, 1.0), axis=0)


def _by_ratio(scaler: str, what: str, spreads: np.ndarray) -> tuple[str, str]:
    """Scale columns whose spreads are far apart; constant ones do not count."""
    positive = spreads[(spreads > 0) & np.isfinite(spreads)]
    if not len(positive):
        return "none", "all features are constant"
    low, high = float(positive.min()), float(positive.max())
    # A quotient could overflow.
    far = high > LARGEST_RATIO * low
    text = f"{what} of the features from {low:.3g} to {high:.3g}, a ratio of "
    text += f"more than {LARGEST_RATIO}" if far else f"at most {LARGEST_RATIO}"
    return (scaler if far else "none"), text


def _column(values: Any) -> np.ndarray:
    return np.asarray(values.toarray(), float).ravel()


def first_non_count(X: Any) -> float | None:
    values = np.asarray(X.data if sparse.issparse(X) else X, dtype=float).ravel()
    wrong = np.flatnonzero(~((values >= 0) & (values == np.floor(values))))
    return float(values[wrong[0]]) if len(wrong) else None


def refuse_non_counts(steps: Iterable[Step], X: Any, name: str) -> None:
    if "tfidf" not in [step.method for step in steps]:
        return
    value = first_non_count(X)
    if value is not None:
        raise ValueError(
            f"tfidf needs counts, integers >= 0, but {name} has the value "
            f"{value:g}; use standard, maxabs or none."
        )


def made_preprocessing(
    steps: Sequence[Step], X: Any, name: str = "X", seed: int = 0
) -> Pipeline | None:
    """Steps for the features X of a data set, unfitted; all rows decide about "auto"."""
    if tuple(steps) == AUTO:
        steps = preprocessing_of(choose_scaler(X)[0])
    refuse_non_counts(steps, X, name)
    made = [(f"step{place}", _made(step, X, seed)) for place, step in enumerate(steps, 1)]
    return Pipeline(made) if made else None


def _made(step: Step, X: Any, seed: int) -> Any:
    estimator = made_step(step, seed)
    # Centring would make sparse features dense.
    if step.method == "standard" and sparse.issparse(X):
        estimator.set_params(with_mean=False)
    return estimator
