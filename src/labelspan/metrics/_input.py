"""The gate of the measures: truth and output of any array type, walked in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from labelspan._labels import refuse_missing_and_mixed

# Cells of a dense block: 2**20 doubles are 8 MB, which stays near the cache and bounds memory.
BLOCK_CELLS = 2**20


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raise if `value` is not one of the `allowed` strings."""
    if value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name}={value!r} is not known; use one of {choices}.")


def check_labels(Y: Any, name: str = "Y_true") -> Any:
    """Return label indicators as a boolean ndarray or a boolean CSR array.

    Parameters
    ----------
    Y : array-like, frame or sparse of shape (n_samples, n_labels) or (n_samples,)
        Indicators in {0, 1}, bool or, if dense, {-1, +1}; one dimension is one label.
    name : str
        What to call it in an error message.

    Returns
    -------
    ndarray or csr_array of bool of shape (n_samples, n_labels)
    """
    if sparse.issparse(Y):
        Y = sparse.csr_array(Y)
        _check_indicator(Y.data, (0, 1), name)
        Y = Y.astype(bool)
        Y.sum_duplicates()
        Y.eliminate_zeros()
        return Y
    Y = _two_dimensional(np.asarray(Y), name)
    if Y.dtype == bool:
        return Y
    _check_indicator(Y, (-1, 0, 1), name)
    # Not == -1: NumPy 2.0.0 crashes on unsigned integers that are not contiguous.
    if (Y < 0).any() and (Y == 0).any():
        raise ValueError(
            f"{name} has both 0 and -1 for an absent label; use {{0, 1}} or {{-1, +1}} throughout."
        )
    return Y > 0


def check_scores(S: Any, name: str = "Y_score") -> Any:
    """Return scores as a finite float64 ndarray or CSR array; absent sparse entries are 0."""
    if sparse.issparse(S):
        S = sparse.csr_array(S).astype(np.float64)
        S.sum_duplicates()
        values = S.data
    else:
        S = values = _two_dimensional(np.asarray(S, dtype=np.float64), name)
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
    Y, S = check_labels(Y_true), check_scores(Y_score)
    check_same_shape(Y, S, ("Y_true", "Y_score"))
    return Y, S


def row_blocks(*arrays: Any) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the same rows of each array as dense blocks of at most `BLOCK_CELLS` cells."""
    n_samples, n_labels = arrays[0].shape
    size = max(1, BLOCK_CELLS // n_labels)
    for start in range(0, n_samples, size):
        yield tuple(_dense(array[start : start + size]) for array in arrays)


def column_blocks(*arrays: Any) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the same columns of each array as dense blocks of at most `BLOCK_CELLS` cells."""
    n_samples, n_labels = arrays[0].shape
    size = max(1, BLOCK_CELLS // n_samples)
    arrays = tuple(array.tocsc() if sparse.issparse(array) else array for array in arrays)
    for start in range(0, n_labels, size):
        yield tuple(_dense(array[:, start : start + size]) for array in arrays)


def _dense(array: Any) -> np.ndarray:
    return array.toarray() if sparse.issparse(array) else array


def _two_dimensional(array: np.ndarray, name: str) -> np.ndarray:
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; give (n_samples, n_labels).")
    return array


def _check_indicator(values: np.ndarray, allowed: tuple[int, ...], name: str) -> None:
    if values.dtype == object:
        refuse_missing_and_mixed(values, name)
    wrong = ~np.isin(values, allowed)
    if wrong.any():
        raise ValueError(
            f"{name} has the value {values[wrong].tolist()[0]!r}; label indicators are 0 or 1 "
            "(dense: also -1 and +1). Binarize names with sklearn's MultiLabelBinarizer."
        )
