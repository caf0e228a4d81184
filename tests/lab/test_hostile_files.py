"""Hostile or unusable stores, models, paths and names: a one-line error, no hang, no call."""

import json
import sqlite3
import time
import zipfile

import numpy as np
import pytest

from labelspan.datasets import read_npz
from labelspan.experiments import METHODS, Result, Source, Splits, Step, Store, analyse, run
from labelspan.lab.methods import get_method
from labelspan.lab.plan import Plan, steps_of
from tests.lab.plans import toy_plan, write_toy
from tests.lab.test_cli import labelspan  # noqa: F401

REDUCERS = [method.name for method in METHODS if method.kind == "reducer" and method.path]


def filled(folder):
    plan = toy_plan(folder)
    with Store(folder / "out") as store:
        run(plan, store, n_jobs=0)
    return folder / "out"


def edited(folder, *statements):
    connection = sqlite3.connect(folder / "results.sqlite", isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def refused(outcome, message):
    code, out, err = outcome
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_stored_plan_of_too_many_cells_is_refused_at_once(labelspan, tmp_path):  # noqa: F811
    folder = filled(tmp_path)
    edited(folder, "UPDATE plans SET content = json_set(content, '$.splits.n_repeats', 100000000)")
    started = time.perf_counter()
    refused(labelspan("report", folder), "the plan has 400000000 cells; give at most 1000000")
    # Listing this many cells takes hours.
    assert time.perf_counter() - started < 60


def test_a_grid_of_too_many_combinations_is_refused():
    grid = {f"p{i}": list(range(100)) for i in range(8)}
    with pytest.raises(ValueError, match=r"grid of mvmd has 10+ combinations; give at most 10000"):
        steps_of({"method": "mvmd", "grid": grid})


@pytest.mark.parametrize("table", ["plans", "measurements"])
def test_a_view_in_the_place_of_a_table_is_refused(labelspan, tmp_path, table):  # noqa: F811
    folder = filled(tmp_path)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT * FROM n"
    edited(folder, f"ALTER TABLE {table} RENAME TO kept", f"CREATE VIEW {table} AS {endless}")
    refused(labelspan("report", folder), f"is not a store of results: {table} is not a table")


def test_the_plan_that_was_run_last_is_shown_whatever_the_clock_says(tmp_path):
    first, second = toy_plan(tmp_path, name="first"), toy_plan(tmp_path, name="second", seed=1)
    with Store(tmp_path / "out") as store:
        store.add_plan(first)
        # The clock was set back since.
        edited(tmp_path / "out", "UPDATE plans SET created = 9e9")
        store.add_plan(second)
        assert analyse(store).plan.name == "second"
        edited(tmp_path / "out", "UPDATE plans SET created = 8e9 WHERE name = 'second'")
        store.add_plan(first)
        assert [row["name"] for row in store.plans()] == ["first", "second"]


def test_a_report_leaves_no_files_behind(labelspan, tmp_path):  # noqa: F811
    folder = filled(tmp_path)
    before = sorted(path.name for path in folder.iterdir())
    assert labelspan("report", folder, "--out", tmp_path / "report")[0] == 0
    assert sorted(path.name for path in folder.iterdir()) == before
    with Store(folder, read_only=True) as store:
        cell = toy_plan(tmp_path).cells[0]
        with pytest.raises(Exception, match=r"readonly|read-only"):
            store.add(cell, Result(cell.id, "failed", "x"))


def test_json_shows_what_cannot_be_seen(labelspan, tmp_path):  # noqa: F811
    hidden = "\x85 \x9b31m \u202eevil\u2066 \u200f \u2028 \x7f \U000e0041"
    plan = tmp_path / "plan.toml"
    write_toy(tmp_path)
    plan.write_text(
        f"name = \"p\"\nsources = [{{name = {json.dumps('b' + hidden)}, path = 'toy.npz'}}]\n"
        'splits = "1x2"\nclassifiers = ["ridge"]\nmeasures = ["micro_f1"]\n'
        f'reducers = ["none", {{method = "mvmd", label = {json.dumps(hidden)}}}]'.replace(
            "\\ud", "\\\\ud"
        ),
        encoding="utf-8",
    )
    code, out, _ = labelspan("compare", "--plan", plan, "--jobs", "0", "--json",
                             "--out", tmp_path / "out")  # fmt: skip
    assert code == 0
    assert all(char.isprintable() for char in out.replace("\n", ""))
    names = {item["method"] for item in json.loads(out)["classifiers"][0]["methods"]}
    assert any("\u202eevil" in name for name in names)


@pytest.mark.parametrize("path", ["os:system", "tests.lab.faulty:touch", "builtins:dict"])
def test_what_is_no_estimator_class_is_never_called(labelspan, tmp_path, monkeypatch, path):  # noqa: F811
    called = []
    monkeypatch.setattr("os.system", lambda *a, **k: called.append(a))
    monkeypatch.setenv("FLAKY_FILE", str(tmp_path / "touched"))
    data = write_toy(tmp_path)
    for place in (path, f"model:{path}"):
        refused(
            labelspan("compare", "--data", data, "--methods", place, "--out", tmp_path / "o"),
            f"{path} is not an estimator class, which has fit and get_params",
        )
    refused(labelspan("reduce", data, "--method", path), "is not an estimator class")
    assert called == []
    assert not (tmp_path / "touched").exists()
    with pytest.raises(ValueError, match="is not an estimator class"), Store(tmp_path) as store:
        run(toy_plan(tmp_path, reducers=(Step(path, (("command", "true"),)),)), store, n_jobs=0)


@pytest.mark.parametrize("name", REDUCERS)
def test_every_reducer_is_saved_and_applied_again(labelspan, tmp_path, name):  # noqa: F811
    pytest.importorskip("skops")
    data, model = write_toy(tmp_path), tmp_path / "model.skops"
    parameters = get_method(name).load()().get_params()
    named = next((n for n in ("n_components", "k", "n_features") if n in parameters), None)
    size = () if named is None else ("--set", f"{named}=3")
    options = ("--method", name, *size, "--out", tmp_path / "a.npz", "--model", model)
    assert labelspan("reduce", data, *options)[0] == 0
    code, _, err = labelspan("reduce", data, "--apply", model, "--out", tmp_path / "b.npz")
    assert (code, err) == (0, "")
    np.testing.assert_array_equal(read_npz(tmp_path / "b.npz").X, read_npz(tmp_path / "a.npz").X)


def test_a_kernel_model_of_landmarks_is_saved_and_applied_again(labelspan, tmp_path):  # noqa: F811
    data, model = write_toy(tmp_path), tmp_path / "model.skops"
    options = ("--method", "kernel-mddm", "--set", "n_landmarks=20", "--set", "kernel=rbf")
    assert (
        labelspan("reduce", data, *options, "--out", tmp_path / "a.npz", "--model", model)[0] == 0
    )
    assert labelspan("reduce", data, "--apply", model, "--out", tmp_path / "b.npz")[0] == 0
    np.testing.assert_array_equal(read_npz(tmp_path / "b.npz").X, read_npz(tmp_path / "a.npz").X)


@pytest.mark.parametrize("schema", ["[]", "{}", "null", "7", '{"__class__": 3}', "not json"])
def test_a_model_with_a_strange_schema_is_refused(labelspan, tmp_path, schema):  # noqa: F811
    path = tmp_path / "model.skops"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", schema)
    outcome = labelspan("reduce", write_toy(tmp_path), "--apply", path, "--out", tmp_path / "r.npz")
    refused(outcome, "is not a model that `labelspan reduce` or `labelspan choose` saved")
    assert not (tmp_path / "r.npz").exists()


@pytest.mark.parametrize("components", [None, np.ones((2, 5)), "text", np.nan])
def test_a_model_whose_arrays_do_not_fit_is_refused(labelspan, tmp_path, components):  # noqa: F811
    skops = pytest.importorskip("skops.io")
    from labelspan import MVMD

    source = Source.from_any(str(write_toy(tmp_path))).load()
    model = MVMD(2).fit(source.X, source.Y)
    is_number = isinstance(components, float)
    model.components_ = components * model.components_ if is_number else components
    skops.dump(model, tmp_path / "model.skops")
    outcome = labelspan(
        "reduce", tmp_path / "toy.npz", "--apply", tmp_path / "model.skops",
        "--out", tmp_path / "r.npz",
    )  # fmt: skip
    refused(outcome, f"{tmp_path / 'model.skops'} cannot be applied to toy: ")
    assert not (tmp_path / "r.npz").exists()


@pytest.mark.skipif(not zipfile.os.path.isdir("/proc/self"), reason="this system has no /proc")
def test_a_folder_that_holds_no_files_is_named(labelspan, tmp_path):  # noqa: F811
    outcome = labelspan("reduce", write_toy(tmp_path), "--out", "/proc/reduced.npz")
    refused(outcome, "--out is '/proc/reduced.npz', but the folder /proc cannot hold new files")


def test_a_plan_of_many_cells_is_counted_and_not_listed():
    plan = Plan(
        "large",
        sources=(Source("yeast"),),
        reducers=(Step("pca"),),
        classifiers=(Step("ridge"),),
        splits=Splits("random", n_repeats=1000),
        directions=(1, 2),
    )
    assert len(plan.cells) == 1000 + 2 * 2
