"""Swaps that bring every label into every training part."""

from __future__ import annotations

from typing import Any

import numpy as np

# Partners tried for one row before the next row is tried; those with few labels come first.
MAX_PARTNERS = 256


def repair(Y: Any, part: np.ndarray, training: np.ndarray) -> np.ndarray:
    """Swap rows until each label is in each training set, where single swaps suffice; parts (n,).

    `training` (n_sets, n_parts): the parts of each set. No swap takes another label out of a set.
    Each missing label costs at most its rows times 256 trial swaps.
    """
    part = part.copy()
    counts = _counts(Y, part, training.shape[1])
    missing = _missing(counts, training) & (counts.sum(axis=1) > 0)
    if not missing.any():
        return part
    columns = Y.tocsc()
    n_row_labels = np.diff(Y.indptr)
    for label in np.flatnonzero(missing).tolist():
        rows = columns.indices[columns.indptr[label] : columns.indptr[label + 1]]
        for row in rows[np.argsort(n_row_labels[rows], kind="stable")].tolist():
            if _swap(Y, part, counts, training, label, row, n_row_labels):
                break
    return part


def _swap(
    Y: Any,
    part: np.ndarray,
    counts: np.ndarray,
    training: np.ndarray,
    label: int,
    row: int,
    n_row_labels: np.ndarray,
) -> bool:
    """Swap `row` with the first partner that repairs `label` and harms no other label."""
    if not _missing(counts[[label]], training)[0]:
        return True
    lacking = ~((counts[label] > 0) & training).any(axis=1)
    wanted = training[lacking].any(axis=0)
    partners = np.flatnonzero(wanted[part] & (part != part[row]))
    partners = partners[np.argsort(n_row_labels[partners], kind="stable")[:MAX_PARTNERS]]
    for partner in partners.tolist():
        touched = np.union1d(_labels(Y, row), _labels(Y, partner))
        before = _missing(counts[touched], training)
        _move(Y, counts, row, part[row], part[partner])
        _move(Y, counts, partner, part[partner], part[row])
        after = _missing(counts[touched], training)
        if after.sum() < before.sum() and not (after & ~before).any():
            part[row], part[partner] = part[partner], part[row]
            return True
        _move(Y, counts, row, part[partner], part[row])
        _move(Y, counts, partner, part[row], part[partner])
    return False


def _labels(Y: Any, row: int) -> np.ndarray:
    return Y.indices[Y.indptr[row] : Y.indptr[row + 1]]


def _move(Y: Any, counts: np.ndarray, row: int, source: int, target: int) -> None:
    labels = _labels(Y, row)
    counts[labels, source] -= 1
    counts[labels, target] += 1


def _counts(Y: Any, part: np.ndarray, n_parts: int) -> np.ndarray:
    """Rows of each label in each part, of shape (n_labels, n_parts)."""
    parts = np.repeat(part, np.diff(Y.indptr))
    flat = np.bincount(Y.indices * np.int64(n_parts) + parts, minlength=Y.shape[1] * n_parts)
    return flat.reshape(Y.shape[1], n_parts)


def _missing(counts: np.ndarray, training: np.ndarray) -> np.ndarray:
    """Whether each label is absent from some training set."""
    return ((counts @ training.T) == 0).any(axis=1)
