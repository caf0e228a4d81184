"""Fewer rows than features: learn in coordinates of the row space, then lift the weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from labelspan.linalg import narrow

# Largest number of rows for a dense array of all pairs of rows (128 MB).
LARGEST_GRAM = 4000


def row_coordinates(X: Any) -> tuple[Any, Callable[[np.ndarray], np.ndarray]]:
    """The rows in at most n coordinates, and the map of weights (r, k) back to (D, k).

    Weights of our SVMs are combinations of rows, so nothing is lost. X itself if it is not wide.
    """
    if X.shape[0] >= X.shape[1] or X.shape[0] > LARGEST_GRAM:
        return X, np.asarray
    wide = narrow(X, ridge_free=False, centre=False)
    return wide.Z, wide.lift
