"""Runs: failures are stored as rows, and interruptions neither lose nor repeat cells."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from labelspan.datasets import write_npz
from labelspan.experiments import Cell, Source, Splits, Step, Store, load_plan, run, run_cell
from labelspan.lab.report import write_report
from labelspan.lab.runner import default_progress
from tests.lab.plans import outcome, toy_plan, write_toy

FAULTY = "tests.lab.faulty:"


def test_a_run_stores_what_run_cell_returns(tmp_path):
    plan = toy_plan(tmp_path, reducers=("none", "mvmd"), directions=(1, 2))
    with Store(tmp_path / "a") as store, Store(tmp_path / "b") as other:
        summary = run(plan, store, n_jobs=1)
        for cell in plan.cells:
            other.add(cell, run_cell(cell))
        assert summary.statuses == {"ok": len(plan.cells)}
        assert outcome(store) == outcome(other)
        curve = store.query("SELECT DISTINCT n_components FROM cells WHERE directions = 2")
        assert curve == [{"n_components": 2}]


def test_a_second_run_does_nothing_and_a_wider_plan_only_what_is_new(tmp_path):
    plan = toy_plan(tmp_path)
    with Store(tmp_path / "out") as store:
        run(plan, store, n_jobs=0)
        first = store.query("SELECT id, finished FROM cells ORDER BY id")
        assert run(plan, store, n_jobs=0).n_resumed == len(plan.cells)
        assert store.query("SELECT id, finished FROM cells ORDER BY id") == first
        wider = toy_plan(tmp_path, name="wider", reducers=("none", "mddm-p", "pca"))
        assert run(wider, store, n_jobs=0).n_resumed == len(plan.cells)
        assert [row["name"] for row in store.plans()] == ["wider", "toy plan"]


def test_a_method_that_misbehaves_is_a_row_and_the_others_finish(tmp_path, capsys):
    names = ("Raises", "ReturnsNaN", "Hangs", "Dies", "Prints")
    reducers = ("none", *(f"{FAULTY}{name}" for name in names), "mvmd")
    # One split, because each process that ends must be restarted.
    plan = toy_plan(tmp_path, reducers=reducers, splits=Splits("random", n_repeats=1))
    with Store(tmp_path / "out") as store:
        run(plan, store, n_jobs=2, timeout=1.0, progress=default_progress())
        rows = store.query("SELECT DISTINCT reducer, status, error FROM cells")
    found = {row["reducer"]: (row["status"], row["error"]) for row in rows}
    assert len(rows) == len(reducers)
    assert {name: status for name, (status, _) in found.items()} == {
        "no reduction": "ok",
        "Raises": "failed",
        "ReturnsNaN": "nan",
        "Hangs": "timeout",
        "Dies": "crashed",
        "Prints": "ok",
        "MVMD": "ok",
    }
    assert "FloatingPointError: the matrix <b>is</b> singular (fit" in found["Raises"][1]
    assert "72 of 72 values are not finite" in found["ReturnsNaN"][1]
    assert "time limit of 1 s" in found["Hangs"][1]
    assert "signal 9" in found["Dies"][1]
    printed = capsys.readouterr().err
    assert "timeout: toy / Hangs / ridge, split 0: ran past" in printed
    assert f"{len(plan.cells)}/{len(plan.cells)} cells" in printed


def test_text_that_is_not_whole_ends_neither_the_run_nor_the_report(tmp_path):
    names = ("RaisesHalfACharacter", "WarnsOfHalfACharacter")
    reducers = ("none", *(f"{FAULTY}{name}" for name in names))
    plan = toy_plan(tmp_path, reducers=reducers, splits=Splits("random", n_repeats=1))
    for n_jobs in (0, 1):
        with Store(tmp_path / f"out {n_jobs}") as store:
            assert run(plan, store, n_jobs=n_jobs).statuses == {"ok": 2, "failed": 1}
            (row,) = store.query("SELECT error FROM cells WHERE status = 'failed'")
            assert row["error"].startswith(r"ValueError: bad \udcff (fit")
            page = write_report(store, tmp_path / "report.html").read_text(encoding="utf-8")
            assert page.count(r"bad \udcff") >= 2


def test_a_method_that_ends_its_process_or_tries_to_is_a_row_that_says_how(tmp_path):
    names = ("Exits", "Interrupts", "EndsItsProcess", "Dies")
    reducers = tuple(f"{FAULTY}{name}" for name in names)
    plan = toy_plan(tmp_path, reducers=reducers, splits=Splits("random", n_repeats=1))
    with Store(tmp_path / "out") as store:
        run(plan, store, n_jobs=1)
        rows = store.query("SELECT reducer, status, error FROM cells")
    found = {row["reducer"]: f"{row['status']}: {row['error']}" for row in rows}
    assert found["Exits"].startswith("failed: SystemExit: 3 (fit")
    assert found["Interrupts"].startswith("failed: KeyboardInterrupt")
    assert found["EndsItsProcess"] == "crashed: the process ended with exit code 3"
    assert found["Dies"] == ("crashed: the process ended with signal 9, possibly out of memory")


@pytest.mark.parametrize("timeout", [None, 30.0])
def test_a_process_that_does_not_start_is_no_fault_of_a_cell(tmp_path, monkeypatch, limit, timeout):
    plan = toy_plan(tmp_path)
    limit("start seconds", 0.01)
    with Store(tmp_path / "out") as store:
        with pytest.raises(RuntimeError, match=r"did not start within 0.01 s; run fewer at a time"):
            run(plan, store, n_jobs=2, timeout=timeout)
        assert store.n_cells == 0
        monkeypatch.undo()
        assert run(plan, store, n_jobs=1).statuses == {"ok": len(plan.cells)}


def test_a_process_that_ends_while_it_starts_is_no_fault_of_a_cell(tmp_path, monkeypatch):
    plan = toy_plan(tmp_path)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with Store(tmp_path / "out") as store:
        with pytest.raises(RuntimeError, match="ended with exit code 1 while it started; see"):
            run(plan, store, n_jobs=1)
        assert store.n_cells == 0


def test_data_that_cannot_be_read_are_rows_too(tmp_path):
    plan = toy_plan(tmp_path)
    (tmp_path / "toy.npz").write_bytes(b"no archive")
    plan = replace(plan, sources=(Source.from_any(str(tmp_path / "toy.npz")),))
    with Store(tmp_path / "out") as store:
        assert run(plan, store, n_jobs=1).statuses == {"failed": len(plan.cells)}
        assert "toy.npz" in store.query("SELECT error FROM cells")[0]["error"]
        assert "error" in store.query("SELECT content FROM facts")[0]["content"]


def test_a_file_that_is_gone_ends_the_run_before_a_result_is_final(tmp_path):
    plan = toy_plan(tmp_path)
    (tmp_path / "toy.npz").rename(tmp_path / "elsewhere.npz")
    with Store(tmp_path / "out") as store:
        with pytest.raises(FileNotFoundError, match=r"toy\.npz"):
            run(plan, store, n_jobs=1)
        assert store.n_cells == 0


def test_an_undefined_measure_is_an_empty_value_with_a_warning(tmp_path):
    path = write_toy(tmp_path)
    dataset = Source.from_any(str(path)).load()
    dataset.Y[:] = 0
    write_npz(dataset, path)
    source = Source.from_any(str(path))
    cell = Cell(source, Splits(), 0, Step("none"), Step("ridge"), ("macro_auc", "hamming_loss"))
    result = run_cell(cell)
    assert result.status == "ok"
    assert result.rows[0] == ("macro_auc", None)
    assert result.rows[1][1] is not None
    assert any("macro_auc" in text for text in result.warnings)


def test_cells_run_on_a_dask_cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    plan = toy_plan(tmp_path, reducers=("none", f"{FAULTY}Raises"))
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        Store(tmp_path / "dask") as store,
        Store(tmp_path / "here") as here,
    ):
        run(plan, store, dask=cluster.scheduler_address)
        run(plan, here, n_jobs=0)
        assert outcome(store) == outcome(here)


def test_a_dask_address_without_a_scheduler_says_so(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")

    def refuse(*args, **kwargs):
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", refuse)
    with (
        Store(tmp_path) as store,
        pytest.raises(ConnectionError, match=r"no Dask scheduler at tcp://127.0.0.1:1"),
    ):
        run(toy_plan(tmp_path), store, dask="tcp://127.0.0.1:1")


# Starts a run for each line it reads, in a fork, so that imports happen only once.
LAUNCHER = """
import os, sys
from labelspan.experiments import Store, load_plan, run
plan = load_plan(sys.argv[1])
for n_jobs in sys.stdin:
    pid = os.fork()
    if pid == 0:
        with Store(sys.argv[2]) as store:
            run(plan, store, n_jobs=int(n_jobs))
        os._exit(0)
    print(pid, flush=True)
    print(os.waitpid(pid, 0)[1], flush=True)
"""
TOML = """
name = "killed"
sources = [{name = "toy", path = "toy.npz"}]
reducers = ["none", "mddm-p", "mvmd", "tests.lab.faulty:Slow"]
classifiers = ["ridge"]
splits = "10x3"
measures = ["micro_f1", "hamming_loss", "ranking_loss"]
"""


@pytest.fixture
def plan_file(tmp_path):
    write_toy(tmp_path)
    path = tmp_path / "plan.toml"
    path.write_text(TOML)
    return path


@pytest.fixture
def launcher(tmp_path, plan_file):
    Store(tmp_path / "out").close()
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, plan_file, tmp_path / "out"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    yield process
    process.kill()
    process.communicate()


def start(launcher, n_jobs):
    launcher.stdin.write(f"{n_jobs}\n")
    launcher.stdin.flush()
    return int(launcher.stdout.readline())


def n_cells(folder):
    with Store(folder, read_only=True) as store:
        return store.n_cells


# Three with worker processes, which take a second or two to start.
JOBS = [0] * 6 + [2] + [0] * 6 + [1] + [0] * 5 + [2]


def test_killed_at_twenty_moments_the_store_ends_with_the_rows_of_an_undisturbed_run(
    tmp_path, plan_file, launcher
):
    plan = load_plan(plan_file)
    with Store(tmp_path / "undisturbed") as store:
        run(plan, store, n_jobs=0)
        expected = outcome(store)
    moments = random.Random(0)
    out = tmp_path / "out"
    counts = [0]
    for n_jobs in JOBS:
        pid = start(launcher, n_jobs)
        target = min(counts[-1] + moments.randrange(8), len(plan.cells) - 3)
        while n_cells(out) < target:
            time.sleep(0.002)
        time.sleep(moments.random() * 0.03)
        os.kill(pid, signal.SIGKILL)
        assert launcher.stdout.readline() == f"{int(signal.SIGKILL)}\n"
        counts.append(n_cells(out))
    assert len(counts) == 21
    assert counts == sorted(counts)
    assert len(set(counts)) >= 10
    assert counts[-1] < len(plan.cells)
    with Store(out) as store:
        summary = run(plan, store, n_jobs=0)
        assert summary.n_resumed == counts[-1]
        assert outcome(store) == expected


def test_interrupted_by_the_keyboard_the_run_ends_at_once_and_keeps_what_it_has(tmp_path, launcher):
    out = tmp_path / "out"
    pid = start(launcher, 2)
    while n_cells(out) < 2:
        time.sleep(0.002)
    os.kill(pid, signal.SIGINT)
    assert launcher.stdout.readline() != "0\n"
    assert 2 <= n_cells(out) < 120
