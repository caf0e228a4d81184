"""Tables on a terminal; columns that do not fit move below, no number or name is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Smallest width of a text column, so that lines stay readable.
LEAST_TEXT = 20


@dataclass(frozen=True)
class Column:
    """A column: its place in the rows, its smallest width, and its width without wrapping."""

    place: int
    least: int
    most: int


def print_tables(
    header: Sequence[str], rows: Sequence[Sequence[str]], title: str, texts: set[int]
) -> None:
    """Tables on the terminal that repeat the first column; columns `texts` may be wrapped."""
    from rich.console import Console

    console = Console()
    columns = [
        _column(place, name, [row[place] for row in rows], place in texts)
        for place, name in enumerate(header)
    ]
    for number, group in enumerate(groups_that_fit(columns, console.width)):
        widths = widths_of(group, console.width)
        console.print(_drawn(header, rows, "" if number else title, texts, widths))


def groups_that_fit(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """Divide columns into tables: as many as fit, the rest below, each with the first column."""
    first, *rest = columns
    groups = [[first]]
    for column in rest:
        needed = _total([*(item.least for item in groups[-1]), column.least])
        if needed > width and len(groups[-1]) > 1:
            groups.append([first])
        groups[-1].append(column)
    return groups


def widths_of(group: Sequence[Column], width: int) -> dict[int, int]:
    """Widths by place: the smallest of each, and the rest for columns that would wrap."""
    widths = {column.place: column.least for column in group}
    spare = width - _total(list(widths.values()))
    for column in sorted(group, key=lambda item: item.most - item.least):
        more = min(max(spare, 0), column.most - column.least)
        widths[column.place] += more
        spare -= more
    for _ in range(-spare):
        # If two columns do not fit, the wider one shrinks, and its text is wrapped, not cut.
        widest = max(widths, key=lambda place: widths[place])
        widths[widest] = max(widths[widest] - 1, 1)
    return widths


def _total(widths: Sequence[int]) -> int:
    """Width of a table: a rule before and after each column, and a space on both sides."""
    return sum(widths) + 3 * len(widths) + 1


def _column(place: int, name: str, values: Sequence[str], is_text: bool) -> Column:
    from rich.cells import cell_len

    def longest(texts: Sequence[str]) -> int:
        return max((cell_len(text) for text in texts), default=1)

    words = [word for text in (name, *values) for word in text.split()]
    most = longest([name, *values])
    if is_text and place:
        return Column(place, min(max(longest(words), LEAST_TEXT), most), most)
    # Numbers and names stay whole; a heading may take several lines.
    return Column(place, max(longest(values), longest(name.split())), most)


def _drawn(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str,
    texts: set[int],
    widths: dict[int, int],
) -> object:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title) if title else None)
    for place, width in widths.items():
        table.add_column(
            Text(header[place]),
            justify="left" if place in texts else "right",
            width=width,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(row[place]) for place in widths))
    return table
