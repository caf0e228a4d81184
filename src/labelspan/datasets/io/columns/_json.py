"""Column encoders as JSON, which may come from anyone."""

from __future__ import annotations

import json
from typing import Any

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._tables import first_repeat
from labelspan.datasets.io.columns._kinds import Column, NumberColumn, TextColumn, WordColumn
from labelspan.datasets.io.columns._number_format import FORMATS

VERSION = 1
SOURCE = "column encoder"
NUMBER, WORDS, TEXT = "number", "words", "text"
FIELDS = {
    NUMBER: {"kind", "name", "decimal", "thousands", "percent"},
    WORDS: {"kind", "name", "categories"},
    TEXT: {"kind", "name", "words", "idf"},
}


def written(column: Column) -> dict[str, Any]:
    if isinstance(column, WordColumn):
        return {"kind": WORDS, "name": column.name, "categories": list(column.categories)}
    if isinstance(column, TextColumn):
        lists = {"words": list(column.words), "idf": list(column.idf)}
        return {"kind": TEXT, "name": column.name, **lists}
    form = column.format
    signs = {"decimal": form.decimal, "thousands": form.thousands, "percent": form.percent}
    return {"kind": NUMBER, "name": column.name, **signs}


def columns_from(text: str, limits: Limits) -> tuple[Column, ...]:
    """Read the columns, and check each type and size."""
    if not isinstance(text, str) or len(text) > limits.max_bytes:
        raise _error(f"expected a text of at most {limits.max_bytes} characters (Limits.max_bytes)")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _error("not readable as JSON") from error
    if not isinstance(found, dict) or set(found) != {"version", "columns"}:
        raise _error("expected an object of version and columns")
    if found["version"] != VERSION or isinstance(found["version"], bool):
        raise _error(f"version is {str(found['version'])[:40]}; this labelspan reads {VERSION}")
    items = found["columns"]
    if not isinstance(items, list) or not 0 < len(items) <= limits.max_columns:
        raise _error(f"columns must be a list of 1 to {limits.max_columns} (Limits.max_columns)")
    columns = tuple(_column(item) for item in items)
    if (repeated := first_repeat([column.name for column in columns])) is not None:
        raise _error(f"two columns are called {repeated[:60]!r}")
    if (width := sum(len(column.names) for column in columns)) > limits.max_columns:
        raise _error(f"{width} features; the limit is {limits.max_columns} (Limits.max_columns)")
    return columns


def _column(item: Any) -> Column:
    kind = item.get("kind") if isinstance(item, dict) else None
    if not isinstance(kind, str) or kind not in FIELDS or set(item) != FIELDS[kind]:
        raise _error(f"a column is none of {', '.join(FIELDS)} with their fields")
    name = item["name"]
    if not isinstance(name, str):
        raise _error("the name of a column is not text")
    if kind == NUMBER:
        return _numbers(item, name)
    if kind == WORDS:
        return WordColumn(name, _distinct(item["categories"], name))
    words = _distinct(item["words"], name)
    return TextColumn(name, words, _weights(item["idf"], len(words), name))


def _numbers(item: dict[str, Any], name: str) -> NumberColumn:
    told = (item["decimal"], item["thousands"], item["percent"])
    for form in FORMATS:
        known = (form.decimal, form.thousands, form.percent)
        if told == known and type(told[2]) is bool:
            return NumberColumn(name, form)
    raise _error(f"column {name[:60]!r} has an unknown format of numbers")


def _distinct(values: Any, name: str) -> tuple[str, ...]:
    is_list = isinstance(values, list) and len(values) > 0
    if not is_list or not all(isinstance(value, str) for value in values):
        raise _error(f"column {name[:60]!r} needs a list of texts")
    if (repeated := first_repeat(values)) is not None:
        raise _error(f"column {name[:60]!r} lists {repeated[:60]!r} twice")
    return tuple(values)


def _weights(values: Any, n_words: int, name: str) -> tuple[float, ...]:
    if not isinstance(values, list) or len(values) != n_words:
        raise _error(f"column {name[:60]!r} needs one idf per word")
    for value in values:
        # Smoothed document frequencies give at least 1, and 22 for a billion rows.
        if type(value) not in (int, float) or not 1 <= value <= 1000:
            raise _error(f"an idf of column {name[:60]!r} is not a number from 1 to 1000")
    return tuple(float(value) for value in values)


def _error(message: str) -> DataFileError:
    return DataFileError(message, file=SOURCE)
