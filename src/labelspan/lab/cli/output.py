"""Printing: tables that fit a terminal, plain text without one, JSON on request."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from labelspan.lab.cli._table import print_tables
from labelspan.system import clean, escaped

__all__ = ["clean", "command_line", "number", "print_json", "print_table", "print_text", "say"]


def say(text: str) -> None:
    """Print a line on the standard error."""
    print(f"labelspan: {clean(text)}", file=sys.stderr)


def print_json(content: Any) -> None:
    r"""Print plain data as JSON; what cannot be seen, such as U+202E, is written ``\u202e``."""
    text = escaped(json.dumps(content, indent=2, ensure_ascii=False, default=str))
    # JSON lines end with the newline, the only such character to keep.
    kept = (char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)
    print("".join(kept))


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str = "",
    n_left: int = 1,
    words: Sequence[int] = (),
) -> None:
    """Print a table: drawn on a terminal, where `words` may be wrapped; aligned elsewhere."""
    rows = [[clean(value) for value in row] for row in rows]
    title = clean(title)
    if sys.stdout.isatty():
        print_tables(header, rows, title, {*range(n_left), *words})
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


def print_text(text: str) -> None:
    """Print a sentence: wrapped between words on a terminal, one line elsewhere."""
    text = clean(text)
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
    print(text)


def number(value: float | None, digits: int = 4) -> str:
    """Write a number, or a dash."""
    return "-" if value is None else f"{value:.{digits}f}"


def command_line() -> str:
    """The command as it was typed, for the report."""
    import shlex

    return shlex.join(["labelspan", *sys.argv[1:]])
