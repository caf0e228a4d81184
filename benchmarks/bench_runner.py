"""The runner's own cost, and the report of a large store.

The overhead is what a run takes beyond the cells' own time, on the demo. Three figures: the runner
alone, with one process that is up already; the same with the start of that process, which imports
the package; and the whole command `labelspan compare`, from the shell to the written report, with
its processor time by part.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from labelspan.experiments import METHODS, Plan, Result, Source, Splits, Step, Store, run
from labelspan.lab.report import render
from labelspan.lab.runner._facts import facts_of
from labelspan.lab.runner._worker import WorkerPool

OVERHEAD_GOAL = 0.05
REPORT_ROWS, REPORT_GOAL, PAGE_GOAL = 100_000, 10.0, 6_000_000
MEASURES = ("micro_f1", "macro_f1", "hamming_loss", "ranking_loss", "average_precision")


def demo() -> Plan:
    """The demo: every extractor with ML-kNN and ridge on yeast."""
    names = [m.name for m in METHODS if m.kind == "reducer" and "kernel" not in m.name]
    return Plan(
        "demo",
        sources=(Source("yeast"),),
        reducers=tuple(Step(name) for name in names),
        classifiers=(Step("mlknn"), Step("ridge")),
        splits=Splits("folds", n_folds=2, n_repeats=3),
    )


def start_seconds() -> float:
    """Time until a process is ready for its first cell."""
    pool = WorkerPool()
    start = time.perf_counter()
    with pool.worker() as worker:
        worker._receive(120.0)
    elapsed = time.perf_counter() - start
    pool.close()
    return elapsed


def overhead() -> bool:
    """Run the demo and compare its time with that of its cells."""
    plan = demo()
    start = start_seconds()
    with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
        began = time.perf_counter()
        run(plan, store, n_jobs=1)
        elapsed = time.perf_counter() - began
        cells = store.query("SELECT sum(total_seconds) s FROM cells")[0]["s"]
        # Reading and describing the data is work, not overhead: measured in this process.
        began = time.perf_counter()
        facts_of(plan.sources[0])
        described = time.perf_counter() - began
    share = (elapsed - cells - start - described) / cells
    with_start = (elapsed - cells - described) / cells
    print(f"{len(plan.cells)} cells: {cells:.2f} s of their own, {elapsed:.2f} s in all")
    print(f"start of the process {start:.2f} s, description of the data {described:.2f} s")
    print(f"runner overhead {share:.1%} of the cells (goal {OVERHEAD_GOAL:.0%})")
    print(f"with the start of the process {with_start:.1%}")
    return share <= OVERHEAD_GOAL


WHOLE = """
import json, resource, sys, time
began = time.perf_counter()
from labelspan.lab.cli import main
imported = time.process_time()
code = 0
try:
    main()
except SystemExit as ended:
    code = ended.code or 0
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
parent, children = (item.ru_utime + item.ru_stime for item in used)
wall = time.perf_counter() - began
print(json.dumps([code, wall, imported, parent, children]), file=sys.stderr)
"""


def command(n_jobs: int = 2) -> None:
    """Run the demo as a user does, and tell where the time goes; for information."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["compare", "--out", folder, "--jobs", str(n_jobs)]
        finished = subprocess.run(
            [sys.executable, "-c", WHOLE, *arguments], capture_output=True, text=True, check=True
        )
        _, wall, imported, parent, children = json.loads(finished.stderr.splitlines()[-1])
        with Store(folder, read_only=True) as store:
            cells = store.query("SELECT sum(total_seconds) s FROM cells")[0]["s"]
    print(f"labelspan compare with {n_jobs} processes: {wall:.1f} s, of which cells {cells:.1f} s")
    print(f"beyond the cells {wall * n_jobs / cells - 1:.0%} of their time, by the wall clock")
    print(
        f"processor: {children:.1f} s in the processes of the cells, {imported:.1f} s to import "
        f"the command, {parent - imported:.1f} s for store, tests and report"
    )


def large_store(folder: Path) -> Store:
    """20 data sets x 50 splits x 10 methods x 2 classifiers x 5 measures, made up."""
    reducers = [m.name for m in METHODS if m.kind == "reducer"][:10]
    plan = Plan(
        "large",
        sources=tuple(Source(f"set {i}") for i in range(20)),
        reducers=tuple(Step(name) for name in reducers),
        classifiers=(Step("mlknn"), Step("ridge")),
        splits=Splits("folds", n_folds=5, n_repeats=10),
        measures=MEASURES,
    )
    rng = np.random.default_rng(0)
    store = Store(folder)
    store._connection.execute("PRAGMA synchronous = OFF")
    store.add_plan(plan)
    for cell in plan.cells:
        rows = tuple(
            (name, float(value)) for name, value in zip(MEASURES, rng.random(5), strict=True)
        )
        series = {"label_f1": rng.random(14).round(4).tolist(), "eigenvalues": [3.0, 2.0, 1.0]}
        seconds = {"fit": 0.01, "predict": 0.01, "total": 0.1}
        store.add(cell, Result(cell.id, "ok", "", rows, series, seconds, 5, 10**8))
    return store


def report() -> bool:
    """Render the page of a store of 100,000 measurements."""
    with tempfile.TemporaryDirectory() as folder, large_store(Path(folder)) as store:
        n_rows = store.query("SELECT count(*) n FROM measurements")[0]["n"]
        start = time.process_time()
        page = render(store)
        elapsed = time.process_time() - start
    size = len(page.encode())
    print(
        f"report of {n_rows} rows: {elapsed:.2f} s (goal {REPORT_GOAL:.0f}), "
        f"{size / 1e6:.2f} MB (goal {PAGE_GOAL / 1e6:.0f})"
    )
    return n_rows >= REPORT_ROWS and elapsed <= REPORT_GOAL and size <= PAGE_GOAL


if __name__ == "__main__":
    results = [overhead(), report()]
    command()
    raise SystemExit(0 if all(results) else 1)
