"""Failed cells: those caused by the environment are retried by the next run, others on request."""

import json
import re
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from labelspan.datasets import read_npz, write_npz
from labelspan.experiments import Result, Source, Splits, Step, Store, run, run_cell
from labelspan.lab.report import write_report
from tests.lab.plans import outcome, toy_plan, write_toy
from tests.lab.test_cli import labelspan  # noqa: F401

FAULTY = "tests.lab.faulty:"
ONE = Splits("random", n_repeats=1)
OUTSIDE = ("NoMemory", "NoPermission", "NoPackage")


@pytest.fixture
def flaky(tmp_path, monkeypatch):
    path = tmp_path / "repaired"
    monkeypatch.setenv("FLAKY_FILE", str(path))
    return path


def statuses(store):
    rows = store.query("SELECT reducer, status, cause FROM cells")
    return {row["reducer"]: (row["status"], row["cause"]) for row in rows}


def test_a_failure_of_the_environment_is_retried_and_one_of_the_method_is_kept(tmp_path, flaky):
    names = (*OUTSIDE, "WrongValue", "ReturnsNaN")
    plan = toy_plan(tmp_path, reducers=("none", *(FAULTY + name for name in names)), splits=ONE)
    with Store(tmp_path / "out") as store:
        first = run(plan, store, n_jobs=0)
        assert first.statuses == {"ok": 1, "failed": 4, "nan": 1}
        assert (first.n_retried, first.n_not_retried, first.n_to_retry) == (0, 0, 3)
        found = statuses(store)
        assert {found[name] for name in OUTSIDE} == {("failed", "environment")}
        assert found["WrongValue"] == ("failed", "method")
        flaky.touch()
        second = run(plan, store, n_jobs=0)
        assert second.statuses == {"ok": 4, "failed": 1, "nan": 1}
        assert (second.n_resumed, second.n_retried, second.n_not_retried) == (3, 3, 2)
        third = run(plan, store, n_jobs=0, retry_failed=True)
        assert third.statuses == {"ok": 5, "nan": 1}
        assert (third.n_retried, third.n_not_retried, third.n_to_retry) == (2, 0, 0)
        rows = store.query("SELECT count(*) n FROM measurements")
        assert rows == [{"n": 5 * len(plan.measures)}]


@pytest.mark.parametrize("later", [None, 60.0])
def test_a_time_limit_counts_for_the_run_that_set_it(tmp_path, later):
    plan = toy_plan(tmp_path, reducers=(FAULTY + "Slow",), splits=ONE)
    with Store(tmp_path / "out") as store:
        assert run(plan, store, n_jobs=1, timeout=0.001).statuses == {"timeout": 1}
        assert run(plan, store, n_jobs=1, timeout=later).statuses == {"ok": 1}


def test_a_worker_that_crashed_is_retried(tmp_path, flaky):
    plan = toy_plan(tmp_path, reducers=(FAULTY + "DiesUnless",), splits=ONE)
    with Store(tmp_path / "out") as store:
        assert run(plan, store, n_jobs=1).n_to_retry == 1
        flaky.touch()
        assert run(plan, store, n_jobs=1).statuses == {"ok": 1}


def test_data_that_come_later_are_loaded_and_described_by_the_next_run(tmp_path, monkeypatch):
    plan = toy_plan(tmp_path)
    # Like a failed download: the file exists for the hash, not for the reader.
    monkeypatch.setattr(Source, "load", _offline)
    with Store(tmp_path / "out") as store:
        summary = run(plan, store, n_jobs=0)
        assert (summary.statuses, summary.n_to_retry) == ({"failed": 8}, 8)
        page = write_report(store, tmp_path / "report.html").read_text()
        assert "the download failed" in page
        monkeypatch.undo()
        assert run(plan, store, n_jobs=0).statuses == {"ok": 8}
        assert "error" not in json.loads(store.query("SELECT content FROM facts")[0]["content"])
        page = write_report(store, tmp_path / "report.html").read_text()
        assert "the download failed" not in page


def _offline(source):
    raise FileNotFoundError("the download failed")


def test_a_retry_that_is_interrupted_keeps_the_failure(tmp_path, flaky):
    plan = toy_plan(tmp_path, reducers=(FAULTY + "InterruptsARetry",), splits=ONE)
    with Store(tmp_path / "out") as store:
        assert run(plan, store, n_jobs=0).n_to_retry == 1
        before = outcome(store)
        flaky.touch()
        with pytest.raises(KeyboardInterrupt):
            run(plan, store, n_jobs=0)
        assert outcome(store) == before


def test_a_good_result_never_gives_way(tmp_path):
    plan = toy_plan(tmp_path, splits=ONE)
    cell = plan.cells[0]
    with Store(tmp_path / "out") as store:
        store.add(cell, run_cell(cell))
        before = outcome(store)
        store.add(cell, Result(cell.id, "failed", "MemoryError: late", cause="environment"))
        assert outcome(store) == before
        run(plan, store, n_jobs=0, retry_failed=True)
        assert json.loads(outcome(store))[0].count(json.loads(before)[0][0]) == 1


VERSION_1 = """
CREATE TRIGGER cells_DELETE BEFORE DELETE ON cells
BEGIN SELECT RAISE(ABORT, 'results are final once written'); END;
"""


def as_version_1(folder):
    """Turn a store into one of version 1, which has no causes and keeps every row."""
    connection = sqlite3.connect(folder / "results.sqlite", isolation_level=None)
    connection.execute("DROP TRIGGER cells_DELETE")
    connection.execute("ALTER TABLE cells DROP COLUMN cause")
    connection.executescript(VERSION_1)
    connection.execute("PRAGMA user_version = 1")
    connection.close()


def test_a_store_of_the_version_before_is_reported_as_it_is_and_its_failures_are_retried(
    tmp_path, flaky
):
    names = ("NoMemory", "WrongValue")
    plan = toy_plan(tmp_path, reducers=("none", *(FAULTY + name for name in names)), splits=ONE)
    with Store(tmp_path / "out") as store:
        run(plan, store, n_jobs=0)
        before = outcome(store)
    as_version_1(tmp_path / "out")
    with Store(tmp_path / "out", read_only=True) as store:
        assert "MemoryError" in write_report(store, tmp_path / "report.html").read_text()
        assert store.query("PRAGMA user_version") == [{"user_version": 1}]
    flaky.touch()
    with Store(tmp_path / "out") as store:
        assert outcome(store) == before
        summary = run(plan, store, n_jobs=0)
        assert (summary.n_retried, summary.n_not_retried) == (1, 1)
        assert summary.statuses == {"ok": 2, "failed": 1}


@pytest.mark.parametrize(
    ("status", "error", "cause"),
    [
        ("timeout", "ran past the time limit of 1 s", "environment"),
        ("crashed", "the process ended with signal 9", "environment"),
        ("failed", "FileNotFoundError: data set 'x' is not on this machine", "environment"),
        ("failed", "ValueError: MemoryError: not at the beginning", "method"),
        ("failed", "print: no error at all", "method"),
        ("nan", "OSError: 3 values are not finite", "method"),
    ],
)
def test_an_old_failure_is_known_by_its_status_and_error_class(tmp_path, status, error, cause):
    plan = toy_plan(tmp_path, reducers=("none",), splits=ONE)
    (cell,) = plan.cells
    with Store(tmp_path / "out") as store:
        store.add_plan(plan)
        environment = run_cell(cell).environment
        store.add(cell, Result(cell.id, status, error, environment=environment))
    as_version_1(tmp_path / "out")
    with Store(tmp_path / "out") as store:
        summary = run(plan, store, n_jobs=0)
    is_retried = cause == "environment"
    assert (summary.n_retried, summary.n_not_retried) == (is_retried, not is_retried)


def test_the_command_says_what_was_retried_and_what_was_not(labelspan, tmp_path, flaky):  # noqa: F811
    common = (
        "compare", "--data", write_toy(tmp_path), "--classifiers", "ridge", "--splits", "1x2",
        "--methods", f"none,{FAULTY}NoPermission,{FAULTY}WrongValue", "--directions", "",
        "--jobs", "0", "--out", tmp_path / "out",
    )  # fmt: skip
    code, _, err = labelspan(*common)
    assert code == 1
    assert "labelspan: 2 cells failed for a reason outside the methods (data, permission," in err
    assert "the same command retries them" in err
    flaky.touch()
    code, out, err = labelspan(*common, "--json")
    assert code == 1
    assert "labelspan: 2 cells failed earlier and were retried\n" in err
    assert "labelspan: 2 cells failed earlier and were not retried; use --retry-failed\n" in err
    content = json.loads(out)
    assert (content["retried"], content["not_retried"], content["to_retry"]) == (2, 2, 0)
    code, _, err = labelspan(*common, "--retry-failed")
    assert code == 0
    assert "not retried" not in err


def test_an_error_of_a_measure_is_a_failure_and_nan_is_not_defined(tmp_path):
    wrong = toy_plan(tmp_path, reducers=(), models=(Step(FAULTY + "PredictsOneLabel"),), splits=ONE)
    result = run_cell(wrong.cells[0])
    assert (result.status, result.rows) == ("failed", ())
    assert re.search(
        r"ValueError: Y_true has shape .*, 6\) but Y_pred has shape .*, 1\)", result.error
    )
    # Without a label in the test part, no label has an AUC.
    source = write_toy(tmp_path, "silent")
    dataset = replace(read_npz(source), Y=np.zeros((60, 6), dtype=int))
    write_npz(dataset, source)
    plan = toy_plan(tmp_path, sources=(Source.from_any(str(source)),), splits=ONE,
                    reducers=("none",), measures=("macro_auc",))  # fmt: skip
    result = run_cell(plan.cells[0])
    assert (result.status, result.rows) == ("ok", (("macro_auc", None),))
    assert "macro_auc is not defined on this test part" in result.warnings
