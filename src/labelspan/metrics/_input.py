"""Input validation of the measures: truth and output of any array type, in blocks of rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import dense
from labelspan.gate import check_indicators, check_truth, two_dimensional
from labelspan.metrics._on_device import in_one_place

# Cells of a dense block: 2**20 doubles are 8 MB, which stays near the cache and bounds memory.
BLOCK_CELLS = 2**20


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
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
    if first.shape != second.shape:
        raise ValueError(
            f"{names[0]} has shape {first.shape} but {names[1]} has shape {second.shape}; "
            "both must be (n_samples, n_labels)."
        )
    if 0 in first.shape:
        raise ValueError(f"{names[0]} has shape {first.shape}; at least one row and one label.")


@dataclass(frozen=True, eq=False)
class Compared:
    """Truth (n, q) and output, with what is `observed` and its columns `labels`, None for all."""

    truth: Any
    output: Any
    observed: np.ndarray | None = None
    labels: np.ndarray | None = None
    on_device: bool = False

    @property
    def is_sparse(self) -> bool:
        """Whether all labels are observed, and most scores are zeros that are not stored."""
        return self.observed is None and sparse.issparse(self.output)


def compare(
    Y_true: Any, output: Any, observed: Any, name: str, *, by_label: bool = False
) -> Compared:
    """Truth with the checked output `name`, of the rows and the labels with an observed entry.

    With `by_label`, a label that is never observed is warned of.
    """
    truth, seen = check_truth(Y_true, observed, "Y_true")
    check_same_shape(truth, output, ("Y_true", name))
    if seen is None:
        return Compared(truth, output)
    rows, labels = seen.any(axis=1), seen.any(axis=0)
    if not labels.any():
        raise ValueError("Y_true has no observed label: all entries are NaN. Nothing is measured.")
    if by_label and not labels.all():
        warn_of_labels(np.flatnonzero(~labels))
    known = np.ix_(rows, labels)
    output = output[rows][:, labels]
    columns = None if labels.all() else np.flatnonzero(labels)
    seen = None if seen[known].all() else seen[known]
    return Compared(truth[known], output, seen, columns)


def compare_labels(Y_true: Any, Y_pred: Any, observed: Any, *, by_label: bool = False) -> Compared:
    """True and predicted labels, see :func:`compare`; arrays on a device stay there."""
    on_device, Y, P = in_one_place(Y_true, Y_pred, observed)
    if on_device:
        return Compared(Y, P, on_device=True)
    return compare(Y, check_indicators(P, "Y_pred"), observed, "Y_pred", by_label=by_label)


def compare_scores(Y_true: Any, Y_score: Any, observed: Any, *, by_label: bool = False) -> Compared:
    """True labels and scores, see :func:`compare`; arrays on a device stay there."""
    on_device, Y, S = in_one_place(Y_true, Y_score, observed, scores=True)
    if on_device:
        return Compared(Y, S, on_device=True)
    return compare(Y, check_scores(S), observed, "Y_score", by_label=by_label)


def warn_of_labels(never: np.ndarray) -> None:
    shown = ", ".join(map(str, never[:5])) + (", ..." if len(never) > 5 else "")
    warnings.warn(
        f"{len(never)} label(s) ({shown}) of Y_true are observed in no row and are left out of "
        "the mean.",
        stacklevel=2,
    )


def column_blocks(*arrays: Any) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the same columns of each array as dense blocks of at most `BLOCK_CELLS` cells."""
    n_samples, n_labels = arrays[0].shape
    size = max(1, BLOCK_CELLS // n_samples)
    arrays = tuple(array.tocsc() if sparse.issparse(array) else array for array in arrays)
    for start in range(0, n_labels, size):
        yield tuple(dense(array[:, start : start + size]) for array in arrays)
