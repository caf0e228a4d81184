"""Reproductions: the printed values are well formed, and the rules judge as stated."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from labelspan.experiments import Source, Store
from labelspan.lab.methods import ALL_MEASURES
from labelspan.metrics import MEASURES, PAPER_MEASURES
from labelspan.papers import (
    EXPERIMENTS,
    PAPERS,
    Experiment,
    Judged,
    Outcome,
    Values,
    document,
    find_experiments,
    judge_statement,
    judge_value,
    printed_values,
    reproduce,
)
from tests.lab.plans import toy_plan
from tests.lab.test_cli import labelspan  # noqa: F401
from tests.papers.reproduced import reproduced, verdicts

SETS = find_experiments(["mvmd/figure3"])[0].data


def judged(name, *values):
    """The lines of an experiment of the MVMD paper for these values."""
    (experiment,) = find_experiments([f"mvmd/{name}"])
    return experiment.judge(Values(*values), printed_values("mvmd"))


@pytest.fixture
def titles():
    """The nine methods of the MVMD paper."""
    (plan, *_) = find_experiments(["mvmd/figure3"])[0].plans(quick=False)
    return [step.title for step in plan.reducers]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_data_files_are_well_formed(paper):
    content = printed_values(paper)
    assert all(content["unavailable"].values())
    for measure in content.get("measures", ()):
        assert measure in ALL_MEASURES


def test_every_row_of_the_typed_tables_has_a_deviation():
    content = printed_values("mddm")
    tables = [name for name in content if name.startswith("table")]
    assert len(tables) == 10
    for table in tables:
        means, deviations = content[table]["mean"], content[table]["deviation"]
        assert list(means) == list(deviations)
        for name, row in means.items():
            assert len(row) == len(deviations[name]) == len(content["measures"])
            for value, width in zip(row, deviations[name], strict=True):
                # Deviations of a Hamming loss may be printed as 0.000.
                assert (math.isnan(value) and math.isnan(width)) or value > width >= 0


def test_the_rules():
    assert judge_value("x", 0.5, 0.55, deviation=0.06).verdict == "reproduced"
    assert judge_value("x", 0.5, 0.55, deviation=0.04).verdict == "not reproduced"
    assert judge_value("x", 0.5, 0.504, errors=(0.001, 0.001)).verdict == "reproduced"
    assert judge_value("x", 0.5, 0.504, errors=(0.001, 0.0)).verdict == "not reproduced"
    assert judge_value("x", 0.0113, 0.01134, deviation=0.0).verdict == "reproduced"
    assert judge_value("x", 0.0113, 0.01136, deviation=0.0).verdict == "not reproduced"
    # A printed error of 0.0000 is half of its last digit.
    assert judge_value("x", 0.5, 0.50014, errors=(0.0, 0.0)).verdict == "reproduced"
    assert judge_value("x", 0.5, 0.50016, errors=(0.0, 0.0)).verdict == "not reproduced"
    assert judge_value("x", 0.5, 0.519).verdict == "reproduced"
    assert judge_value("x", 0.5, 0.521).verdict == "not reproduced"
    assert judge_value("x", 0.5, None).verdict == "not reproduced"
    assert judge_value("x", math.nan, 0.4).verdict == "not judged"
    assert judge_statement("x", "a", "b", False).verdict == "not reproduced"
    # The stricter rule: one standard error of the printed mean, 0.06 / sqrt(9).
    for ours, strictly in ((0.519, True), (0.521, False), (None, False)):
        line = judge_value("x", 0.5, ours, deviation=0.06, n_printed=9)
        assert (line.strictly, line.verdict == "reproduced") == (strictly, ours is not None)
    assert judge_value("x", 0.5, 0.5).strictly is None
    assert judge_value("x", 0.5, 0.4).difference == pytest.approx(-0.1)


def test_the_ranks_of_nine_methods_are_judged_by_their_order(titles):
    printed = printed_values("mvmd")
    order = sorted(printed["figure3"], key=lambda name: printed["figure3"][name])

    def values(order):
        found = {}
        for measure in PAPER_MEASURES["mvmd"]:
            sign = 1 if MEASURES[measure].direction == "min" else -1
            for name in SETS:
                for title in titles:
                    found[(name, title, measure)] = [0.5 + sign * 0.01 * order.index(title)]
        return found, ()

    assert [line.verdict for line in judged("figure3", *values(order))][:3] == ["reproduced"] * 3
    lines = judged("figure3", *values(order[::-1]))
    assert [line.verdict for line in lines][:3] == ["not reproduced"] * 3
    assert lines[0].ours == "DMLDA, no reduction"


def test_curves_and_spectra_are_judged_on_scene(titles):
    found, curves = {}, {}
    for measure in PAPER_MEASURES["mvmd"]:
        sign = 1 if MEASURES[measure].direction == "min" else -1
        for title in titles:
            best = 0.1 if title == "MVMD" else 0.2
            found[("scene", title, measure)] = [0.5 + sign * best]
            curves[("scene", title, measure)] = {1: 0.5 + sign * 0.3, 5: 0.5 + sign * best}
    good = {line.what: line for line in judged("figure2", found, (), curves)}
    assert {line.verdict for line in good.values()} == {"reproduced", "not judged"}
    assert good["Hamming loss on scene with 1 directions, CCA"].ours == pytest.approx(0.8)
    curves[("scene", "CCA", "hamming_loss")][5] = 0.6
    bad = {line.what: line for line in judged("figure2", found, (), curves)}
    what = "CCA is at its own best with the share 0.999 on scene"
    assert bad[what].verdict == "not reproduced"
    assert bad[what].ours == "on 5 of 6 measures"
    steep = [1000.0, 500, 400, 300, 200, 100, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    for spectrum, verdict in ((steep, "reproduced"), (list(range(20, 1, -1)), "not reproduced")):
        lines = judged("figure1", {}, (), {}, {("scene", "MVMD"): spectrum})
        (line,) = (line for line in lines if line.what.startswith("eigenvalues of MVMD fall fast"))
        assert line.verdict == verdict


def test_sizes_and_times_are_judged_by_their_groups(titles):
    def lines(sizes, seconds):
        found = {}
        for title, size, time in zip(titles[1:], sizes, seconds, strict=True):
            for name in SETS:
                found[(name, title, "n_components")] = [size]
                found[(name, title, "fit_seconds")] = [time]
        return judged("tables9-10", found, ())[:3]

    # PCA, MDDM_p, MDDM_f, CCA, MLSI, MLDA, DMLDA, MVMD
    good = lines((90, 5, 6, 6, 91, 5, 92, 40), (1, 3, 4, 5, 9, 4, 3, 2))
    assert [line.verdict for line in good] == ["reproduced"] * 3
    bad = lines((30, 5, 6, 6, 91, 5, 92, 40), (1, 1, 4, 5, 3, 4, 3, 2))
    assert [line.verdict for line in bad] == ["not reproduced"] * 3
    assert bad[1].ours == "faster than MVMD: MDDM_p"


def toy_experiment(tmp_path):
    def judge(values, printed):
        ours = values.mean("toy", "MDDM_p", "micro_f1")
        return [
            judge_value("good <b>", ours, ours),
            judge_value("time: slowest", 9.0, ours),
            Judged("shown", None, ours, "not judged"),
        ]

    plans = (toy_plan(tmp_path),)
    return Experiment("mvmd/toy", "a toy", ("yeast",), 1, 1, lambda quick: plans, judge)


def test_an_experiment_is_run_judged_and_documented(tmp_path):
    experiment = toy_experiment(tmp_path)
    with Store(tmp_path / "out") as store:
        (outcome,) = reproduce([experiment], store, n_jobs=0)
        (again,) = reproduce([experiment], store, n_jobs=0)
    assert outcome.judged == again.judged
    assert [line.verdict for line in outcome.judged] == [
        "reproduced",
        "not reproduced",
        "not judged",
    ]
    # The line that was not reproduced has the known reason of the data file.
    assert outcome.judged[1].reasons == (
        "tried: ours solves MLSI by a thin factor, too; their programs were not timed",
    )
    assert outcome.summary == "1 of 2 printed values and statements reproduced"
    text = document([outcome], "labelspan reproduce all")
    assert text == document([again], "labelspan reproduce all")
    assert "| good &lt;b&gt; |" in text
    assert "FlyExpress kernels are not public" in text
    assert "| [mvmd/toy](#mvmdtoy) | a toy | - | 1 of 2 | - | - |" in text
    assert "About half of the printed values (1 of 2) were reproduced." in text
    (why,) = outcome.judged[1].reasons
    assert f"- unexplained, 1 in mvmd/toy: {why}." in text
    # A line refers to its reason by number, because many may share one.
    assert re.search(r"^\| .* \| not reproduced \| .*; reason 1 \|$", text, re.MULTILINE)
    assert f"\n1. 1 line: {why}.\n" in text
    minutes = sum(outcome.values.seconds.values()) / 60
    assert f"The runs behind this page took {minutes:.0f} processor minutes.\n" in text
    late = replace(outcome, not_run="postponed", values=Values({}, ()))
    told = "took 0 processor minutes. Those that were not run would take at most about 1 more."
    assert told in document([late], "labelspan reproduce all")
    # What the numbers depend on: data, splits, versions.
    assert "toy: 2 x 2-fold stratified cross-validation" in outcome.setting
    assert f"numpy {np.__version__}" in text
    assert "\n\n## The authors' own programs\n" in text


def test_a_budget_postpones_what_does_not_fit_and_resumes_from_the_store(tmp_path):
    experiment = replace(toy_experiment(tmp_path), minutes=30)
    with Store(tmp_path / "out") as store:
        (put_off,) = reproduce([experiment], store, n_jobs=0, budget=0.4)
        assert put_off.not_run == "postponed: its 30 minutes do not fit into the budget of 0.4 h"
        assert store.n_cells == 0
        (run,) = reproduce([experiment], store, n_jobs=0, budget=0.6)
        # What is stored costs nothing.
        (again,) = reproduce([experiment], store, n_jobs=0, budget=0.01)
    assert len(run.judged) == 3
    assert again.judged == run.judged


def test_what_is_stored_is_judged_and_what_is_not_is_named(tmp_path):
    """Two data sets of one plan, of which the store holds one and half of the other."""
    experiment = toy_experiment(tmp_path)
    (one,) = experiment.plans(False)
    (source,) = one.sources
    other = Source.from_any({"name": "other", "path": source.path})
    both = replace(one, sources=(source, other))
    wider = replace(experiment, plans=lambda quick: (both,))
    half = replace(both, sources=(other,), reducers=both.reducers[:1])
    with Store(tmp_path / "out") as store:
        (nothing,) = reproduce([wider], store, n_jobs=0, stored=True)
        assert nothing.not_run.startswith(
            "labelspan reproduce mvmd/toy runs it, about 1 processor min"
        )
        assert store.n_cells == 0
        (run,) = reproduce([experiment], store, n_jobs=0)
        list(reproduce([replace(experiment, plans=lambda quick: (half,))], store, n_jobs=0))
        n_cells = store.n_cells
        (found,) = reproduce([wider], store, n_jobs=0, stored=True)
        assert store.n_cells == n_cells
    assert found.judged == run.judged
    assert "Not run yet: other; labelspan reproduce mvmd/toy runs it" in found.setting
    assert "other:" not in found.setting


def test_the_page_says_first_what_came_out_by_paper(tmp_path):
    with Store(tmp_path / "out") as store:
        (outcome,) = reproduce([toy_experiment(tmp_path)], store, n_jobs=0)
    text = document([outcome], "labelspan reproduce all")
    row = "| Xu, Liu, Yin and Sun 2016 (MVMD) | 2 | - | 1 | 0 | 0 | 1 | - | - |"
    assert row in text[: text.index("[mvmd/toy](#mvmdtoy)")]


@pytest.mark.parametrize(("minutes", "first"), [(7.9, "mvmd/figure1"), (8.1, "mvmd/toy")])
def test_a_budget_takes_the_most_printed_values_per_minute_first(tmp_path, minutes, first):
    # The paper prints no value of the toy, which counts as one, and the figure has eight.
    toy = replace(toy_experiment(tmp_path), minutes=1)
    figure = replace(toy, name="mvmd/figure1", minutes=minutes)
    with Store(tmp_path / "out") as store:
        for given in ([toy, figure], [figure, toy]):
            found = list(reproduce(given, store, n_jobs=0, budget=0.0))
            assert all(outcome.not_run.startswith("postponed") for outcome in found)
            assert found[0].experiment.name == first


def tables_of(lines):
    """The tables of an experiment on the page, as lists of their lines."""
    (experiment,) = find_experiments(["mvmd/figure1"])
    page = document([Outcome(experiment, lines, False)], "labelspan reproduce mvmd/figure1")
    part = page.split("\n### mvmd/figure1")[1].split("\n## ")[0]
    tables = re.findall(r"(?:^\|.*\n)+", part, re.MULTILINE)
    return [table.splitlines() for table in tables]


def test_lines_that_make_a_table_are_folded():
    methods, measures = ("A", "B <b>", "C"), ("loss", "F1")
    lines = [
        judge_value(f"{measure}, {method}", 0.5, 0.5 + 0.03 * (method == "C"), note="one set")
        for measure in measures
        for method in methods
    ]
    single = Judged("alone, x", None, 3, "not judged")
    words = [
        judge_statement(f"A against {other}, {measure}", "better", found, found == "better")
        for other, found in (("B", "better"), ("C", "worse"), ("D", "better"))
        for measure in measures
    ]
    found = tables_of([*lines, single, *words])
    assert [
        "|  | loss | F1 |",
        "|---|---:|---:|",
        "| A | 0.5 (0.5) | 0.5 (0.5) |",
        "| B &lt;b&gt; | 0.5 (0.5) | 0.5 (0.5) |",
        "| C | **0.53 (0.5)** ✗ | **0.53 (0.5)** ✗ |",
    ] in found
    (text_grid,) = [table for table in found if table[2].startswith("| A against B")]
    assert text_grid[2:] == [
        "| A against B | better | better |",
        "| A against C | **worse (better)** ✗ | **worse (better)** ✗ |",
        "| A against D | better | better |",
    ]
    (rest,) = [table[2:] for table in found if "| printed |" in table[0]]
    assert [row.split(" | ")[0] for row in rest] == ["| alone, x"]
    assert len(found) == 3


def test_a_table_with_holes_or_few_lines_stays_lines():
    few = [judge_value(f"{a}, {b}", 0.5, 0.5) for a in "xy" for b in "pq"]
    diagonal = [judge_value(f"{i}, {j}", 0.5, 0.5) for i in range(6) for j in (i, i + 1)]
    for lines in (few, diagonal):
        (table,) = tables_of(lines)
        assert [row.split(" | ")[0] for row in table[2:]] == [f"| {line.what}" for line in lines]


def test_names_of_experiments():
    assert [item.name for item in find_experiments(["mvmd/figure1"])] == ["mvmd/figure1"]
    assert find_experiments(["all"]) == list(EXPERIMENTS)
    assert len(find_experiments(["mvmd", "mvmd/figure1"])) == 6
    with pytest.raises(ValueError, match="no experiment 'mvmd/table1'; known are mddm/figure2"):
        find_experiments(["mvmd/table1"])


def test_the_list_says_what_each_needs_and_what_cannot_be_run(labelspan):  # noqa: F811
    code, out, _ = labelspan("reproduce", "list", "--long")
    assert code == 0
    for item in EXPERIMENTS:
        assert item.name in out
        assert item.title in out
    assert "FlyExpress kernels are not public" in out
    code, out, _ = labelspan("reproduce", "list", "--json")
    assert {item["name"] for item in json.loads(out)["experiments"]} == {
        item.name for item in EXPERIMENTS
    }


def test_the_list_has_one_line_per_experiment(labelspan):  # noqa: F811
    code, out, _ = labelspan("reproduce", "list")
    assert code == 0
    header, *lines = out.splitlines()
    assert header.split() == ["name", "minutes", "quick", "lacks", "what"]
    assert [line.split()[0] for line in lines[:-3]] == [item.name for item in EXPERIMENTS]
    assert max(map(len, out.splitlines())) <= 100
    assert "--long" in lines[-1]


def test_the_directions_on_scene_are_the_printed_ones(dataset, labelspan, tmp_path):  # noqa: F811
    dataset("scene")
    common = ("reproduce", "mvmd/figure1", "--quick", "--jobs", "0", "--out", tmp_path)
    code, out, _ = labelspan(*common, "--json")
    assert code == 0
    (outcome,) = json.loads(out)
    assert outcome["summary"] == "9 of 9 printed values and statements reproduced"
    # The table shows the nine; the others are counted.
    n_others = len(outcome["judged"]) - 9
    *table, told, _ = labelspan(*common)[1].splitlines()[3:]
    assert len(table) == 9
    assert told == f"{n_others} values are not judged and left out; --long shows all"
    assert len(labelspan(*common, "--long")[1].splitlines()[3:]) == 9 + n_others + 1


@pytest.mark.reproduce
@pytest.mark.parametrize("name", [item.name for item in EXPERIMENTS])
def test_every_cell_of_the_papers_ends_well(name):
    assert reproduced(name).failed == ()


@pytest.mark.reproduce
def test_the_first_and_the_last_two_of_nine_methods_are_the_printed_ones():
    found = verdicts(reproduced("mvmd/figure3"))
    assert found["first and second of nine"] == "reproduced"
    assert found["the last two of nine"] == "reproduced"


def test_a_stored_experiment_is_not_run_twice(dataset, tmp_path, monkeypatch):
    dataset("scene")
    monkeypatch.setenv("LABELSPAN_REPRODUCE", str(tmp_path))
    first = reproduced("mvmd/figure1", quick=True)
    assert verdicts(first)["directions on scene, MVMD"] == "reproduced"
    with Store(tmp_path) as store:
        stored = store.n_cells
    # Without the cache of the helper, the values come from the store.
    again = reproduced.__wrapped__("mvmd/figure1", quick=True)
    with Store(tmp_path) as store:
        assert store.n_cells == stored
    assert again.judged == first.judged
