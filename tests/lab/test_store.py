"""The store: results are final; errors have a clear message and lose nothing."""

import importlib.util
import inspect
import os
import sqlite3
import stat
import sys
import warnings
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import labelspan
from labelspan.experiments import METHODS, Store, StoreError, run, run_cell
from labelspan.lab.methods._methods import PAPER_METHODS
from labelspan.lab.runner import _environment
from labelspan.lab.runner._environment import code
from labelspan.lab.store import _store_file
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
        monkeypatch.setattr("labelspan.lab.runner._run.code", lambda: "of tomorrow")
        with pytest.warns(UserWarning, match=rf"code {code()}; this is of tomorrow.*empty folder"):
            run(plan, store, n_jobs=0)
        assert outcome(store) == before
    monkeypatch.undo()
    with Store(tmp_path) as store, warnings.catch_warnings():
        warnings.simplefilter("error")
        run(plan, store, n_jobs=0)


def test_the_digest_of_the_code_follows_the_source_and_not_the_ends_of_its_lines(tmp_path):
    package = tmp_path / "package"
    (package / "experiments").mkdir(parents=True)
    digests = []
    for source in (b"a = 1\n", b"a = 1\r\n", b"a = 2\n"):
        (package / "method.py").write_bytes(source)
        path = package / "experiments" / "_environment.py"
        path.write_bytes(Path(_environment.__file__).read_bytes())
        spec = importlib.util.spec_from_file_location("copied_environment", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        digests.append(module.code())
    assert digests[0] == digests[1] != digests[2]


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


def test_the_code_of_a_result_is_what_is_computed_not_what_is_said():
    def statements(text):
        return _environment.statements(text.encode())

    plain = statements('"""Doc."""\n\n\ndef f(x):\n    """Double."""\n    return 2 * x\n')
    assert statements('"""Other."""\n# why\ndef f(x):\n    """Twice."""\n\n    return 2*x') == plain
    assert statements('"""Doc."""\n\n\ndef f(x):\n    """Double."""\n    return 3 * x\n') != plain
    one, two = (f'def f():\n    """{word}."""\n' for word in ("One", "Two"))
    assert statements(one) == statements(two)


def test_the_code_of_a_result_holds_every_file_that_a_method_is_loaded_from():
    root = Path(labelspan.__file__).parent
    makers = [method.load() for method in (*METHODS, *PAPER_METHODS)]
    for maker in filter(None, makers):
        path = Path(inspect.getfile(maker))
        if path.is_relative_to(root):
            assert _environment.computes(path.relative_to(root).as_posix()), path
            # A file that does not count must not come in through one that does.
            assert "labelspan.papers" not in path.read_text(encoding="utf-8")
    # Keys of cells hold the plans, and the page is judged when it is written.
    assert not _environment.computes("papers/cplst/_experiments.py")


def refused(monkeypatch, code, n_times=2):
    """The first attempts to open a file fail as SQLite's would."""
    error = sqlite3.OperationalError("no")
    error.sqlite_errorcode = code
    attempts, checked = [], _store_file._checked

    def check(connection):
        attempts.append(connection)
        if len(attempts) <= n_times:
            connection.close()
            raise error
        return checked(connection)

    monkeypatch.setattr(_store_file, "_checked", check)


def test_a_store_is_read_where_no_index_of_its_log_can_be_made(tmp_path, plan, monkeypatch):
    filled(tmp_path / "out", plan, 2).close()
    path = next((tmp_path / "out").glob("*.sqlite*"))
    for code_ in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        with monkeypatch.context() as patch:
            refused(patch, code_)
            connection = _store_file.opened_to_read(path, 0.1)
            assert connection.execute("SELECT count(*) FROM cells").fetchone() == (2,)
            connection.close()
    with monkeypatch.context() as patch:
        refused(patch, sqlite3.SQLITE_CORRUPT)
        with pytest.raises(sqlite3.OperationalError, match="no"):
            _store_file.opened_to_read(path, 0.1)
    # One refusal, of a place that may not be written, is none to read.
    with monkeypatch.context() as patch:
        refused(patch, sqlite3.SQLITE_READONLY, 1)
        _store_file.opened_to_read(path, 0.1).close()
    Path(f"{path}-wal").write_bytes(b"results")
    refused(monkeypatch, sqlite3.SQLITE_CANTOPEN)
    with pytest.raises(StoreError, match=r"-wal holds results that cannot be read .* use the copy"):
        _store_file.opened_to_read(path, 0.1)


def test_the_version_is_that_of_the_code_that_runs(monkeypatch):
    """Metadata of an editable installation keep the version it was installed with."""

    def stale(package):
        if package == "numba":
            raise PackageNotFoundError(package)
        return "0.0.1"

    monkeypatch.setattr(_environment, "version", stale)
    found = _environment.environment.__wrapped__()
    assert found["labelspan"] == labelspan.__version__
    assert found["numpy"] == "0.0.1"
    assert found["numba"] == "not installed"
