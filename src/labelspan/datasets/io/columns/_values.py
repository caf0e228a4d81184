"""Columns of a frame, pandas' or polars', as arrays of numbers or objects."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._tables import REAL_KINDS, first_repeat

MISSING_TYPES = ("NoneType", "NAType", "NaTType")
LEAVE_OUT = "leave it out by ignore= (--ignore)"
FILL = f"fill them in (such as frame.fillna(frame.median(numeric_only=True))), or {LEAVE_OUT}"


def columns_of(frame: Any, file: str) -> dict[str, Any]:
    """Return the columns of a frame by their names as text."""
    if not (hasattr(frame, "columns") and hasattr(frame, "shape")):
        raise TypeError(
            f"frame is of type {type(frame).__name__}; give a frame of pandas or polars, or use "
            "MultilabelDataset(X=X, Y=Y) for arrays"
        )
    names = [str(column) for column in frame.columns]
    if (repeated := first_repeat(names)) is not None:
        raise DataFileError(f"two columns are called {repeated!r}; rename one", file=file)
    if not frame.shape[0]:
        raise DataFileError("there are no rows", file=file)
    return dict(zip(names, frame.columns, strict=True))


def column_values(frame: Any, column: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return a column as real numbers or objects, and where it is missing."""
    values = frame[column]
    values = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if values.dtype.kind not in REAL_KINDS + "M":
        values = values.astype(object)
    if values.dtype.kind in REAL_KINDS:
        return values, np.isnan(values)
    missing = np.array([_is_missing(value) for value in values], dtype=bool)
    return _plain(values, missing), missing


def complete_values(
    frame: Any, column: Any, name: str, file: str, repair: str = FILL
) -> np.ndarray:
    """Return a column as real numbers or objects; missing and infinite values are refused."""
    values, wrong = column_values(frame, column)
    if values.dtype.kind in REAL_KINDS:
        wrong = ~np.isfinite(values)
    if wrong.any():
        count, row = int(wrong.sum()), int(np.flatnonzero(wrong)[0]) + 1
        raise DataFileError(
            f"column {name!r} has {count} missing or infinite values, the first in row {row}; "
            f"{repair}",
            file=file,
        )
    return values


def is_categorical(frame: Any, column: Any) -> bool:
    return str(frame[column].dtype).lower().startswith(("category", "categorical", "enum"))


def _is_missing(value: Any) -> bool:
    if type(value).__name__ in MISSING_TYPES:
        return True
    return isinstance(value, float | np.floating | Decimal) and bool(value != value)


def _plain(values: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Convert numbers that a frame stores as objects; return other objects unchanged."""
    known = values[~missing]
    if values.dtype != object or not len(known):
        return values
    if not all(isinstance(value, Real | Decimal | np.bool_) for value in known):
        return values
    numbers = np.full(len(values), np.nan)
    numbers[~missing] = [_number(value) for value in known]
    return numbers


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        # A whole number of more than 308 digits.
        return np.inf
