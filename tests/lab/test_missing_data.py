"""Missing data sets: an experiment of a paper is not run, and no value counts as missed."""

import json
import re
from dataclasses import replace
from functools import partial

import pytest

from labelspan.datasets import list_datasets
from labelspan.experiments import Plan, Source, Splits, Step, Store
from labelspan.papers import EXPERIMENTS, Experiment, document, reproduce
from labelspan.papers._experiment import judge_value
from tests.lab.test_cli import labelspan  # noqa: F401


def plans(quick, name="scene"):
    return (
        Plan(
            "one cell",
            sources=(Source(name),),
            reducers=(Step("pca"),),
            classifiers=(Step("ridge"),),
            splits=Splits("standard"),
            measures=("hamming_loss",),
        ),
    )


def judge(values, printed):
    return [judge_value("Hamming loss", 0.1, values.mean("scene", "PCA", "hamming_loss"))]


EXPERIMENT = Experiment("mvmd/one", "one cell", ("scene",), 0.1, 0.1, plans, judge)


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """No data folder, an empty cache, and no network."""
    monkeypatch.delenv("LABELSPAN_DATA", raising=False)
    monkeypatch.setenv("LABELSPAN_CACHE", str(tmp_path / "cache"))

    def refuse(entry, cache, **options):
        raise FileNotFoundError(f"data set {entry.name!r} is not on this machine.\nPut these here.")

    monkeypatch.setattr("labelspan.datasets.catalogue._load.fetch", refuse)
    assert {info.name: info.where for info in list_datasets()}["scene"] == "download"


def test_an_experiment_whose_data_cannot_be_downloaded_is_not_run(tmp_path, offline):
    with Store(tmp_path / "out") as store:
        (found,) = reproduce([EXPERIMENT], store, n_jobs=0)
        assert store.n_cells == 0
    assert found.judged == []
    reason = "the data set scene is missing (data set 'scene' is not on this machine.)"
    assert found.summary == f"not run: {reason}"
    page = document([found], "labelspan reproduce mvmd")
    assert "| not run | not run |" in page
    assert "mvmd/one was not run: the data set scene is missing" in page
    assert not re.search(r"\b0 of", page)


def test_the_command_says_so_and_does_not_count_it_as_missed(
    labelspan, tmp_path, offline, monkeypatch  # noqa: F811
):  # fmt: skip
    monkeypatch.setattr("labelspan.papers._command.find_experiments", lambda names: [EXPERIMENT])
    common = ("reproduce", "mvmd/one", "--jobs", "0", "--out", tmp_path / "out")
    code, out, _ = labelspan(*common)
    assert code == 1
    assert "mvmd/one: not run: the data set scene is missing (" in out
    assert "not reproduced" not in out
    code, out, _ = labelspan(*common, "--json")
    (content,) = json.loads(out)
    assert content["judged"] == []
    assert content["not_run"].startswith("the data set scene is missing")


def test_the_list_says_what_has_to_be_downloaded(labelspan, offline):  # noqa: F811
    code, out, _ = labelspan("reproduce", "list", "--json")
    lacks = {item["name"]: item["lacks"] for item in json.loads(out)["experiments"]}
    assert code == 0
    places = {info.name: info.where for info in list_datasets()}
    for name, text in lacks.items():
        item = next(item for item in EXPERIMENTS if item.name == name)
        for data in item.data:
            assert (data in text) == (places[data] in ("download", "missing"))
    assert any(text.startswith("download of ") for text in lacks.values())
    assert "download of " in labelspan("reproduce", "list", "--long")[1]
    assert "  download  " in labelspan("reproduce", "list")[1]


def test_an_experiment_without_its_package_is_left_out_but_judged_where_it_is_stored(
    labelspan, tmp_path, monkeypatch  # noqa: F811
):  # fmt: skip

    def chosen(experiment):
        monkeypatch.setattr("labelspan.papers._command.EXPERIMENTS", (experiment,))
        monkeypatch.setattr("labelspan.papers._command.find_experiments", lambda _: [experiment])

    bundled = replace(EXPERIMENT, data=("yeast",), plans=partial(plans, name="yeast"))
    trees = replace(bundled, packages=("no_such_trees",))
    chosen(trees)
    text = "the package no_such_trees (pip install no_such_trees)"
    assert text in labelspan("reproduce", "list", "--long")[1]
    assert "  package  " in labelspan("reproduce", "list")[1]
    common = ("reproduce", "mvmd/one", "--jobs", "0", "--out", tmp_path / "out")
    code, out, err = labelspan(*common)
    assert code == 1
    assert f"mvmd/one is left out: it needs {text}" in err
    assert "reproduced" not in out
    chosen(bundled)
    assert labelspan(*common)[0] == 0
    chosen(trees)
    code, out, err = labelspan(*common, "--stored")
    assert code == 0
    assert "left out" not in err
    assert "reproduced" in out
