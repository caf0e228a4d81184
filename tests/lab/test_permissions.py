"""Folders and files that may not be written or read, tested as a user who is not root.

Root may write anywhere. So the program is imported first, because the interpreter may be in a
folder that only root can read, and then drops its privileges.
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from labelspan.experiments import Store, run
from tests.lab.plans import outcome, toy_plan

NOBODY = 65534
CODE = f"""
import codecs, os, sys, sqlite3
from labelspan.lab.cli import _app
_app.build()
import labelspan.lab.report
for name in ("unicode-escape", "idna", "cp437"):
    codecs.lookup(name)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid({NOBODY})
    os.setuid({NOBODY})
assert os.getuid() != 0
sys.argv = ["labelspan", *sys.argv[1:]]
_app.main()
"""

pytestmark = pytest.mark.skipif(
    not hasattr(os, "setuid"), reason="this system has no users to change to"
)


@pytest.fixture
def folder():
    """A folder that every user can reach, unlike pytest's own."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    for item in [path, *path.rglob("*")]:
        item.chmod(stat.S_IRWXU)
    shutil.rmtree(path)


@pytest.fixture
def as_nobody(folder):
    home = folder / "home"
    home.mkdir()
    home.chmod(0o777)
    # Who may write nothing may not write what `make coverage` measures.
    plain = {name: value for name, value in os.environ.items() if "COVERAGE_PROCESS" not in name}

    def call(*arguments):
        finished = subprocess.run(
            [sys.executable, "-c", CODE, *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=folder,
            env={**plain, "HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
            timeout=120,
        )
        assert "Traceback" not in finished.stderr
        return finished.returncode, finished.stdout, finished.stderr

    return call


@pytest.fixture
def locked(folder):
    """A store with results in a folder that only its owner may write."""
    plan = toy_plan(folder)
    place = folder / "locked"
    with Store(place) as store:
        run(plan, store, n_jobs=0)
    for path in place.iterdir():
        path.chmod(0o444)
    place.chmod(0o555)
    return place


def compare(folder, out, *more):
    data = ("--data", folder / "toy.npz", "--methods", "mvmd", "--splits", "1x2")
    return ("compare", *data, "--directions", "", "--jobs", "0", "--out", out, *more)


def test_a_run_into_a_read_only_folder_says_what_to_do_and_loses_nothing(folder, locked, as_nobody):
    before = {path.name: path.read_bytes() for path in locked.iterdir()}
    code, out, error = as_nobody(*compare(folder, locked))
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert str(locked) in error
    assert "read-only" in error
    assert "--out" in error
    assert {path.name: path.read_bytes() for path in locked.iterdir()} == before


def test_a_new_store_in_a_read_only_folder_says_what_to_do(folder, locked, as_nobody):
    code, out, error = as_nobody(*compare(folder, locked / "new" / "store"))
    assert (code, out) == (2, "")
    assert "Permission denied" in error
    assert str(locked / "new" / "store") in error
    assert "--out" in error


def test_a_store_that_may_only_be_read_can_be_reported_elsewhere(folder, locked, as_nobody):
    elsewhere = folder / "open"
    elsewhere.mkdir()
    elsewhere.chmod(0o777)
    code, out, error = as_nobody("report", locked, "--out", elsewhere)
    assert (code, error) == (0, "")
    assert Path(out.strip()).read_text().startswith("<!DOCTYPE html>")
    with Store(locked, read_only=True) as store:
        assert outcome(store)


@pytest.fixture
def logged(folder):
    """A store whose results are still in its log, as a killed run leaves it."""
    place = folder / "logged"
    with Store(folder / "written") as store:
        run(toy_plan(folder), store, n_jobs=0)
        # Copied while it is open: the last to close a store empties the log.
        shutil.copytree(store.folder, place)
    assert (place / "results.sqlite-wal").stat().st_size > 0
    return place


def lock(place):
    for path in place.iterdir():
        path.chmod(0o444)
    place.chmod(0o555)


def test_results_in_the_log_are_read_where_nothing_can_be_written(folder, logged, as_nobody):
    lock(logged)
    code, out, error = as_nobody("report", logged, "--format", "csv", "--out", folder / "home")
    assert (code, error) == (0, "")
    assert Path(out.strip()).read_text().count(",ok,") == 2 * len(toy_plan(folder).cells)


def test_results_in_a_log_without_its_index_are_not_passed_over(folder, logged, as_nobody):
    (logged / "results.sqlite-shm").unlink()
    lock(logged)
    code, out, error = as_nobody("report", logged, "--out", folder / "home")
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert "results.sqlite-wal holds results that cannot be read" in error
    assert f"copy the whole folder {logged} to a place that may" in error


def test_a_report_beside_a_store_that_may_only_be_read_says_what_to_do(locked, as_nobody):
    code, out, error = as_nobody("report", locked)
    assert (code, out) == (2, "")
    assert "is not writable" in error
    assert "--out" in error


def test_a_data_file_that_may_not_be_read_is_named(folder, locked, as_nobody):
    (folder / "toy.npz").chmod(0)
    code, _, error = as_nobody(*compare(folder, folder / "home"))
    assert code == 2
    assert f"{folder / 'toy.npz'} is not readable" in error


def test_a_folder_that_may_not_be_searched_is_one_line(folder, as_nobody):
    closed = folder / "closed"
    closed.mkdir()
    toy_plan(folder)
    closed.chmod(0o600)
    for arguments in (
        ("report", closed / "results"),
        compare(folder, closed / "results"),
        ("reduce", folder / "toy.npz", "--out", closed / "reduced.npz"),
        (
            "reduce",
            folder / "toy.npz",
            "--apply",
            closed / "m.skops",
            "--out",
            folder / "home/r.npz",
        ),
        ("describe", closed / "toy.npz"),
    ):
        code, out, error = as_nobody(*arguments)
        assert (code, out) == (2, "")
        assert error.count("\n") == 1
        assert f"the folder {closed} cannot be opened" in error
