"""Check a matrix before it is used; errors name the position."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits

REAL_KINDS = "fiub"
#: Values that a message lists.
SHOWN = 5


def check_matrix(shape: Sequence[int], dtype: Any, what: str, path: Path) -> None:
    if len(shape) != 2 or np.dtype(dtype).kind not in REAL_KINDS:
        message = f"{what} must be a 2-d array of numbers; it has shape {tuple(shape)}"
        raise DataFileError(f"{message} and type {dtype}", file=path)


def check_size(shape: Sequence[int], what: str, limits: Limits, path: Path) -> None:
    """Refuse more rows or columns than the limits; a file of a few bytes may declare them."""
    bounds = (
        ("rows", shape[0], limits.max_rows, "max_rows"),
        ("columns", shape[1], limits.max_columns, "max_columns"),
    )
    for axis, count, limit, name in bounds:
        if not 0 <= count <= limit:
            message = f"{what} has {count} {axis}; the limit is {limit} (Limits.{name})"
            raise DataFileError(message, file=path)


def without_repeats(matrix: sp.csr_array, what: str, path: Path) -> sp.csr_array:
    """Sort the columns of each row, and refuse a column that is there twice."""
    if not matrix.has_canonical_format:
        matrix.sort_indices()
        if (place := repeated_entry(matrix)) is not None:
            message = f"row {place[0] + 1} of {what} has column {place[1] + 1} twice"
            raise DataFileError(f"{message}; call sum_duplicates() before saving it", file=path)
        matrix.has_canonical_format = True
    return matrix


def repeated_entry(table: sp.csr_array) -> tuple[int, int] | None:
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    same = (table.indices[1:] == table.indices[:-1]) & (rows[1:] == rows[:-1])
    if not same.any():
        return None
    entry = int(np.flatnonzero(same)[0])
    return int(rows[entry]), int(table.indices[entry])


def check_values(table: Any, allowed: Sequence[int], what: str, path: Path) -> None:
    stored = table.data if sp.issparse(table) else table
    wrong = ~np.isin(stored, allowed)
    if wrong.any():
        row, column, value = first_entry(table, wrong)
        *others, last = allowed
        listed = f"{', '.join(map(str, others))} and {last}"
        message = f"{what} has values other than {listed}: {value:g} in row {row + 1}"
        raise DataFileError(f"{message}, column {column + 1}", file=path)


def first_entry(table: Any, where: np.ndarray) -> tuple[int, int, float]:
    """Row, column and value of the first entry of a dense or CSR table where a mask is true."""
    if not sp.issparse(table):
        row, column = np.argwhere(where)[0].tolist()
        return row, column, float(table[row, column])
    entry = int(np.flatnonzero(where)[0])
    row = int(np.searchsorted(table.indptr, entry, side="right")) - 1
    return row, int(table.indices[entry]), float(table.data[entry])


def numbered(prefix: str, count: int) -> tuple[str, ...]:
    """Names for columns that have none."""
    return tuple(f"{prefix}{i}" for i in range(count))


def no_labels(X: Any) -> np.ndarray:
    return np.zeros((X.shape[0], 0), dtype=np.int64)


def check_names(names: Sequence[str], limits: Limits, path: str | os.PathLike[str]) -> None:
    """Refuse a name longer than the limit, because every table and page repeats it."""
    limit = limits.max_name_chars
    if max(map(len, names), default=0) > limit:
        name = next(name for name in names if len(name) > limit)
        message = f"name {name[:40]!r}... has {len(name)} characters; the limit is {limit}"
        raise DataFileError(f"{message} (Limits.max_name_chars): shorten it", file=path)


def first_repeat(names: Sequence[str]) -> str | None:
    if len(set(names)) == len(names):
        return None
    seen: set[str] = set()
    return next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]


def listed(values: Sequence[str]) -> str:
    """The first values in quotes, and how many there are."""
    text = ", ".join(repr(value[:40]) for value in values[:SHOWN])
    return text if len(values) <= SHOWN else f"{text} and {len(values) - SHOWN} more"


def refuse_others(names: Sequence[str], given: set[str], path: str | os.PathLike[str]) -> None:
    """Refuse columns that are not those of these names, and name all that differ."""
    missing = [name for name in names if name not in given]
    unknown = sorted(given.difference(names))
    if missing or unknown:
        told = [f"missing: {listed(missing)}"] * bool(missing)
        told += [f"unknown: {listed(unknown)}"] * bool(unknown)
        raise DataFileError(
            f"the columns are not those that were learned ({'; '.join(told)}); rename or add "
            "them, and leave others out by ignore= (--ignore)",
            file=path,
        )


def refuse_both(labels: Sequence[str], ignore: Sequence[str], path: str | os.PathLike[str]) -> None:
    if both := [name for name in labels if name in ignore]:
        message = f"labels and ignore both name {both[0][:60]!r} (--labels, --ignore)"
        raise DataFileError(f"{message}; leave it out of one", file=path)


def refuse_unknown(
    names: Sequence[str], known: Collection[str], what: str, path: str | os.PathLike[str]
) -> None:
    """Refuse a name that no column has, and suggest similar ones."""
    present = set(known)
    unknown = [name for name in names if name not in present]
    if unknown:
        near = difflib.get_close_matches(unknown[0], list(known)[:10_000], n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {len(known)} columns"
        message = f"{what} names {unknown[0][:60]!r}, which is not a column"
        raise DataFileError(f"{message}; {hint}", file=path)
