"""What becomes of the rows before they are compared: columns divided, or rows of unit length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelspan.arrays import cast, less_low, unit_rows, with_columns_divided


@dataclass(frozen=True)
class Scaling:
    """x / scale, or (x - low) / |x - low| with `low`, the smallest values of the columns."""

    scale: np.ndarray
    low: np.ndarray | None = None

    def __call__(self, X: Any) -> Any:
        """The scaled rows, in float64."""
        return over(X, self.scale) if self.low is None else self.rows(X)

    def rows(self, X: Any) -> Any:
        """Rows whose columns are still to be divided: of unit length, or as they are."""
        return X if self.low is None else of_unit_length(X, self.low)


def over(X: Any, scale: np.ndarray) -> Any:
    """The columns divided by their scales, in float64; sparse rows stay sparse."""
    X = cast(X, np.float64)
    return with_columns_divided(X, scale)


def of_unit_length(X: Any, low: np.ndarray) -> Any:
    """(x - low) / |x - low| in float64; a row that is `low` becomes 0.

    Sparse rows stay sparse; a column whose smallest value is not 0 becomes full.
    """
    return unit_rows(less_low(X, low))
