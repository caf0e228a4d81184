"""Warn of valid input that is probably not what was meant."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import DataConversionWarning

from labelspan.arrays import namespace, sums, values_of

SEPARATORS = (",", ";", "|")
# From this ratio of ones per row in y to those in X, the two look swapped.
MANY_MORE_ONES = 1.5


def warn_of_joined_names(classes: np.ndarray) -> None:
    """Warn if classes of a 1-d y look like joined names: fewer of them, or lists and parts."""
    if classes.dtype.kind not in "UO" or not all(isinstance(c, str) for c in classes):
        return
    for separator in SEPARATORS:
        lists = [c for c in classes if separator in c]
        if not lists:
            continue
        inside = {name.strip() for c in lists for name in c.split(separator)}
        alone = {str(c).strip() for c in classes if separator not in c}
        names = (inside | alone) - {""}
        both = inside & (alone - {""})
        if len(names) < len(classes) or (len(lists) > 1 and both):
            warnings.warn(
                f"y is 1-d and holds {len(classes)} distinct strings such as {str(lists[0])!r}, "
                f"which join {len(names)} names by {separator!r}; every combination is taken as a "
                "class of its own. For one label per name pass a pandas Series as "
                f"y.str.get_dummies({separator!r}), or MultiLabelBinarizer().fit_transform("
                f"[row.split({separator!r}) for row in y]).",
                stacklevel=5,
            )
            return


def warn_of_column() -> None:
    """Warn of classes in an (n, 1) column, as scikit-learn's own classifiers do."""
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Its values are taken "
        "as classes; pass y.ravel(), or an (n, q) indicator matrix of 0 and 1.",
        DataConversionWarning,
        stacklevel=6,
    )


def warn_of_signs(estimator: Any) -> None:
    """Warn a classifier of labels -1 and +1, once per fit: scikit-learn counts -1 as a label."""
    if not is_classifier(estimator):
        return
    warnings.warn(
        "y is coded -1/+1, and predict returns 0/1. score and labelspan's scorers compare the two, "
        "but scikit-learn's F1 does not know this coding: it counts every -1 as a label and is 1.0 "
        "for every prediction coded alike. For its scorers pass (y > 0).astype(int).",
        stacklevel=4,
    )


def warn_if_swapped(X: Any, Y: Any, soft: bool = False) -> None:
    """Warn if X (n, D) looks like labels, of zeros and few ones, and Y (n, q) like features."""
    n_rows, n_features = X.shape
    if n_features >= Y.shape[1] or not holds_only_ones(X):
        return
    ones, labels = float(sums(X)) / n_rows, float(sums(Y)) / n_rows
    rows = sums(X, axis=1)
    if (not soft and labels < MANY_MORE_ONES * ones) or bool(namespace(rows).all(rows == 1)):
        return
    of_y = "numbers between 0 and 1" if soft else f"{labels:.3g} ones per row"
    warnings.warn(
        f"X and y may be swapped: X holds only 0 and 1, with {n_features} columns and "
        f"{ones:.3g} ones per row, y has {Y.shape[1]} columns and {of_y}. Pass the features "
        "first: fit(X, y). If they are, ignore this warning.",
        stacklevel=4,
    )


@contextmanager
def swap_named(X: Any, y: Any) -> Iterator[None]:
    """Adds the advice to swap if labels are refused, and X holds only zeros and ones."""
    try:
        yield
    except ValueError as error:
        both = isinstance(X, np.ndarray) and getattr(y, "ndim", 0) == 2 == X.ndim
        if both and X.dtype.kind in "biuf" and holds_only_ones(X):
            raise ValueError(
                f"{error} X holds only 0 and 1, so X and y may be swapped. Pass the features "
                "first: fit(X, y)."
            ) from error
        raise


def holds_only_ones(X: Any) -> bool:
    """Whether there is a 1 and no value beside 0 and 1."""
    values = values_of(X)
    xp = namespace(values)
    # A glance at the first values spares real features the whole pass.
    for part in (values[:1, ...], values):
        if not bool(xp.all((part == 0) | (part == 1))):
            return False
    return bool(xp.any(values == 1))
