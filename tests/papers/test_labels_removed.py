"""Labels removed from training parts: which ones, for which methods, and the messages."""

import json
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from labelspan import MDDM, MLDA, MLkNN
from labelspan.experiments import Cell, Plan, Source, Splits, Step, Store, analyse, run, run_cell
from labelspan.lab.analysis import declines
from labelspan.lab.plan import (
    cell_from_dict,
    holed_sources,
    loaded,
    removed,
    split_indices,
    steps_of,
)
from labelspan.lab.runner import check_before_run
from labelspan.metrics import micro_f1
from tests.lab.plans import toy_plan, write_toy
from tests.lab.test_cli import assert_refused, labelspan  # noqa: F401


def holes(mechanism, share, seed=(0, 0), shape=(200, 6)):
    Y = np.random.default_rng(1).integers(0, 2, shape)
    source = Source("x", missing=share, mechanism=mechanism)
    found = removed(Y, source, seed)
    if share:
        np.testing.assert_array_equal(found[~np.isnan(found)], Y[~np.isnan(found)])
        np.testing.assert_array_equal(removed(sparse.csr_array(Y), source, seed), found)
    return np.isnan(found.astype(float))


@pytest.mark.parametrize("mechanism", ["mcar", "labels", "rows"])
def test_shares_are_kept_and_nested_and_drawn_by_the_seed(mechanism):
    shares = [0, 0.2, 0.5, 0.8]
    found = [holes(mechanism, share) for share in shares]
    for share, hole in zip(shares, found, strict=True):
        assert hole.mean() == pytest.approx(share, abs=1e-9)
    for less, more in pairwise(found):
        if mechanism != "labels":  # rates of single labels can fall
            assert not (less & ~more).any()
    np.testing.assert_array_equal(holes(mechanism, 0.5), found[2])
    assert (holes(mechanism, 0.5, (0, 1)) != found[2]).any()
    assert (holes(mechanism, 0.5, (1, 0)) != found[2]).any()


def test_mechanisms_differ_in_what_they_take_together():
    by_label, by_row = (holes("labels", 0.5).mean(axis=0), holes("rows", 0.5))
    np.testing.assert_allclose(np.sort(by_label), np.linspace(0.05, 0.95, 6), atol=0.01)
    assert set(by_row.sum(axis=1)) == {0, 6}
    mcar = holes("mcar", 0.5)
    assert len(set(mcar.sum(axis=1))) > 4
    assert np.ptp(mcar.mean(axis=0)) < 0.2


def cell_of(reducer, classifier="mlknn", share=0.5, **more):
    (source,) = holed_sources((Source("yeast"),), (share,), "mcar")
    (reducer,), (classifier,) = steps_of(reducer), steps_of(classifier)
    splits = Splits("folds", n_folds=5, n_repeats=1)
    return Cell(source, splits, 1, reducer, classifier, ("micro_f1",), **more)


@pytest.mark.parametrize(
    ("name", "reducer", "zero"),
    [("mddm-p", MDDM(), False), ("mddm-p+zero", MDDM(), True), ("mlda+zero", MLDA(), True)],
)
def test_a_cell_learns_from_the_labels_that_are_left(name, reducer, zero):
    cell = cell_of(name)
    result = run_cell(cell)
    assert result.status == "ok", result.error
    yeast = loaded(cell.source)
    train, test = split_indices(cell.source, cell.splits, 0)[1]
    Y = removed(yeast.Y[train], cell.source, (0, 1))
    assert np.isnan(Y).mean() == pytest.approx(0.5, abs=1e-4)
    reducer.fit(yeast.X[train], np.nan_to_num(Y) if zero else Y)
    Z, Z_test = (reducer.transform(yeast.X[rows]) for rows in (train, test))
    model = MLkNN().fit(Z, Y)
    assert result.rows[0][1] == pytest.approx(micro_f1(yeast.Y[test], model.predict(Z_test)))


def test_no_share_is_the_plain_cell():
    plain = run_cell(
        Cell(
            Source("yeast"),
            Splits("folds", n_folds=5, n_repeats=1),
            1,
            Step("mddm-p"),
            Step("mlknn"),
            ("micro_f1",),
        )
    )
    assert run_cell(cell_of("mddm-p", share=0)).rows == plain.rows


def test_parameters_are_tuned_on_the_labels_that_are_left():
    result = run_cell(cell_of("mvmd+zero", tune=True))
    assert (result.status, result.error) == ("ok", "")
    assert result.series["chosen"]
    result = run_cell(cell_of("mvmd", tune=True))
    assert (result.status, result.error) == ("ok", "")


def test_a_method_that_takes_none_is_refused_before_the_first_cell(tmp_path):
    for name, reason in (
        ("mlda", r"mlda does not accept missing labels: its statistics .* Give mlda\+zero"),
        (
            "sklearn.neighbors:NeighborhoodComponentsAnalysis",
            r"does not say that it does. Give sklearn.*zero",
        ),
    ):
        plan = toy_plan(tmp_path, reducers=(name,), classifiers=(Step("mlknn"),))
        check_before_run(plan, None, None)
        sources = holed_sources(plan.sources, (0.0, 0.5), "rows")
        holed = Plan(plan.name, sources, plan.reducers, plan.classifiers, splits=plan.splits)
        with pytest.raises(ValueError, match=reason):
            check_before_run(holed, None, None)
        steps = tuple(steps_of(f"{name}+zero"))
        check_before_run(Plan(plan.name, sources, steps, plan.classifiers), None, None)
    # Methods that do not use labels are allowed.
    steps = tuple(Step(name) for name in ("none", "lpp", "pca", "mddm-p"))
    check_before_run(Plan(plan.name, sources, steps, plan.classifiers), None, None)


def test_hashes_of_other_plans_stay_and_cells_come_back_from_json():
    plain, holed = cell_of("mddm-p").source.whole, cell_of("mddm-p+zero")
    assert plain == Source("yeast")
    steps = Step("mddm-p"), Step("ridge@0.2.0")
    cell = Cell(plain, Splits("standard"), 0, *steps, ("micro_f1",))
    assert cell.id == "ca79bbf12794eb64"
    assert cell_from_dict(json.loads(json.dumps(asdict(holed)))) == holed
    assert holed.id != cell_of("mddm-p").id
    assert holed.method == "MDDM_p (missing = 0)"


def test_a_plan_says_it_in_its_tables(tmp_path):
    content = {
        "name": "holes",
        "sources": [{"name": "half", "of": "yeast", "missing": 0.5, "mechanism": "rows"}],
        "reducers": ["mddm-p", {"method": "mvmd", "missing": "zero", "grid": {"beta": [0.1, 0.9]}}],
        "classifiers": ["mlknn"],
    }
    plan = Plan.from_dict(content)
    assert [step.title for step in plan.reducers][1] == "MVMD beta=0.1 (missing = 0)"
    for fields, message in (
        ({"missing": 1.0, "mechanism": "rows"}, "missing is 1.0; give shares from 0 to below 1"),
        ({"missing": "half", "mechanism": "rows"}, "missing is 'half'"),
        ({"missing": 0.5}, "mechanism is ''; give one of mcar, labels, rows"),
        ({"mechanism": "rows"}, "mechanism of half needs missing"),
    ):
        source = {"name": "half", "of": "yeast", **fields}
        with pytest.raises(ValueError, match=message):
            Plan.from_dict({**content, "sources": [source]})
    with pytest.raises(ValueError, match="missing of mvmd is 'one'; give 'zero'"):
        Plan.from_dict({**content, "reducers": [{"method": "mvmd", "missing": "one"}]})


def test_results_against_the_share_removed(tmp_path):
    plan = toy_plan(tmp_path, reducers=("mddm-p",), classifiers=(Step("mlknn"),))
    sources = holed_sources(plan.sources, (0.0, 0.4), "mcar")
    steps = (Step("mddm-p"), Step("mddm-p", missing="zero"))
    holed = Plan("holes", sources, steps, plan.classifiers, splits=plan.splits)
    with Store(tmp_path / "store") as store:
        run(holed, store, n_jobs=0)
        analysis = analyse(store, holed.hash)
    found = declines(analysis, "micro_f1")
    ((dataset, classifier), means), *others = found.items()
    assert (dataset, classifier, others) == ("toy (mcar)", "ML-kNN", [])
    values = [
        cell["values"]["micro_f1"]
        for cell in analysis.plain
        if cell["dataset"] == sources[1].name and cell["method"] == "MDDM_p"
    ]
    assert len(values) == 4
    assert means["MDDM_p"][0.4] == pytest.approx(np.mean(values))
    assert list(means["MDDM_p"]) == [0.0, 0.4]
    # Without missing labels there is nothing to fill.
    assert means["MDDM_p"][0.0] == means["MDDM_p (missing = 0)"][0.0]
    assert means["MDDM_p"][0.4] != means["MDDM_p (missing = 0)"][0.4]


def test_the_command_compares_by_shares(labelspan, tmp_path):  # noqa: F811
    data = write_toy(tmp_path)
    common = ("--data", data, "--splits", "2x2", "--directions", "", "--jobs", "0")
    chosen = ("--methods", "mddm-p,mlda+zero", "--classifiers", "mlknn", "--out", tmp_path / "out")
    code, out, _ = labelspan("compare", *common, *chosen, "--missing", "0.5,0")
    assert code == 0
    lines = out.splitlines()
    assert "toy, 0 % missing (mcar), toy, 50 % missing (mcar): means over" in lines[0]
    start = lines.index("toy (mcar), ML-kNN: Micro-F1 by labels removed")
    assert lines[start + 1].split() == ["method", "0", "%", "50", "%"]
    assert "shares of labels removed and splits of the same rows" in out
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Quality against the share of labels removed" in page
    assert "labels removed, %" in page
    code, out, _ = labelspan("compare", *common, *chosen, "--missing", "0.5,0", "--json")
    found = json.loads(out)["missing"][0]
    assert found["means"]["MDDM_p"].keys() == {"0.0", "0.5"}


def test_without_methods_those_that_take_holes_compete(labelspan, tmp_path):  # noqa: F811
    data = write_toy(tmp_path)
    common = ("--data", data, "--splits", "1x2", "--directions", "", "--jobs", "0", "--json")
    chosen = ("--classifiers", "mlknn", "--out", tmp_path / "out", "--measures", "micro_f1")
    code, out, _ = labelspan("compare", *common, *chosen, "--missing", "0.3", "--mechanism", "rows")
    assert code == 0
    methods = {item["method"] for item in json.loads(out)["classifiers"][0]["methods"]}
    assert {"no reduction", "MDDM_p", "MVMD", "OPLS", "LPP"} <= methods
    assert "MLDA" not in methods


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--missing", "0.5,1"), "missing is 1.0; give shares from 0 to below 1"),
        (("--missing", "half"), "--missing holds 'half'; give shares separated by commas"),
        (("--missing", "0.5", "--mechanism", "mnar"), "mechanism is 'mnar'; give one of mcar"),
        (("--mechanism", "rows"), "--mechanism needs --missing"),
        (("--missing", "0.5", "--methods", "mlda"), "Give mlda+zero, which learns 0"),
        (("--missing", "0.5", "--methods", "mddm+zero"), "mddm"),
    ],
)
def test_wrong_uses_of_the_command(labelspan, tmp_path, arguments, message):  # noqa: F811
    folder = tmp_path / "place"
    folder.mkdir()
    outcome = labelspan(
        "compare", "--classifiers", "mlknn", "--out", folder / "out", "--jobs", "0", *arguments
    )
    assert_refused(outcome, message, folder)
