"""
Fewer dimensions, better neighbours
===================================

Share of the ten nearest texts that have an emotion in common with the query, against the number of
dimensions, from the tables of docs/embeddings.md that ``benchmarks/embeddings_table.py`` has
measured.

usage: python examples/figure_embeddings.py [FILE.svg]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

PAGE = Path(__file__).resolve().parents[1] / "docs" / "embeddings.md"
# Name in the table, name in the figure, colour, marker, width: lines may lie on each other.
LINES = [
    ("**EmbeddingReducer**", "EmbeddingReducer", "#0b5394", "o", 4.0),
    ("PCA", "PCA", "#e69138", "s", 1.5),
    ("first dimensions", "first dimensions", "#777777", "^", 1.5),
]
PANELS = {"seen": "Labels seen in fit", "unseen": "Labels not seen in fit"}


def measured() -> dict[str, dict[tuple[str, int], float]]:
    """Quality by method, column and number of dimensions."""
    text = PAGE.read_text(encoding="utf-8")
    table = re.search(r"<!-- wordllama -->\n\n(.*?)\n\n<!-- end", text, re.DOTALL)
    assert table
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in table[1].splitlines()]
    columns = [(name, int(k)) for name, k in (cell.split(", ") for cell in rows[0][1:])]
    return {
        row[0]: {key: float(c) for key, c in zip(columns, row[1:], strict=True) if c != "-"}
        for row in rows[2:]
    }


def main(path: str) -> None:
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "labelspan", "font.size": 10})
    found = measured()
    whole = next(name for name in found if name.startswith("all "))
    figure, panels = plt.subplots(1, 2, figsize=(6.6, 3.1), sharey=True, layout="constrained")
    for panel, (column, title) in zip(panels, PANELS.items(), strict=True):
        for name, shown, colour, marker, width in LINES:
            points = [(k, value) for (of, k), value in found[name].items() if of == column]
            style = {"color": colour, "marker": marker, "linewidth": width}
            panel.plot(*zip(*points, strict=True), **style, markersize=4 + width, label=shown)
        level = next(value for (of, _), value in found[whole].items() if of == column)
        dashed = {"color": "black", "linestyle": "--", "linewidth": 1}
        panel.axhline(level, **dashed, label=f"{whole} dimensions")
        panel.set_xscale("log", base=2)
        panel.set_xticks([8, 16, 32, 64], ["8", "16", "32", "64"])
        panel.set_xlim(7, 73)
        panel.minorticks_off()
        panel.set_title(title, fontsize=11)
        panel.set(xlabel="dimensions")
        panel.grid(axis="y", color="#dddddd")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set(ylabel="neighbours with a common label", ylim=(0.05, 0.42))
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None, dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "docs/embeddings.svg")
