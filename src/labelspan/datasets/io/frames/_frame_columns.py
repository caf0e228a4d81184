"""Columns of a frame, pandas' or polars', as numbers, words or lists."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._nominal import Nominal, identifier_message, is_identifier
from labelspan.datasets.io._tables import REAL_KINDS
from labelspan.datasets.io.arff import FALSE_WORDS, TRUE_WORDS, category_values

MISSING_TYPES = ("NoneType", "NAType", "NaTType")
LEAVE_OUT = "leave it out by ignore= (--ignore)"
FILL = f"fill them in (such as frame.fillna(frame.median(numeric_only=True))), or {LEAVE_OUT}"
FILL_LABELS = "a row without labels has an empty list or text, or 0 in each column of a label"


def column_values(frame: Any, column: Any, name: str, file: str, repair: str = FILL) -> np.ndarray:
    """Return a column as an array without missing values: real numbers, or objects."""
    values = frame[column]
    values = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if values.dtype.kind not in REAL_KINDS + "M":
        values = values.astype(object)
    if values.dtype.kind in REAL_KINDS:
        missing = ~np.isfinite(values)
    else:
        missing = np.array([_is_missing(value) for value in values], dtype=bool)
    if missing.any():
        count, row = int(missing.sum()), int(np.flatnonzero(missing)[0]) + 1
        raise DataFileError(
            f"column {name!r} has {count} missing or infinite values, the first in row {row}; "
            f"{repair}",
            file=file,
        )
    return _plain(values)


def _is_missing(value: Any) -> bool:
    if type(value).__name__ in MISSING_TYPES:
        return True
    return isinstance(value, Real) and not np.isfinite(float(value))


def _plain(values: np.ndarray) -> np.ndarray:
    """Convert numbers that a frame stores as objects; return other objects unchanged."""
    is_number = values.dtype == object and all(isinstance(v, Real | Decimal) for v in values)
    return values.astype(np.float64) if is_number and len(values) else values


def feature(
    values: np.ndarray, position: int, name: str, file: str
) -> tuple[np.ndarray, Nominal | None]:
    """Return a feature as numbers; more than two words also give a `Nominal`."""
    if values.dtype.kind in REAL_KINDS:
        return values.astype(np.float64, copy=False), None
    if not all(isinstance(value, str) for value in values):
        wrong = next(value for value in values if not isinstance(value, str))
        message = f"column {name!r} holds {type(wrong).__name__}, neither numbers nor words"
        raise DataFileError(f"{message}; convert it, or {LEAVE_OUT}", file=file)
    words, codes = np.unique(values, return_inverse=True)
    if is_identifier(len(words), len(values)):
        raise DataFileError(identifier_message(name, len(words), len(values)), file=file)
    categories = tuple(str(word) for word in words)
    if len(words) <= 2:
        return np.array(category_values(categories))[codes], None
    numbers = tuple(float(code) for code in range(len(words)))
    return codes.astype(np.float64), Nominal(position, name, categories, numbers)


def indicator(values: np.ndarray, name: str, file: str) -> np.ndarray:
    """Return a column of 0 and 1 (or -1), or of words for no and yes, as uint8."""
    if values.dtype.kind not in REAL_KINDS:
        words = [str(value).lower() for value in values]
        if set(words) <= FALSE_WORDS | TRUE_WORDS:
            return np.isin(words, list(TRUE_WORDS)).astype(np.uint8)
        message = f"label {name!r} holds {type(values[0]).__name__}; give columns of 0 and 1"
        raise DataFileError(f"{message}, or one column of lists or of text", file=file)
    wrong = ~np.isin(values, (0, 1, -1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        message = f"label {name!r} is {values[row]:g} in row {row + 1}; allowed are 0, 1 and -1"
        raise DataFileError(message, file=file)
    return (values > 0).astype(np.uint8)
