"""The tables of docs/which_selector.md, from benchmarks/selectors.csv.

usage: python benchmarks/selectors_page.py
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from labelspan.stats import nemenyi

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "benchmarks" / "selectors.csv", ROOT / "docs" / "which_selector.md"
BEGIN, END = "<!-- by benchmarks/selectors_page.py -->", "<!-- end of the tables -->"
MEASURES = {"micro_f1": "micro-F1", "macro_f1": "macro-F1"}
READOUTS = ("ridge", "ML-kNN")
SIZES = (5, 10, 20, 50, 100)


def read() -> list[dict[str, str]]:
    """The lines of the file."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(
    rows: list[dict[str, str]], readout: str, measure: str, names: list[str]
) -> tuple[list[str], dict[int, np.ndarray]]:
    """Sets that have all selectors, and by size the scores (n_sets, n_selectors)."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    for row in rows:
        if row["readout"] == readout and row["selector"] in names:
            place = found.setdefault((row["set"], int(row["n_features"])), {})
            place[row["selector"]] = float(row[measure])
    sets = list(dict.fromkeys(row["set"] for row in rows))
    whole = [
        name for name in sets if any(len(found.get((name, s), {})) == len(names) for s in SIZES)
    ]
    scores = {
        size: np.array(
            [
                [found[name, size][selector] for selector in names]
                for name in whole
                if len(found.get((name, size), {})) == len(names)
            ]
        )
        for size in SIZES
    }
    return whole, scores


def ranks(rows: list[dict[str, str]], names: list[str], title: str) -> list[str]:
    """Mean scores by size, mean ranks over all sizes, and the critical difference."""
    lines: list[str] = []
    for readout in READOUTS:
        for measure, label in MEASURES.items():
            sets, scores = table(rows, readout, measure, names)
            if len(sets) < 2:
                continue
            # One line per set: the mean over its numbers of features.
            together = np.mean([A for A in scores.values() if len(A) == len(sets)], axis=0)
            result = nemenyi(together, names=names)
            mean_ranks = result.ranks.average
            apart = result.critical_difference
            lines += [
                f"### {title}: {readout}, {label}",
                "",
                f"{len(sets)} sets: {', '.join(sets)}. Ranks are of the mean over the numbers of "
                f"features; those that differ by less than {apart:.2f} are not told apart "
                "(Nemenyi, .05).",
                "",
                "| selector | mean rank | " + " | ".join(f"{size}" for size in SIZES) + " |",
                "|---|---:|" + "---:|" * len(SIZES),
            ]
            for place in np.argsort(mean_ranks, kind="stable"):
                cells = [f"{A[:, place].mean():.3f}" if len(A) else "-" for A in scores.values()]
                lines.append(
                    f"| {names[place]} | {mean_ranks[place]:.2f} | " + " | ".join(cells) + " |"
                )
            lines.append("")
    return lines


def times(rows: list[dict[str, str]], names: list[str]) -> list[str]:
    """Median and largest processor time of a fit."""
    lines = ["### Time", "", "| selector | sets | median s | largest s |", "|---|---:|---:|---:|"]
    for name in names:
        seconds = {row["set"]: float(row["seconds"]) for row in rows if row["selector"] == name}
        values = list(seconds.values())
        longest = max(seconds, key=lambda key: seconds[key])
        lines.append(
            f"| {name} | {len(values)} | {np.median(values):.2f} | {max(values):.2f} ({longest}) |"
        )
    return [*lines, ""]


def given_up(count: dict[str, set[str]]) -> list[str]:
    """Where selectors have no lines."""
    sets = sorted(set.union(*count.values()))
    missing = {name: [s for s in sets if s not in known] for name, known in count.items()}
    told = [f"{name}: {', '.join(places)}." for name, places in missing.items() if places]
    if not told:
        return []
    return ["### Given up, or not run", "", *(f"- {line}" for line in told), ""]


def main() -> None:
    """Replace the tables of the page."""
    rows = read()
    count: dict[str, set[str]] = {}
    for row in rows:
        count.setdefault(row["selector"], set()).add(row["set"])
    most = max(len(sets) for sets in count.values())
    everywhere = [name for name, sets in count.items() if len(sets) == most]
    lines = ranks(rows, everywhere, "On all sets")
    if len(everywhere) < len(count):
        lines += ranks(rows, list(count), "All selectors")
    lines += times(rows, list(count)) + given_up(count)
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page = f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n{END}{after}"
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
