"""Figures that guides repeat are those of the reproduction page and of the table of choices."""

import csv
import re
import runpy
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
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


def test_numbers_of_the_readme_are_those_of_the_pages():
    readme = " ".join((DOCS.parent / "README.md").read_text(encoding="utf-8").split())
    neighbours = table_with(text_of("embeddings"), "all 256")
    shares = re.search(
        r"in ([\d.]+) % of the ten nearest, all 256 in ([\d.]+) %, PCA\(16\) in ([\d.]+) %", readme
    ).groups()
    names = ("**EmbeddingReducer**", "all 256", "PCA")
    assert [round(float(share) / 100, 3) for share in shares] == [
        float(neighbours[name]["seen, 16"]) for name in names
    ]
    ranks = table_with(text_of("defaults"), "LABEL_RANKING_AVERAGE_PRECISION")
    said = re.search(
        r"mean ranks ([\d.]+) \(ranking\) and ([\d.]+) \(micro-F1\) of 29 .* systems have ([\d.]+) "
        r"and ([\d.]+)",
        readme,
    ).groups()
    both = [ranks[name] for name in ("LABEL_RANKING_AVERAGE_PRECISION", "MICRO_F1")]
    assert said[:2] == tuple(row["five splits"] for row in both)
    # The best of the others on the five splits is in the last column.
    assert said[2:] == tuple(row["best other"] for row in both)
    times = table_with(text_of("choice"), "fold matrices only, 100,000 x 500, 10 folds")
    first = times["yeast, OPLS x 5 ridges x 14 dimensions, 5 folds"]
    assert first == {"peer": "`GridSearchCV`", "ratio": "1 / 69"}
    assert "a 69th of `GridSearchCV`" in readme


def test_the_page_on_when_it_pays_is_made_from_the_stored_results():
    program = runpy.run_path(str(ROOT / "benchmarks" / "when_it_pays_page.py"))
    written = text_of("when_it_pays").partition(program["BEGIN"])[2].partition(program["END"])[0]
    assert written.strip() == "\n".join(program["page_lines"](program["read_rows"]())).strip()


def test_a_mean_difference_of_the_page_on_when_it_pays():
    """One cell of the page, from the stored results by other means."""
    with (ROOT / "benchmarks" / "when_it_pays.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["rows"] == "all" and row["svm_micro"]]
    n_methods = len({row["method"] for row in rows})
    by_set = defaultdict(dict)
    for row in rows:
        by_set[row["set"]][row["method"]] = int(row["svm_micro"])
    pairs = [
        (cells["OPLS"] - cells["all features"])
        for cells in by_set.values()
        if len(cells) == n_methods
    ]
    table = table_with(text_of("when_it_pays").partition("features: all rows")[2], "OPLS")
    higher, lower = sum(d > 10 for d in pairs), sum(d < -10 for d in pairs)
    cell = table["OPLS"]["LinearSVC"]
    assert float(cell.split()[0]) == pytest.approx(np.mean(pairs) / 1000, abs=6e-4)
    assert cell.endswith(f"({higher}, {lower})")
