"""``labelspan predict``: labels, scores and probabilities of rows without labels."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.io
from sklearn.pipeline import make_pipeline

from labelspan import CPLST, MVMD, MLkNN, MultiOutputRidge, ReducerCV
from labelspan.datasets import read_csv, read_features, read_npz, write_arff, write_libsvm
from labelspan.interop import trusted_types
from labelspan.metrics import get_measure
from tests.lab.plans import write_toy
from tests.lab.shop import COLUMNS, FEATURES, TOPICS, write_shop
from tests.lab.test_cli import assert_refused, labelspan  # noqa: F401

skops = pytest.importorskip("skops.io")
READ = ("--labels", ",".join(TOPICS), "--ignore", "sku", "--text", "title")


def values(path):
    """Numbers of a file of predictions, and the labels of its columns."""
    names = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2), names


def test_a_chosen_model_predicts_shuffled_rows_without_labels(labelspan, tmp_path):  # noqa: F811
    path, model = write_shop(tmp_path / "shop.csv"), tmp_path / "m.skops"
    assert labelspan("choose", path, *READ, "--folds", 2, "--model", model)[0] == 0
    data = read_csv(path, labels=list(TOPICS), ignore=["sku"], text=["title"])
    search = ReducerCV(scoring=get_measure("micro_f1"), cv=2).fit(data.X, data.Y)
    new, out = write_shop(tmp_path / "new.csv", 20, FEATURES[::-1], seed=1), tmp_path / "p.csv"
    X = read_features(new, data.encoder, ignore=["sku"])
    for what, expected in (("labels", search.predict(X)), ("scores", search.decision_function(X))):
        code, text, err = labelspan("predict", new, "--model", model, "--what", what, "--out", out)
        assert (code, err) == (0, "")
        assert text.startswith(f"{what} of 20 rows, 3 labels")
        found, names = values(out)
        assert names == list(TOPICS)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
    truth = read_csv(write_shop(tmp_path / "t.csv", 20, COLUMNS, seed=1), labels=list(TOPICS),
                     ignore=["sku"], text=["title"]).Y  # fmt: skip
    assert labelspan("predict", new, "--model", model, "--out", out)[0] == 0
    assert np.nanmean(np.where(np.isnan(truth), np.nan, values(out)[0] == truth)) > 0.8
    whole = skops.load(model, trusted=trusted_types())["estimator"]
    np.testing.assert_array_equal(whole.predict(X), search.predict(X))


def test_the_options_of_the_fit_may_be_repeated(labelspan, tmp_path):  # noqa: F811
    path, model = write_shop(tmp_path / "shop.csv"), tmp_path / "m.skops"
    kept = ("--model", model, "--out", tmp_path / "r.npz")
    assert labelspan("reduce", path, *READ, "--n-components", 2, *kept)[0] == 0
    out = ("--model", model, "--out", tmp_path / "p.csv")
    for options in (READ, READ[2:], READ[4:], ()):
        assert labelspan("predict", path, *options, *out)[0] == 0
    code, _, err = labelspan("predict", path, "--text", "colour", *out)
    assert (code, "--text is not that of the model, 'title'; leave it out" in err) == (2, True)


@pytest.mark.parametrize("readout", ["ridge", "mlknn"])
def test_a_reduced_file_keeps_a_classifier_in_its_model(labelspan, tmp_path, readout):  # noqa: F811
    toy, model, out = write_toy(tmp_path), tmp_path / "m.skops", tmp_path / "p.csv"
    options = ("--n-components", 3, "--readout", readout, "--scale", "standard")
    kept = ("--model", model, "--out", tmp_path / "r.npz")
    assert labelspan("reduce", toy, *options, *kept)[0] == 0
    data = read_npz(toy)
    scaled = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    classifier = MLkNN() if readout == "mlknn" else MultiOutputRidge(min_labels=1)
    expected = make_pipeline(MVMD(3), classifier).fit(scaled, data.Y)
    code, text, _ = labelspan("predict", toy, "--model", model, "--out", out, "--json")
    assert (code, json.loads(text)["rows"]) == (0, 60)
    np.testing.assert_array_equal(values(out)[0], expected.predict(scaled))
    able, other = ("probabilities", "scores")[:: 1 if readout == "mlknn" else -1]
    assert labelspan("predict", toy, "--model", model, "--out", out, "--what", able)[0] == 0
    method = expected.predict_proba if readout == "mlknn" else expected.decision_function
    np.testing.assert_allclose(values(out)[0], method(scaled), rtol=1e-8, atol=1e-10)
    code, _, err = labelspan("predict", toy, "--model", model, "--out", out, "--what", other)
    assert (code, err.count("\n")) == (2, 1)
    assert f"predicts labels and {able}, but no {other}" in err


def test_neighbours_of_missing_labels_are_kept_in_a_model(labelspan, tmp_path):  # noqa: F811
    path, model, out = tmp_path / "shop.csv", tmp_path / "m.skops", tmp_path / "p.csv"
    data = read_csv(write_shop(path), labels=list(TOPICS), ignore=["sku"], text=["title"])
    assert np.isnan(data.Y).any()
    expected = make_pipeline(MVMD(3), MLkNN()).fit(data.X, data.Y).predict_proba(data.X)
    fitted = ("--n-components", 3, "--readout", "mlknn", "--model", model)
    assert labelspan("reduce", path, *READ, *fitted, "--out", tmp_path / "r.npz")[0] == 0
    told = labelspan("predict", path, "--model", model, "--what", "probabilities", "--out", out)
    assert told[0] == 0, told
    np.testing.assert_allclose(values(out)[0], expected, rtol=1e-8)


def test_rows_of_every_format_are_predicted(labelspan, tmp_path):  # noqa: F811
    toy, model, out = write_toy(tmp_path), tmp_path / "m.skops", tmp_path / "p.csv"
    kept = ("--n-components", 3, "--model", model, "--out", tmp_path / "r.npz")
    assert labelspan("reduce", toy, *kept)[0] == 0
    assert labelspan("predict", toy, "--model", model, "--out", out)[0] == 0
    expected = values(out)[0]
    data = read_npz(toy)
    np.savez(tmp_path / "a.npz", X=data.X)
    np.save(tmp_path / "a.npy", data.X)
    scipy.io.savemat(tmp_path / "a.mat", {"data": data.X})
    write_arff(data, tmp_path / "a.arff")
    write_libsvm(replace(data, Y=np.zeros((60, 6), dtype=int)), tmp_path / "a.svm")
    names = ["npz", "npy", "mat", "arff", "svm"]
    try:
        import pandas as pd
        import pyarrow  # noqa: F401
    except ImportError:
        pass
    else:
        order = list(data.feature_names)[::-1]
        frame = pd.DataFrame(data.X, columns=list(data.feature_names))[order]
        frame.to_parquet(tmp_path / "a.parquet")
        names.append("parquet")
    for name in names:
        out.unlink()
        code, _, err = labelspan("predict", tmp_path / f"a.{name}", "--model", model, "--out", out)
        assert code == 0, err
        np.testing.assert_array_equal(values(out)[0], expected)


def test_a_classifier_that_python_saved_predicts(labelspan, tmp_path):  # noqa: F811
    toy, model, out = write_toy(tmp_path), tmp_path / "m.skops", tmp_path / "p.csv"
    data = read_npz(toy)
    fitted = CPLST(2, ridge=0.0).fit(data.X, data.Y)
    skops.dump(fitted, model)
    assert labelspan("predict", toy, "--model", model, "--out", out)[0] == 0
    found, names = values(out)
    np.testing.assert_array_equal(found, fitted.predict(data.X))
    assert names[:2] == ["label0", "label1"]
    skops.dump(MVMD(2).fit(data.X, data.Y), model)
    out.unlink()
    code, _, err = labelspan("predict", toy, "--model", model, "--out", out)
    assert (code, "holds a reducer without a classifier; make a model with" in err) == (2, True)
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "no.skops"), "there is no model no.skops"),
        (("--model", "no.skops", "--out", "p.npz"), "--out is 'p.npz'; give a name that ends with"),
    ],
)
def test_what_is_refused(labelspan, tmp_path, monkeypatch, arguments, message):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    assert_refused(labelspan("predict", "yeast", *arguments), message, tmp_path)


def test_predictions_overwrite_neither_rows_nor_model(labelspan, tmp_path):  # noqa: F811
    path, model = write_shop(tmp_path / "shop.csv"), tmp_path / "m.skops"
    kept = ("--model", model, "--out", tmp_path / "r.npz")
    assert labelspan("reduce", path, *READ, *kept)[0] == 0
    before = path.read_bytes()
    code, _, err = labelspan("predict", path, "--model", model, "--out", path)
    assert (code, "it would be overwritten; choose another place" in err) == (2, True)
    assert path.read_bytes() == before
    code, _, err = labelspan("predict", path, "--model", model, "--what", "ranks")
    assert (code, "--what is 'ranks'; give labels, scores, probabilities" in err) == (2, True)


HOSTILE = {
    "no JSON": lambda about: "{",
    "a list": lambda about: "[]",
    "deep": lambda about: "[" * 100_000,
    "not text": lambda about: 7,
    "another version": lambda about: json.dumps({**about, "version": 2}),
    "a field too many": lambda about: json.dumps({**about, "path": "/etc/passwd"}),
    "a field too few": lambda about: json.dumps({**about, "x": 1, "labels": []} | {"ignore": 0}),
    "names are numbers": lambda about: json.dumps({**about, "features": [1, 2]}),
    "names are a number": lambda about: json.dumps({**about, "features": 3}),
    "another file": lambda about: json.dumps({**about, "reading": {"path": "/etc/passwd"}}),
    "a list for a sign": lambda about: json.dumps({**about, "reading": {"delimiter": [1]}}),
    "an encoder that is none": lambda about: json.dumps({**about, "encoder": "{}"}),
    "an encoder of code": lambda about: json.dumps({**about, "encoder": {"__class__": "os"}}),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("command", ["reduce", "predict"])
def test_hostile_models_are_refused_in_a_line(labelspan, tmp_path, case, command):  # noqa: F811
    path, model = write_shop(tmp_path / "shop.csv"), tmp_path / "m.skops"
    kept = ("--n-components", 2, "--model", model, "--out", tmp_path / "r.npz")
    assert labelspan("reduce", path, *READ, *kept)[0] == 0
    found = skops.load(model, trusted=trusted_types())
    about = json.loads(found["columns"])
    skops.dump({**found, "columns": HOSTILE[case](about)}, model)
    out = tmp_path / "p.csv"
    use = {"reduce": "--apply", "predict": "--model"}[command]
    code, text, err = labelspan(command, path, use, model, "--out", out)
    assert (code, text, err.count("\n")) == (2, "", 1)
    assert "is not a model that `labelspan reduce` or `labelspan choose` saved." in err
    assert not out.exists()


def test_a_model_whose_names_do_not_fit_is_refused_in_a_line(labelspan, tmp_path):  # noqa: F811
    toy, model = write_toy(tmp_path), tmp_path / "m.skops"
    kept = ("--n-components", 2, "--model", model, "--out", tmp_path / "r.npz")
    assert labelspan("reduce", toy, *kept)[0] == 0
    found = skops.load(model, trusted=trusted_types())
    about = json.loads(found["columns"])
    for change in (
        {"features": ["x0"], "ignore": [f"x{i}" for i in range(1, 8)]},
        {"labels": ["a"]},
    ):
        skops.dump({**found, "columns": json.dumps({**about, **change})}, model)
        code, _, err = labelspan("predict", toy, "--model", model, "--out", tmp_path / "p.csv")
        assert (code, err.count("\n")) == (2, 1), err
        assert not (tmp_path / "p.csv").exists()
