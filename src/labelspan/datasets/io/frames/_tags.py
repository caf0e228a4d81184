"""One column that lists the labels of each row, as label indicators."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._nominal import FEW_VALUES
from labelspan.datasets.io._tables import check_names

SEPARATORS = ",;|"
BRACKETS = {"[": "]", "(": ")", "{": "}"}
EMPTY_SET = "set()"
NOT_A_LIST = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)


def read_tags(
    cells: Sequence[Any], separator: str | None, column: str, limits: Limits, file: str
) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the label names, sorted, and the indicators of shape (n, q) as uint8."""
    sets = [set(tags) for tags in _lists(cells, separator, column, file)]
    names = tuple(sorted(set(chain.from_iterable(sets))))
    check_names(names, limits, file)
    if not names:
        raise DataFileError(f"no row of {column!r} has a label", file=file)
    n_labels = sum(map(len, sets))
    if len(names) > FEW_VALUES and n_labels == len(names):
        raise DataFileError(
            f"each of the {len(names)} labels of {column!r} is in one row only; is it a column of "
            "labels, and is separator= (--separator) right?",
            file=file,
        )
    if len(names) > limits.max_columns or len(names) * len(sets) > limits.max_bytes:
        message = f"{len(names)} labels of {len(sets)} rows; raise Limits.max_columns"
        raise DataFileError(f"{message} and Limits.max_bytes", file=file)
    places = {name: i for i, name in enumerate(names)}
    Y = np.zeros((len(sets), len(names)), dtype=np.uint8)
    rows = np.repeat(np.arange(len(sets)), [len(tags) for tags in sets])
    Y[rows, [places[tag] for tags in sets for tag in tags]] = 1
    return names, Y


def _lists(
    cells: Sequence[Any], separator: str | None, column: str, file: str
) -> Iterable[list[str]]:
    texts = [cell for cell in cells if isinstance(cell, str)]
    if len(texts) == len(cells):
        return _split_all(cells, separator, column, file)
    for row, cell in enumerate(cells):
        if isinstance(cell, str | bytes) or not isinstance(cell, Iterable):
            what = "is text among lists" if isinstance(cell, str) else f"is {cell!r}"
            message = f"row {row + 1} of {column!r} {what}; give each row a list of labels"
            raise DataFileError(f"{message}, or each row a text", file=file)
    return [[str(item) for item in cell] for cell in cells]


def _split_all(
    cells: Sequence[str], separator: str | None, column: str, file: str
) -> list[list[str]]:
    filled = [cell.strip() for cell in cells if cell.strip()]
    if (
        separator is None
        and filled
        and all(cell == EMPTY_SET or BRACKETS.get(cell[0]) == cell[-1] for cell in filled)
    ):
        return [_literal(cell.strip(), row, column, file) for row, cell in enumerate(cells)]
    if separator is None:
        found = [sign for sign in SEPARATORS if any(sign in cell for cell in filled)]
        if len(found) > 1:
            listed = " and ".join(repr(sign) for sign in found)
            message = f"{column!r} has {listed}; pass the one that separates labels as separator="
            raise DataFileError(f"{message} (--separator)", file=file)
        separator = found[0] if found else None
    if separator is None:
        return [[cell.strip()] if cell.strip() else [] for cell in cells]
    return [[tag.strip() for tag in cell.split(separator) if tag.strip()] for cell in cells]


def _literal(cell: str, row: int, column: str, file: str) -> list[str]:
    """Read a list in Python or JSON notation, as in a saved frame of lists."""
    if cell in ("", EMPTY_SET):
        return []
    try:
        items = ast.literal_eval(cell)
        if isinstance(items, dict) or not all(isinstance(item, str | int) for item in items):
            raise ValueError(cell)
    except NOT_A_LIST as error:
        message = f"row {row + 1} of {column!r} is not a list of labels: {cell[:60]!r}"
        raise DataFileError(message, file=file) from error
    return [str(item) for item in items]
