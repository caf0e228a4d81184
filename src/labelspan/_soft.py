"""Soft labels: numbers between 0 and 1, shares of annotators or probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

# Below this share of entries that are not 0 the product X'Y is cheaper with Y sparse.
SPARSE_LABEL_DENSITY = 0.1


def is_soft(values: np.ndarray) -> bool:
    """Whether numbers lie between 0 and 1, and some of them on neither."""
    if values.dtype.kind != "f":
        return False
    inside = (values > 0) & (values < 1)
    return bool(inside.any() and (inside | (values == 0) | (values == 1)).all())


def soft_labels(Y: Any) -> Any:
    """Soft labels in float64, a copy; as CSR where that is cheaper."""
    if not sparse.issparse(Y):
        few = np.count_nonzero(Y) < SPARSE_LABEL_DENSITY * Y.size
        return sparse.csr_array(Y, dtype=np.float64) if few else np.array(Y, dtype=np.float64)
    rows = Y.astype(np.float64)
    rows.eliminate_zeros()
    return rows


def refuse_soft(Y: Any, name: str, reason: str) -> Any:
    """The labels, or a refusal of the first that is neither 0 nor 1."""
    values = Y.data if sparse.issparse(Y) else Y
    if is_soft(values):
        first = values[(values > 0) & (values < 1)][0]
        raise ValueError(
            f"y holds soft labels, such as {first:g}; {name} takes only 0 and 1: {reason}. "
            "Round them first: y > 0.5."
        )
    return Y
