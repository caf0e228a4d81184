"""Fold judged lines into tables: a line "left, right" becomes the cell (left, right)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from labelspan.lab.report import markdown_text
from labelspan.papers._experiment import Judged

# Fewer lines are easier to read as lines, and so is a table with many empty cells.
LEAST_LINES, LEAST_SHARE, LONGEST_CELL = 6, 0.5, 24
CROSS = "✗"


@dataclass(frozen=True)
class Grid:
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[str, str], Judged]

    def markdown(self) -> list[str]:
        corner, names = _common(self.columns)
        head = [corner, *names]
        lines = [f"| {' | '.join(map(markdown_text, head))} |", f"|---|{'---:|' * len(names)}"]
        for row in self.rows:
            cells = [cell_text(self.cells.get((row, column))) for column in self.columns]
            lines.append(f"| {' | '.join([markdown_text(row), *cells])} |")
        return lines


def folded(lines: Iterable[Judged]) -> tuple[list[Judged], list[Grid]]:
    """Separate the lines that stay lines from those that form tables, of numbers or of words."""
    lines = list(lines)
    grids: list[Grid] = []
    taken: set[int] = set()
    for kind in (str, float):
        places = [i for i, line in enumerate(lines) if _fits(line, kind)]
        for group in _connected([(i, *_halves(lines[i])) for i in places]):
            lefts = tuple(dict.fromkeys(left for _, left, _ in group))
            rights = tuple(dict.fromkeys(right for _, _, right in group))
            full = len(group) >= LEAST_SHARE * len(lefts) * len(rights)
            if len(group) < LEAST_LINES or not full or 1 in (len(lefts), len(rights)):
                continue
            turned = len(rights) >= len(lefts)
            cells = {
                ((right, left) if turned else (left, right)): lines[i] for i, left, right in group
            }
            grids.append(Grid(*((rights, lefts) if turned else (lefts, rights)), cells))
            taken.update(i for i, _, _ in group)
    return [line for i, line in enumerate(lines) if i not in taken], grids


def cell_text(line: Judged | None) -> str:
    """Our value, the printed one in brackets if any, a cross if not reproduced."""
    if line is None:
        return ""
    missed = line.verdict == "not reproduced"
    text = markdown_text(_short(number_text(line.ours, 3)))
    if line.printed is not None and (missed or not isinstance(line.ours, str)):
        text += f" ({markdown_text(number_text(line.printed))})"
    return f"**{text}** {CROSS}" if missed else text


def number_text(value: float | str | None, digits: int = 4) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if value == round(value) else f"{value:.{digits}g}"


def _short(text: str) -> str:
    return text.partition(" (")[0]


def _fits(line: Judged, kind: type) -> bool:
    if ", " not in line.what:
        return False
    if kind is str:
        return isinstance(line.ours, str) and len(_short(line.ours)) <= LONGEST_CELL
    return isinstance(line.ours, int | float) and not isinstance(line.printed, str)


def _halves(line: Judged) -> tuple[str, str]:
    left, _, right = line.what.rpartition(", ")
    return left, right


Place = tuple[int, str, str]


def _connected(places: list[Place]) -> list[list[Place]]:
    """Group lines that share a row or a column name, directly or through other lines."""
    home: dict[str, int] = {}
    groups: dict[int, list[Place]] = defaultdict(list)
    for place in places:
        keys = (f"left {place[1]}", f"right {place[2]}")
        found = sorted({home[key] for key in keys if key in home})
        target = found[0] if found else place[0]
        for other in found[1:]:
            groups[target] += groups.pop(other)
            home.update((key, target) for key, where in home.items() if where == other)
        groups[target].append(place)
        home.update(dict.fromkeys(keys, target))
    return [sorted(group) for _, group in sorted(groups.items())]


def _common(names: tuple[str, ...]) -> tuple[str, list[str]]:
    """Split off the words that all names begin with, for the corner cell."""
    words = [name.split(" ") for name in names]
    count = 0
    # A name keeps at least its last word.
    while all(len(row) > count + 1 and row[count] == words[0][count] for row in words):
        count += 1
    corner = " ".join([*words[0][:count], "..."]) if count else ""
    return corner, [" ".join(row[count:]) for row in words]
