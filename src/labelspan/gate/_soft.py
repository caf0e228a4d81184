"""Labels other than 0 and 1: soft labels, and NaN for missing ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import dense, has_holes, values_of

# Below this share of entries that are not 0 the product X'Y is cheaper with Y sparse.
SPARSE_LABEL_DENSITY = 0.1
# Types of missing values other than NaN.
MISSING = ("NoneType", "NAType", "NaTType")


def is_soft(values: np.ndarray) -> bool:
    """Whether all numbers lie in [0, 1] and some of them strictly inside."""
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
    """Return the labels; raise at the first that is neither 0 nor 1."""
    values = values_of(Y)
    if is_soft(values):
        first = values[(values > 0) & (values < 1)][0]
        raise ValueError(
            f"y holds soft labels, such as {first:g}; {name} takes only 0 and 1: {reason}. "
            "Round them first: y > 0.5."
        )
    return Y


def find_holes(Y: np.ndarray) -> np.ndarray:
    """Where labels are not observed: NaN, NA, NaT or None; booleans in the shape of Y."""
    if Y.dtype != object:
        return np.isnan(Y) if Y.dtype.kind == "f" else np.zeros(Y.shape, dtype=bool)
    # pandas.NA only reveals its type; NaN is not equal to itself.
    found = [type(v).__name__ in MISSING or v != v for v in Y.ravel().tolist()]
    return np.array(found, dtype=bool).reshape(Y.shape)


def unmasked(y: Any) -> np.ndarray:
    """An array; of a masked one, with NaN where it is masked."""
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        return np.asarray(np.ma.filled(y.astype(np.float64), np.nan))
    return dense(y)


def with_holes(Y: Any, holes: np.ndarray) -> np.ndarray:
    """Checked labels, dense, with NaN in the holes."""
    rows = np.array(dense(Y), dtype=np.float64)
    rows[holes] = np.nan
    return rows


def refuse_holes(Y: Any, name: str, reason: str) -> Any:
    """Return the labels; raise at the first that is not observed."""
    if has_holes(Y):
        row, column = np.argwhere(np.isnan(dense(Y)))[0]
        raise ValueError(
            f"Input y contains NaN: y[{row}, {column}] is not observed; {name} needs every label: "
            f"{reason}. Drop the rows that miss one, or fit another estimator: those whose "
            "sklearn.utils.get_tags(estimator).label_tags.takes('missing_labels') take such labels."
        )
    return Y


def refuse_no_label(labels: Any, streamed: bool) -> None:
    """Raise if no entry of y is observed; of chunks, some may be."""
    if labels.missing and not streamed and np.isnan(labels.Y).all():
        raise ValueError(
            "Input y contains NaN only: no label of any row is observed, so there is nothing to "
            "learn from. Pass labels for some rows."
        )


def refuse_streamed_holes(Y: Any, name: str, reason: str) -> Any:
    """Return the labels of a chunk or block; raise if one is not observed."""
    if has_holes(Y):
        raise ValueError(
            "Input y contains NaN, labels that are not observed, in a chunk or in a Dask array; "
            f"{name} {reason}. Pass all rows to fit, in memory."
        )
    return Y


def refuse_missing_and_mixed(Y: np.ndarray, name: str = "y") -> None:
    """Raise for objects that NumPy would turn into other values: 'nan' from None, '1' from 1."""
    values = Y.ravel().tolist()
    # Most is decided by the type; entries are checked one by one only where needed.
    kinds = set(map(type, values))
    missing = {kind for kind in kinds if kind.__name__ in MISSING}
    if missing or any(kind.__name__.startswith("float") for kind in kinds):
        places = np.flatnonzero(find_holes(Y))
        if len(places):
            first = int(places[0])
            where = ", ".join(map(str, np.unravel_index(first, Y.shape)))
            raise ValueError(
                f"Input {name} contains NaN: {name}[{where}] is {values[first]!r}. Drop the rows "
                "with missing labels, or fill them in first."
            )
    strings = {kind for kind in kinds if issubclass(kind, str | bytes)}
    if strings and strings != kinds:
        first = next(item for item in values if type(item) in strings)
        other = next(item for item in values if type(item) not in strings)
        raise TypeError(
            f"{name} mixes strings and other values: {first!r} and {other!r}. Make all of them "
            "strings, or all of them numbers."
        )


def mask_unobserved(y: Any, observed: Any) -> Any:
    """Sparse labels with NaN where they are not observed, in a dense array; others unchanged."""
    if observed is None or y is None:
        return y
    if not sparse.issparse(y):
        raise TypeError(
            f"observed is for a sparse y, but y is {type(y).__name__}. Put NaN into y where a "
            "label is not observed: y = numpy.where(observed, y, numpy.nan)."
        )
    mask = dense(observed)
    if mask.dtype != bool or mask.shape != y.shape:
        raise ValueError(
            f"observed has shape {mask.shape} and dtype {mask.dtype}; expected booleans of shape "
            f"{y.shape}, True where the label of the row is observed."
        )
    if mask.all():
        return y
    labels = dense(y)
    if has_holes(labels) and np.isnan(labels[mask]).any():
        raise ValueError("y is NaN where observed is True. Set observed to False there.")
    return with_holes(labels, ~mask)
