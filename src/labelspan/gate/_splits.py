"""Check given splits: the training rows and held-out rows of each fold."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_consistent_length

from labelspan.arrays import has_holes


def check_splits(
    cv: Any,
    X: Any,
    target: Any,
    kept: np.ndarray | None = None,
    *,
    complements: str = "",
    groups: Any = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The folds of a ``cv`` parameter, pairs of row numbers: to train on, to hold out.

    `kept`: which of the given rows these are, if some were removed; given folds and `groups` number
    the given rows. `complements`: advice if a fold must train on exactly the rows that it does not
    hold out, but does not; "" allows that.
    """
    # scikit-learn determines the kind of labels, which must not contain NaN.
    kind = np.nan_to_num(target) if has_holes(target) else target
    if groups is not None and kept is not None:
        check_consistent_length(groups, kept)
        groups = np.asarray(groups)[kept]
    folds = [
        (row_numbers(train), row_numbers(test))
        for train, test in check_cv(cv, kind, classifier=True).split(X, target, groups)
    ]
    if not folds:
        raise ValueError(
            f"cv={cv!r} has no folds. Pass a number of folds >= 2, a splitter, or at least one "
            "pair (training rows, held-out rows)."
        )
    if isinstance(cv, Integral | None) or hasattr(cv, "split"):
        kept = None
    n_rows = target.shape[0] if kept is None else len(kept)
    for i, (train, test) in enumerate(folds):
        rows = np.append(train, test)
        wrong = rows[(rows < 0) | (rows >= n_rows)]
        if len(wrong):
            raise ValueError(f"Fold {i} of cv has row {wrong[0]}; rows go from 0 to {n_rows - 1}.")
        if len(train) == 0 or len(test) == 0:
            raise ValueError(
                f"Fold {i} of cv trains on {len(train)} rows and holds out {len(test)}; both need "
                "at least 1."
            )
        trains = np.zeros(n_rows, dtype=bool)
        trains[train] = True
        both = np.sort(test[trains[test]])
        if len(both):
            raise ValueError(
                f"Fold {i} of cv trains on row {both[0]}, which it holds out. Leave it out of one."
            )
        if complements and not (np.bincount(rows, minlength=n_rows) == 1).all():
            raise ValueError(
                f"Fold {i} of cv trains on {len(train)} rows and holds out {len(test)} of "
                f"{n_rows}; it must train on each of the others once: statistics are pooled. "
                f"{complements}"
            )
    if kept is None:
        return folds
    return [renumbered(fold, kept, i) for i, fold in enumerate(folds)]


def renumbered(
    fold: tuple[np.ndarray, np.ndarray], kept: np.ndarray, i: int
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a fold that were kept, by their new numbers."""
    numbers = np.cumsum(kept) - 1
    train, test = (numbers[rows[kept[rows]]] for rows in fold)
    if len(train) == 0 or len(test) == 0:
        raise ValueError(
            f"Fold {i} of cv trains on {len(train)} rows of positive weight and holds out "
            f"{len(test)}; both need at least 1."
        )
    return train, test


def row_numbers(rows: Any) -> np.ndarray:
    """Row numbers; scikit-learn also accepts a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows
