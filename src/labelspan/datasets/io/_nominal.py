"""Nominal columns as numbers: 0/1 for two categories, else one column per category."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits

FALSE_WORDS = frozenset({"no", "false", "n", "f", "negative", "neg"})
TRUE_WORDS = frozenset({"yes", "true", "y", "t", "positive", "pos"})
# A column with more different values than this, and than half of the rows, is an identifier.
FEW_VALUES = 20
# Values that Limits.max_bytes allows in text, at two bytes per value.
VALUE_BYTES = 2


@dataclass(frozen=True)
class Nominal:
    """A column of more than two categories, and the number that stands for each of them."""

    position: int
    name: str
    categories: tuple[str, ...]
    values: tuple[float, ...]

    @property
    def names(self) -> list[str]:
        return [f"{self.name}={category}" for category in self.categories]


def are_numbers(categories: tuple[str, ...]) -> bool:
    """Whether categories stand for themselves."""
    try:
        return bool(np.isfinite([float(category) for category in categories]).all())
    except ValueError:
        return False


def category_values(categories: tuple[str, ...]) -> tuple[float, ...]:
    """Numbers for categories: their own value, else 0/1 for no/yes, else their position."""
    if are_numbers(categories):
        return tuple(float(category) for category in categories)
    words = [category.lower() for category in categories]
    if all(word in FALSE_WORDS | TRUE_WORDS for word in words):
        return tuple(float(word in TRUE_WORDS) for word in words)
    return tuple(float(position) for position in range(len(categories)))


def is_identifier(n_values: int, n_rows: int) -> bool:
    """Whether a nominal column names the rows rather than describes them."""
    return n_values > FEW_VALUES and 2 * n_values > n_rows


def identifier_message(name: str, n_values: int, n_rows: int) -> str:
    return (
        f"column {name!r} has {n_values} different values in {n_rows} rows, which makes it an "
        f"identifier (more than {FEW_VALUES} values, and more than half of the rows); leave it "
        f"out by ignore=[{name!r}] (--ignore {name!r})"
    )


def used_values(X: Any, position: int) -> np.ndarray:
    values = np.unique(_column(X, position))
    return values[~np.isnan(values)]


def expand(X: Any, columns: Sequence[Nominal], limits: Limits, path: str | os.PathLike[str]) -> Any:
    """Replace nominal columns by one column of 0 and 1 per category; NaN stays in all of them."""
    if not columns:
        return X
    _check_room(X, columns, limits, path)
    by_column = X.tocsc() if sp.issparse(X) else X
    parts, start = [], 0
    for column in columns:
        parts += [by_column[:, start : column.position], _indicators(by_column, column)]
        start = column.position + 1
    parts.append(by_column[:, start:])
    return sp.hstack(parts, format="csr") if sp.issparse(X) else np.hstack(parts)


def _indicators(X: Any, column: Nominal) -> Any:
    values = _column(X, column.position)[:, None]
    is_missing = np.isnan(values)
    shown = (values == np.array(column.values)) | is_missing
    weights = np.where(is_missing, np.nan, 1.0)
    return sp.csr_array(shown).multiply(weights) if sp.issparse(X) else shown * weights


def expanded_names(names: Sequence[str], columns: Sequence[Nominal]) -> tuple[str, ...]:
    if not columns:
        return tuple(names)
    listed = {column.position: column.names for column in columns}
    return tuple(name for i, old in enumerate(names) for name in listed.get(i, [old]))


def _column(X: Any, position: int) -> np.ndarray:
    column = X[:, [position]]
    return (column.toarray() if sp.issparse(column) else column).ravel()


def _check_room(
    X: Any, columns: Sequence[Nominal], limits: Limits, path: str | os.PathLike[str]
) -> None:
    largest, n_new = max(columns, key=lambda c: len(c.values)), sum(len(c.values) for c in columns)
    width = X.shape[1] - len(columns) + n_new
    n_values = X.shape[0] * (n_new if sp.issparse(X) else width)
    if width > limits.max_columns or n_values > limits.max_bytes // VALUE_BYTES:
        raise DataFileError(
            f"one column per category makes {width} columns of {X.shape[0]} rows; raise "
            f"Limits.max_columns and Limits.max_bytes, or leave out {largest.name!r} "
            f"({len(largest.values)} categories) by ignore= (--ignore)",
            file=path,
        )
