"""The gate of the measures: truth and output of any array type, walked in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from labelspan._blocks import dense
from labelspan._labels import check_indicators, two_dimensional

# Cells of a dense block: 2**20 doubles are 8 MB, which stays near the cache and bounds memory.
BLOCK_CELLS = 2**20


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raise if `value` is not one of the `allowed` strings."""
    if value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name}={value!r} is not known; use one of {choices}.")


def check_scores(S: Any, name: str = "Y_score") -> Any:
    """Return scores as a finite float64 ndarray or CSR array; absent sparse entries are 0."""
    if sparse.issparse(S):
        S = sparse.csr_array(S).astype(np.float64)
        S.sum_duplicates()
        values = S.data
    else:
        S = values = two_dimensional(np.asarray(S, dtype=np.float64), name)
    if not np.isfinite(values).all():
        raise ValueError(f"{name} has NaN or infinite entries; a score must be a finite number.")
    return S


def check_same_shape(first: Any, second: Any, names: tuple[str, str]) -> None:
    """Raise if truth and output differ in shape or have no entry."""
    if first.shape != second.shape:
        raise ValueError(
            f"{names[0]} has shape {first.shape} but {names[1]} has shape {second.shape}; "
            "both must be (n_samples, n_labels)."
        )
    if 0 in first.shape:
        raise ValueError(f"{names[0]} has shape {first.shape}; at least one row and one label.")


def check_labels_and_scores(Y_true: Any, Y_score: Any) -> tuple[Any, Any]:
    """Return the pair as boolean labels and float64 scores of one shape."""
    Y, S = check_indicators(Y_true, "Y_true"), check_scores(Y_score)
    check_same_shape(Y, S, ("Y_true", "Y_score"))
    return Y, S


def row_blocks(*arrays: Any) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the same rows of each array as dense blocks of at most `BLOCK_CELLS` cells."""
    n_samples, n_labels = arrays[0].shape
    size = max(1, BLOCK_CELLS // n_labels)
    for start in range(0, n_samples, size):
        yield tuple(dense(array[start : start + size]) for array in arrays)


def column_blocks(*arrays: Any) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the same columns of each array as dense blocks of at most `BLOCK_CELLS` cells."""
    n_samples, n_labels = arrays[0].shape
    size = max(1, BLOCK_CELLS // n_samples)
    arrays = tuple(array.tocsc() if sparse.issparse(array) else array for array in arrays)
    for start in range(0, n_labels, size):
        yield tuple(dense(array[:, start : start + size]) for array in arrays)
