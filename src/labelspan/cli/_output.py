"""Printing: tables that fit a terminal, plain where there is none, JSON where asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from labelspan._plain_text import clean, escaped

__all__ = ["clean", "command_line", "number", "print_json", "print_table", "say"]


def say(text: str) -> None:
    """Print a line of our own on the standard error."""
    print(f"labelspan: {clean(text)}", file=sys.stderr)


def print_json(content: Any) -> None:
    """Print plain data as JSON."""
    print(escaped(json.dumps(content, indent=2, ensure_ascii=False, default=str)))


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "", n_left: int = 1
) -> None:
    """Print a table: drawn on a terminal, aligned columns elsewhere."""
    rows = [[clean(value) for value in row] for row in rows]
    title = clean(title)
    if sys.stdout.isatty():
        _print_rich(header, rows, title, n_left)
        return
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    if title:
        print(title)
    for row in [list(header), *rows]:
        cells = [
            value.ljust(width) if place < n_left else value.rjust(width)
            for place, (value, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def _print_rich(
    header: Sequence[str], rows: Sequence[Sequence[str]], title: str, n_left: int
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title))
    for place, name in enumerate(header):
        table.add_column(Text(name), justify="left" if place < n_left else "right")
    for row in rows:
        table.add_row(*(Text(value) for value in row))
    Console().print(table)


def number(value: float | None, digits: int = 4) -> str:
    """Write a number, or a dash."""
    return "-" if value is None else f"{value:.{digits}f}"


def command_line() -> str:
    """The command as it was typed, for the report."""
    import shlex

    return shlex.join(["labelspan", *sys.argv[1:]])
