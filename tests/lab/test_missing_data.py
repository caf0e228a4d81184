"""Missing data sets: an experiment of a paper is not run, and no value counts as missed."""

import json
import re

import pytest

from labelspan.datasets import list_datasets
from labelspan.experiments import Plan, Source, Splits, Step, Store
from labelspan.papers import EXPERIMENTS, Experiment, document, judge_value, reproduce
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
    """No data folder, an empty cache, and no network behind the proxy."""
    monkeypatch.delenv("LABELSPAN_DATA", raising=False)
    monkeypatch.setenv("LABELSPAN_CACHE", str(tmp_path / "cache"))
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert {info.name: info.where for info in list_datasets()}["scene"] == "download"


def test_an_experiment_whose_data_cannot_be_downloaded_is_not_run(tmp_path, offline):
    with Store(tmp_path / "out") as store:
        (found,) = reproduce([EXPERIMENT], store, n_jobs=0)
        assert store.n_cells == 0
    assert found.judged == []
    reason = "the data set scene is missing (data set 'scene' is not on this machine and "
    assert found.summary.startswith(f"not run: {reason}")
    assert found.summary.count("\n") == 0
    page = document([found], "labelspan reproduce mvmd")
    assert "| not run | not run |" in page
    assert "mvmd/one was not run: the data set scene is missing" in page
    assert not re.search(r"\b0 of", page)


def test_the_command_says_so_and_does_not_count_it_as_missed(labelspan, tmp_path, offline):  # noqa: F811
    common = ("reproduce", "mvmd/figure1", "--jobs", "0", "--out", tmp_path / "out")
    code, out, _ = labelspan(*common)
    assert code == 1
    assert "mvmd/figure1: not run: the data set scene is missing (" in out
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
