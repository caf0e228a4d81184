"""Checks of what is read: a file may have been edited, or damaged by another program."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labelspan.lab.store._store_file import StoreError
from labelspan.lab.store._store_format import SCHEMA

#: Shape of JSON: a type, [shape] for a list, {str: shape} for any keys, {"key": shape} for these.
Shape = Any
NUMBER = float | int
TEXTS = {str: str}
#: Columns by name, which means the same in every table: type, and whether NULL is allowed.
COLUMNS = {
    name: (kind, not rest)
    for name, kind, rest in re.findall(
        r"(\w+) (TEXT|REAL|INTEGER)( NOT NULL| PRIMARY KEY)?", SCHEMA
    )
}
TYPES: dict[str, tuple[Any, str]] = {
    "TEXT": (str, "text"),
    "REAL": (NUMBER, "a number"),
    "INTEGER": (int, "a whole number"),
}
#: By column or its type: seconds until the year 5138, counts and bytes, and any measure.
RANGES: dict[str, tuple[float, float]] = {
    "REAL": (0, 1e11),
    "INTEGER": (0, 2**63),
    "value": (-1e100, 1e100),
}
KEYS = {"id": "cell", "cell": "cell", "hash": "hash", "source": "source"}


def check_row(row: Mapping[str, Any], path: Path) -> None:
    """Refuse a row with a value of another type than its column, or a number out of range."""
    for name, value in row.items():
        kind, may_be_null = COLUMNS.get(name, ("", True))
        if not kind or (value is None and may_be_null):
            continue
        allowed, words = TYPES[kind]
        if not isinstance(value, allowed):
            raise damaged(path, row, name, f"is {_shown(value)}, not {words}")
        if kind != "TEXT":
            low, high = RANGES.get(name, RANGES[kind])
            if not low <= value <= high:
                raise damaged(path, row, name, f"is {value}; it must be from {low:g} to {high:g}")


def decoded(row: Mapping[str, Any], name: str, shape: Shape, path: Path) -> Any:
    """Return the JSON of a column; refuse text that is not JSON, or of another shape."""
    try:
        found = json.loads(row[name])
    except ValueError:
        raise damaged(path, row, name, f"is not JSON: {_shown(row[name])}") from None
    if not fits(found, shape):
        raise damaged(path, row, name, f"holds other JSON than was written: {_shown(row[name])}")
    return found


def fits(value: Any, shape: Shape) -> bool:
    """Whether JSON has a shape."""
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
    if not isinstance(shape, dict):
        return isinstance(value, shape) and not (shape is not object and isinstance(value, bool))
    if not isinstance(value, dict):
        return False
    if str in shape:
        return all(fits(item, shape[str]) for item in value.values())
    return all(key in value and fits(value[key], part) for key, part in shape.items())


def damaged(path: Path, row: Mapping[str, Any], name: str, what: str) -> StoreError:
    """Return the error about a value that was not written by a run."""
    key = next((key for key in KEYS if key in row), None)
    parts = [f"{KEYS[key]} {str(row[key])[:40]}"] if key else []
    parts += [str(row[other])[:40] for other in ("measure", "name") if key and other in row]
    return StoreError(
        f"{path} is damaged: {', '.join([*parts, name])} {what}; restore it from a copy or choose "
        "another folder with --out."
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
