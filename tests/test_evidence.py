"""Figures that guides repeat are those of the reproduction page and of the table of choices."""

import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[1] / "docs"
# Names of the guides, and of the reproduction.
NAMES = {"MDDM": "MDDM_p", "MDDM, feature": "MDDM_f", "LabelCCA": "CCA", "none": "no reduction"}


def text_of(page):
    return (DOCS / f"{page}.md").read_text(encoding="utf-8").replace("\\_", "_")


def tables(text):
    """Each table as a dict of rows, which are dicts of cells; the first column names the row."""
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        head, _, *rows = [[c.strip() for c in row.split("|")[1:-1]] for row in block.splitlines()]
        yield {row[0]: dict(zip(head[1:], row[1:], strict=False)) for row in rows}


def section(name):
    """A section of the reproduction page."""
    return text_of("reproduction").partition(f'<a id="{name}"></a>')[2].partition("<a id=")[0]


def table_with(text, row):
    return next(table for table in tables(text) if row in table)


def test_average_ranks_of_the_guide():
    measured = table_with(section("mvmdfigure3"), "average rank, MVMD")
    guide = table_with(text_of("which_method"), "ours")
    for name, rank in guide["ours"].items():
        line = measured[f"average rank, {NAMES.get(name, name)}"]
        assert rank == f"{float(line['ours']):.2f}"
        assert guide["printed"][name] == line["printed"]


def test_directions_of_the_guide():
    measured = table_with(section("mvmdtables9-10"), "directions on yeast")
    guide = table_with(text_of("which_dimension"), "eukaryote-go")
    assert len(guide) == 8
    for data, row in guide.items():
        line = measured[f"directions on {data}"]
        assert {NAMES.get(n, n): v for n, v in row.items() if n != "labels"} == line


def test_times_of_the_guide():
    line = table_with(section("mvmdtables9-10"), "directions on yeast")[
        "seconds to fit on human-go"
    ]
    text = " ".join(text_of("which_method").split())
    sentence = re.search(r"on human-go \(.*?\): (.*?) \(\[table", text).group(1)
    sentence = sentence.replace('MDDM with the constraint "feature"', "MDDM, feature")
    found = re.findall(r"([A-Z][\w, ]*?) ([\d.]+) s", sentence)
    assert len(found) == 6
    for name, seconds in found:
        name = name.strip(", ")
        digits = len(seconds.partition(".")[2])
        assert seconds == f"{float(line[NAMES.get(name, name)]):.{digits}f}"


def test_losses_of_the_guide_for_more_directions():
    measured = table_with(section("mvmdfigure2"), "Hamming loss on scene with 47 directions")
    text = " ".join(text_of("which_dimension").split())
    losses = re.search(r"MVMD is ([\d.]+) with 6 .*? ([\d.]+) with 47 .*? ([\d.]+) with 100", text)
    for directions, loss in zip((6, 47, 100), losses.groups(), strict=True):
        assert measured[f"Hamming loss on scene with {directions} directions"]["MVMD"] == loss


def test_the_mean_of_the_table_of_choices():
    """A row per data set, the last one their mean; cells have several columns of one name."""
    text = text_of("choice").partition("| set | `ReducerCV()`: micro-F1 |")[2]
    rows = [[c.strip() for c in line.split("|")[2:-1]] for line in text.splitlines()[2:13]]
    *sets, mean = np.array(rows, dtype=float)
    assert len(sets) == 10
    # Rounded cells, of three digits or of one.
    np.testing.assert_allclose(
        np.mean(sets, axis=0)[[0, 1, 3, 4, 6, 7]], mean[[0, 1, 3, 4, 6, 7]], atol=1e-3
    )
    np.testing.assert_allclose(np.mean(sets, axis=0)[[2, 5, 8]], mean[[2, 5, 8]], atol=0.1)


@pytest.mark.parametrize("page", ["which_method", "comparing"])
def test_the_critical_difference(page):
    line = table_with(section("mvmdfigure4"), "critical difference, nine methods, eight sets")
    value = line["critical difference, nine methods, eight sets"]["ours"]
    assert value in text_of(page)
