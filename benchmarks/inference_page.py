"""The tables of docs/inference.md, from dependence.csv, significant.csv and bootstrap_coverage.csv.

usage: python benchmarks/inference_page.py
"""

from __future__ import annotations

import csv
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "inference.md"
SETS = {
    "enron": "enron, rare labels",
    "medical": "medical, sparse text",
    "emotions/w": "emotions, weights",
    "scene/x3": "scene, repeated rows",
}
KINDS = ("result", "percentile")


def read(name: str) -> list[dict[str, str]]:
    """The lines of a file; none if it has not been made."""
    path = HERE / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def dependence() -> list[str]:
    """How often permuted labels are rejected, by set."""
    rows = read("dependence")
    columns = [name for name in rows[0] if name not in ("set", "draws")] if rows else []
    lines = [[SETS.get(row["set"], row["set"]), *(row[name] for name in columns)] for row in rows]
    return table(["set", *columns], lines)


def significant() -> list[str]:
    """Too many directions and all found, by true directions and their strength."""
    rows = read("significant")
    methods = list(dict.fromkeys(row["method"] for row in rows))
    cells = list(dict.fromkeys((row["true"], row["strength"]) for row in rows))
    found = {(row["true"], row["strength"], row["method"]): row for row in rows}
    lines = []
    for true, strength in cells:
        of = [found[true, strength, method] for method in methods]
        rates = [f"{float(r['too_many']):.3f}, {float(r['all_found']):.3f}" for r in of]
        lines.append([true, "" if true == "0" else strength, *rates])
    return table(["true directions", "strength", *methods], lines)


def coverage() -> list[str]:
    """How often intervals contain the eigenvalues of the population."""
    found = {
        (row["rows"], row["reducer"], row["interval"]): row for row in read("bootstrap_coverage")
    }
    lines = []
    for rows, reducer in dict.fromkeys(key[:2] for key in found):
        of = [found[rows, reducer, kind] for kind in KINDS]
        lines.append([reducer, rows, *(row[name] for row in of for name in ("first", "second"))])
    names = ["reducer", "rows", "interval: first", "second", "percentiles: first", "second"]
    return table(names, lines)


TABLES = {"dependence": dependence, "significant": significant, "bootstrap_coverage": coverage}


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, make in TABLES.items():
        # A table stays until its script has been run.
        if not read(name):
            continue
        begin, end = f"<!-- {name}, by benchmarks/inference_page.py -->", f"<!-- end of {name} -->"
        before, after = text.split(begin)[0], text.split(end)[1]
        text = f"{before}{begin}\n\n" + "\n".join(make()) + f"\n\n{end}{after}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
