"""``labelspan choose`` and ``labelspan reduce --method auto``: the search of ReducerCV."""

import json
import sys

import numpy as np
import pytest

from labelspan import OPLS, InformationSelector, MultiTaskSelector, ReducerCV
from labelspan.choice import default_reducers
from labelspan.datasets import read_npz
from labelspan.metrics import get_measure
from tests.lab.plans import write_toy
from tests.lab.test_cli import assert_refused, labelspan  # noqa: F401


def expected(path, **options):
    data = read_npz(path)
    return data, ReducerCV(scoring=get_measure("micro_f1"), **options).fit(data.X, data.Y)


def test_choose_prints_table_and_recommendation_and_saves_the_model(labelspan, tmp_path):  # noqa: F811
    path, model, picture = (tmp_path / name for name in ("toy.npz", "m.skops", "p.svg"))
    write_toy(tmp_path)
    arguments = ("--folds", 3, "--n-components", "1,2,4", "--model", model, "--picture", picture)
    code, out, _ = labelspan("choose", path, *arguments)
    data, search = expected(path, cv=3, n_components=[1, 2, 4])
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "toy: Micro-F1 of 3 folds of 60 rows"
    ranks = [float(line.split()[-1]) for line in lines[2 : 2 + len(search.method_ranks_)]]
    assert ranks == [round(rank, 2) for rank in search.method_ranks_.values()]
    assert search.summary().splitlines()[0] in out
    assert lines[-2:] == [str(model), str(picture)]
    assert picture.read_text().startswith("<?xml")
    code, _, _ = labelspan("reduce", path, "--apply", model, "--out", tmp_path / "r.npz")
    assert code == 0
    np.testing.assert_allclose(read_npz(tmp_path / "r.npz").X, search.transform(data.X))


def test_choose_prints_json(labelspan, tmp_path):  # noqa: F811
    path = write_toy(tmp_path)
    arguments = ("--measure", "hamming_loss", "--rule", "one_standard_error", "--scale", "auto")
    code, out, _ = labelspan("choose", path, *arguments, "--folds", 2, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["advice"].startswith(("Reduce to", "Do not reduce"))
    assert found["rows"] == 60
    assert found["scaling"].startswith("scaling: ")
    assert -1 <= found["score"] <= 0
    reducers = {row["reducer"] for row in found["methods"]}
    assert {"all features", "PCA", "MDDM()", "MVMD()", "LabelCCA()", "OPLS()"} < reducers


def test_choose_among_named_reducers_and_selectors(labelspan, tmp_path):  # noqa: F811
    path = write_toy(tmp_path)
    given = ("--reducers", "none, pca, opls, scls, multitask", "--n-components", "1,3")
    code, out, _ = labelspan("choose", path, *given, "--folds", 3, "--json")
    assert code == 0
    found = {row["reducer"]: row["score"] for row in json.loads(out)["methods"]}
    scls = InformationSelector(criterion="scls")
    reducers = ["none", "pca", OPLS(), scls, MultiTaskSelector()]
    _, search = expected(path, cv=3, n_components=[1, 3], reducers=reducers)
    assert set(found) == {"all features", "PCA", "OPLS()", repr(scls), "MultiTaskSelector()"}
    table = search.cv_results_
    of_scls = [repr(reducer) == repr(scls) for reducer in table["param_reducer"]]
    assert found[repr(scls)] == max(table["mean_test_score"][of_scls])


def test_choose_refuses_models_and_unknown_reducers(labelspan, tmp_path):  # noqa: F811
    path = write_toy(tmp_path)
    for name, message in (("plst", "holds plst, a model"), ("sclss", "scls")):
        code, out, err = labelspan("choose", path, "--reducers", name)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err


def test_choose_for_search(labelspan, tmp_path):  # noqa: F811
    path = write_toy(tmp_path)
    for option in ("--measure", "--scoring"):
        code, out, _ = labelspan("choose", path, option, "shared_label_at_5", "--folds", 3)
        data = read_npz(path)
        search = ReducerCV(scoring="shared_label_at_5", cv=3).fit(data.X, data.Y)
        assert code == 0
        assert out.splitlines()[0] == "toy: Shared label@5 of 3 folds of 60 rows"
        assert search.summary().splitlines()[0] in out


def test_reduce_takes_the_reducer_of_the_search(labelspan, tmp_path):  # noqa: F811
    path, out_path = write_toy(tmp_path), tmp_path / "reduced.npz"
    code, out, err = labelspan("reduce", path, "--method", "auto", "--out", out_path)
    data, search = expected(path, reducers=default_reducers(None)[1:], threshold="paper")
    assert code == 0
    assert search.summary().splitlines()[0] in err
    assert repr(search.best_estimator_) in out
    np.testing.assert_allclose(read_npz(out_path).X, search.transform(data.X))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("choose", "yeast", "--measure", "f2"), "There is no measure 'f2'"),
        (("choose", "yeast", "--rows", "some"), "--rows is 'some'; give train or all"),
        (("choose", "yeast", "--model", "no/such.skops"), "there is no folder"),
        (
            ("choose", "yeast", "--picture", "p.gif"),
            "--picture is 'p.gif'; give a name that ends with .svg, .png or .pdf.",
        ),
        (("choose", "yeast", "--picture", "p"), "ends with .svg, .png or .pdf."),
        (("choose", "yeast", "--readout", "svm"), "'readout' parameter of ReducerCV"),
        (("choose", "yeast", "--n-components", "1,many"), "n_components holds 'many'"),
        (
            ("reduce", "yeast", "--method", "auto", "--set", "beta=1"),
            "--set cannot be combined with --method auto",
        ),
    ],
    ids=str,
)
def test_what_is_refused(labelspan, tmp_path, monkeypatch, arguments, message):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    assert_refused(labelspan(*arguments), message, tmp_path)


def test_a_picture_is_refused_at_once_where_nothing_can_draw(labelspan, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.chdir(tmp_path)
    outcome = labelspan("choose", "yeast", "--picture", "p.svg")
    assert_refused(outcome, "--picture needs matplotlib: install the extra 'report'", tmp_path)
