"""Checks of the fields of a plan: one line that names the key, the value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any


def check_keys(table: Mapping[str, Any], known: Collection[str], what: str) -> None:
    unknown = [key for key in table if key not in known]
    if unknown:
        raise ValueError(f"{what} has no field {unknown[0]!r}; it has {', '.join(known)}.")


def check_text(value: Any, key: str) -> None:
    if not isinstance(value, str):
        raise ValueError(f"{key} is {value!r}; give a string.")


def check_whole(value: Any, key: str, least: float = -math.inf, most: float = math.inf) -> None:
    # True and False are integers in Python, but are not meant here.
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        ends = [f"at least {least}"] if math.isfinite(least) else []
        ends += [f"at most {most}"] if math.isfinite(most) else []
        allowed = f"a whole number of {' and '.join(ends)}" if ends else "a whole number"
        raise ValueError(f"{key} is {value!r}; give {allowed}.")


def list_of(value: Any, key: str) -> list[Any]:
    """Return the items of a list; a string is one item, not a list of its letters."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise ValueError(f"{key} is {value!r}; give a list, such as [{value!r}].")
    return list(value)


def table_of(value: Any, key: str) -> dict[str, Any]:
    """Return the entries of a table, or of the pairs that a table is stored as."""
    if isinstance(value, Mapping):
        return dict(value)
    is_list = isinstance(value, list | tuple)
    if not is_list or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value):
        raise ValueError(f"{key} is {value!r}; give a table, such as {{ beta = 0.5 }}.")
    return dict(value)


def check_plain(value: Any, key: str) -> None:
    """Refuse what JSON cannot hold, such as a date of TOML."""
    if isinstance(value, list | tuple):
        for item in value:
            check_plain(item, key)
    elif isinstance(value, Mapping):
        for item in value.values():
            check_plain(item, key)
    elif not isinstance(value, str | int | float | None):
        raise ValueError(
            f"{key} is {value!r}; give a number, a string, true, false or a list of these."
        )
