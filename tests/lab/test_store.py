"""The store: results are final; errors have a clear message and lose nothing."""

import os
import sqlite3
import stat
import sys
import warnings

import pytest

from labelspan.experiments import Store, StoreError, run, run_cell
from tests.lab.plans import outcome, toy_plan


@pytest.fixture
def plan(tmp_path):
    return toy_plan(tmp_path)


def filled(folder, plan, n_cells=None):
    store = Store(folder, busy_seconds=0.1)
    store.add_plan(plan)
    for cell in plan.cells[:n_cells]:
        store.add(cell, run_cell(cell))
    return store


def test_a_row_a_measurement_and_all_of_a_cell(tmp_path, plan):
    with filled(tmp_path / "out", plan) as store:
        rows = store.query("SELECT * FROM cells JOIN measurements ON cell = id")
        assert len(rows) == len(plan.cells) * len(plan.measures)
        for row in rows:
            assert row["status"] == "ok"
            assert 0 <= row["value"] <= 1
            assert row["seed"] == 0
            assert row["predict_seconds"] > 0
            assert row["peak_memory"] > 10**6
        environment = store.query("SELECT content FROM environments")
        assert len(environment) == 1
        assert "scikit-learn" in environment[0]["content"]
    with Store(tmp_path / "out", read_only=True) as store:
        assert store.n_cells == len(plan.cells)


def test_results_of_other_code_are_kept_and_said_to_be(tmp_path, plan, monkeypatch):
    with filled(tmp_path, plan) as store:
        before = outcome(store)
        code = run_cell(plan.cells[0]).environment["code"]
        with monkeypatch.context() as patch:
            patch.setenv("LABELSPAN_CODE", "of tomorrow")
            with pytest.warns(UserWarning, match=f"code {code}; this is of tomorrow.*empty folder"):
                run(plan, store, n_jobs=0)
        assert outcome(store) == before
    with Store(tmp_path) as store, warnings.catch_warnings():
        warnings.simplefilter("error")
        run(plan, store, n_jobs=0)


def test_results_are_final(tmp_path, plan):
    with filled(tmp_path, plan) as store:
        before = outcome(store)
        for statement in (
            "UPDATE cells SET status = 'ok'",
            "DELETE FROM measurements",
            "UPDATE measurements SET value = 1",
            "DELETE FROM series",
        ):
            with pytest.raises(StoreError, match="results are final once written"):
                store.query(statement)
        cell = plan.cells[0]
        store.add(cell, run_cell(plan.cells[1]))
        assert outcome(store) == before


def test_a_second_run_is_refused_and_the_first_continues(tmp_path, plan):
    with Store(tmp_path) as first, Store(tmp_path) as second:
        with (
            first.only_run(),
            pytest.raises(StoreError, match=r"another run is working on .* --out"),
        ):
            run(plan, second)
        assert run(plan, first, n_jobs=0).statuses == {"ok": len(plan.cells)}


def test_a_lock_that_cannot_be_opened_says_so(tmp_path, plan):
    with Store(tmp_path) as store:
        lock = tmp_path / "results.lock"
        lock.mkdir()
        with pytest.raises(StoreError, match=r"results.lock cannot be opened.*--out"):
            run(plan, store, n_jobs=0)
        lock.rmdir()
        lock.write_bytes(b"not a database, but some other text" * 100)
        with pytest.raises(StoreError, match=r"results.lock is not a store"):
            run(plan, store, n_jobs=0)
        lock.unlink()
        assert run(plan, store, n_jobs=0).statuses == {"ok": len(plan.cells)}


def test_a_locked_store_says_so_and_keeps_what_it_has(tmp_path, plan):
    with filled(tmp_path, plan, 2) as store:
        before = outcome(store)
        other = sqlite3.connect(store.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"locked by another program.*close it.*safe"):
            store.add(plan.cells[2], run_cell(plan.cells[2]))
        other.close()
        assert outcome(store) == before
        assert run(plan, store, n_jobs=0).n_resumed == 2


def test_a_full_disk_says_so_and_keeps_what_it_has(tmp_path, plan):
    with filled(tmp_path, plan, 2) as store:
        pages = store.query("PRAGMA page_count")[0]["page_count"]
        store.query(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"disk of .* is full; make room"):
            store.add_facts(plan.sources[0], {"long": "x" * 10**6})
        store.query("PRAGMA max_page_count = 1000000")
        for row in store.query("SELECT id FROM cells"):
            n_rows = store.query("SELECT count(*) n FROM measurements WHERE cell = ?", row.values())
            assert n_rows == [{"n": 2}]
        assert run(plan, store, n_jobs=0).statuses == {"ok": len(plan.cells)}


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that not even root can write in")
def test_a_folder_that_cannot_be_made_says_so():
    with pytest.raises(StoreError, match=r"cannot be made or read .*--out"):
        Store("/sys/labelspan")


def test_a_read_only_folder(tmp_path, plan):
    folder = tmp_path / "out"
    filled(folder, plan, 2).close()
    # Root may write anywhere: then only the reading is tested.
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    (folder / "results.sqlite").chmod(stat.S_IRUSR)
    try:
        with Store(folder, read_only=True) as store:
            assert store.n_cells == 2
        if os.getuid() != 0:
            with pytest.raises(StoreError, match="read-only"), Store(folder) as store:
                run(plan, store)
    finally:
        folder.chmod(stat.S_IRWXU)


def test_what_is_not_a_store_says_so(tmp_path):
    with pytest.raises(StoreError, match=r"there is no store in .*labelspan compare"):
        Store(tmp_path, read_only=True)
    (tmp_path / "results.sqlite").write_bytes(b"not a database, but some other text" * 100)
    with pytest.raises(StoreError, match="not a store of results"):
        Store(tmp_path)


def test_a_store_of_another_version_is_left_alone(tmp_path):
    Store(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "results.sqlite")
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(StoreError, match="has format 9"):
        Store(tmp_path)
