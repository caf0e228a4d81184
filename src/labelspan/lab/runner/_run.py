"""Run a plan into a store."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass

from joblib import Parallel, delayed

from labelspan.lab.plan import (
    Cell,
    Plan,
    check_data,
    check_methods,
    check_scaling,
    digest,
    with_scaling,
)
from labelspan.lab.runner._cell import run_cell
from labelspan.lab.runner._environment import code
from labelspan.lab.runner._facts import facts_of
from labelspan.lab.runner._pending import Pending
from labelspan.lab.runner._progress import Progress
from labelspan.lab.runner._worker import WorkerPool
from labelspan.lab.store import ENVIRONMENT, Result, Store, facts_in, statuses_in


@dataclass(frozen=True)
class RunSummary:
    """What a run did.

    Parameters
    ----------
    n_cells : int
        Cells of the plan.
    n_resumed : int
        Cells that were stored before the run and kept.
    statuses : dict of str to int
        How the cells of the plan ended.
    n_retried : int
        Cells that failed before the run and were run again.
    n_not_retried : int
        Cells that failed before the run because of their method, and were kept.
    n_to_retry : int
        Cells that failed because of the environment; the next run retries them.
    """

    n_cells: int
    n_resumed: int
    statuses: dict[str, int]
    n_retried: int = 0
    n_not_retried: int = 0
    n_to_retry: int = 0


def run(
    plan: Plan,
    store: Store,
    *,
    n_jobs: int | None = None,
    timeout: float | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
    command: str = "",
    retry_failed: bool = False,
    checked: bool = False,
) -> RunSummary:
    """Run the cells of a plan that are missing in the store, and retry some failures.

    Parameters
    ----------
    plan : Plan
        What to run.
    store : Store
        Result store; each result is written as soon as it is available.
    n_jobs : int or None, default=None
        Number of parallel cells, each in its own process with its share of the processors; None and
        -1 mean one per processor. 0 runs them in this process, for debugging.
    timeout : float or None, default=None
        Time limit per cell in seconds; longer cells count as "timeout". Loading does not count.
    dask : str or None, default=None
        Address of a Dask scheduler, to run the cells on its workers.
    progress : Progress, optional
        A display.
    command : str, default=""
        The command, for the report.
    retry_failed : bool, default=False
        Run every failed cell again. By default only those that failed for a reason outside the
        method: data that could not be loaded, a permission, a missing package, memory, the time
        limit, a worker that crashed.
    checked : bool, default=False
        Whether `check_before_run` has already accepted the plan.

    Returns
    -------
    RunSummary

    Notes
    -----
    Cells run in child processes. A cell that hangs or crashes its worker is stored with that
    status, and the others continue. After an interruption, the same call resumes after the last
    stored cell.

    Examples
    --------
    >>> import tempfile
    >>> from labelspan.lab import Plan, Source, Splits, Step, Store, run
    >>> plan = Plan(
    ...     "a small one",
    ...     sources=(Source("yeast"),),
    ...     reducers=(Step("mddm-p"),),
    ...     classifiers=(Step("ridge"),),
    ...     splits=Splits("standard"),
    ... )
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     run(plan, store, n_jobs=0).statuses
    {'ok': 1}
    """
    n_jobs = _n_jobs(n_jobs)
    if not checked:
        check_before_run(plan, timeout, dask)
    plan = with_scaling(plan)
    if n_jobs == 0 and timeout is not None:
        raise ValueError("a timeout needs n_jobs of at least 1: a process that can be ended.")
    display = Progress() if progress is None else progress
    with store.only_run():
        store.add_plan(plan, command)
        failed = store.failures(plan.cells)
        again = {cell for cell in failed if retry_failed or failed[cell] == ENVIRONMENT}
        done = store.finished(plan.cells) - again
        _tell_of_other_code(store, done)
        pending = [cell for cell in plan.cells if cell.id not in done]
        n_jobs = min(n_jobs, max(len(pending), 1))
        pool = WorkerPool(max(1, (os.cpu_count() or 1) // max(n_jobs, 1)))
        display.start(len(plan.cells), len(done))
        try:
            with closing(_results(pending, pool, n_jobs, timeout, dask)) as results:
                for cell, result in results:
                    store.add(cell, result)
                    display.advance(cell, result)
            _describe(plan, store, pool if n_jobs else None, timeout)
        finally:
            pool.close()
            display.close()
    return _summary(plan, store, len(done), len(again), len(failed) - len(again))


def _tell_of_other_code(store: Store, done: set[str]) -> None:
    """Warn of stored results whose methods may have changed since."""
    others = dict.fromkeys(
        f"labelspan {item.get('labelspan', 'of unknown version')}, "
        f"code {item.get('code', 'not recorded')}"
        for item in store.environments(done)
        if item.get("code") != code()
    )
    if others:
        warnings.warn(
            f"{store.folder} holds results of other code ({'; '.join(others)}; this is {code()}). "
            "They are kept; to compute them again, choose an empty folder.",
            stacklevel=3,
        )


def _results(
    cells: list[Cell], pool: WorkerPool, n_jobs: int, timeout: float | None, dask: str | None
) -> Generator[tuple[Cell, Result], None, None]:
    if dask:
        yield from _on_dask(cells, dask, timeout)
    elif n_jobs == 0:
        yield from ((cell, run_cell(cell)) for cell in cells)
    else:
        yield from _here(cells, pool, n_jobs, timeout)


def _here(
    cells: list[Cell], pool: WorkerPool, n_jobs: int, timeout: float | None
) -> Iterator[tuple[Cell, Result]]:
    pending = Pending(cells)

    # The threads only wait for the processes of the pool.
    parallel = Parallel(n_jobs=n_jobs, backend="threading", return_as="generator_unordered")
    results = parallel(delayed(pool.run_next)(pending, timeout) for _ in cells)
    complete = False
    try:
        yield from (pair for pair in results if pair is not None)
        complete = True
    finally:
        if not complete:
            # Threads waiting for a worker wake up when it ends.
            pool.close()
        with warnings.catch_warnings():
            # joblib counts the tasks that an interruption leaves; the next run executes them.
            warnings.simplefilter("ignore", UserWarning)
            results.close()


# One pool per Dask worker process, for all its threads.
_REMOTE: list[WorkerPool] = []


def _remote(cell: Cell, timeout: float | None) -> Result | None:
    if not _REMOTE:
        _REMOTE.append(WorkerPool())
    return _REMOTE[0].run(cell, timeout)


def _close_remote() -> None:
    while _REMOTE:
        _REMOTE.pop().close()


def _on_dask(
    cells: list[Cell], address: str, timeout: float | None
) -> Iterator[tuple[Cell, Result]]:
    from distributed import Client, as_completed

    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"there is no Dask scheduler at {address} ({error}); start one with `dask scheduler` "
            "or leave --dask out."
        ) from error
    with client:
        futures = {client.submit(_remote, cell, timeout, pure=False): cell for cell in cells}
        try:
            for future in as_completed(list(futures)):
                if (result := future.result()) is not None:
                    yield futures[future], result
        finally:
            client.cancel(list(futures))
            client.run(_close_remote)


def _describe(plan: Plan, store: Store, pool: WorkerPool | None, timeout: float | None) -> None:
    known = {source for source, content in facts_in(store).items() if "error" not in content}
    for source in plan.sources:
        if digest(asdict(source)) in known:
            continue
        if pool is None:
            store.add_facts(source, facts_of(source))
        else:
            with pool.worker() as worker:
                store.add_facts(source, worker.facts(source, timeout))


def _summary(
    plan: Plan, store: Store, n_resumed: int, n_retried: int, n_not_retried: int
) -> RunSummary:
    statuses = statuses_in(store, {cell.id for cell in plan.cells})
    n_to_retry = list(store.failures(plan.cells).values()).count(ENVIRONMENT)
    return RunSummary(len(plan.cells), n_resumed, statuses, n_retried, n_not_retried, n_to_retry)


def check_before_run(
    plan: Plan, timeout: float | None, dask: str | None, *, readable: bool = False
) -> None:
    """Refuse plans that would fail in every cell, before a folder is made or a result is stored."""
    check_methods(plan, elsewhere=dask is not None)
    check_scaling(plan, elsewhere=dask is not None)
    if dask is None:
        # On a cluster the files are where its workers are.
        for source in plan.sources:
            source.refuse_changed()
    # A NaN fails every comparison.
    if timeout is not None and not 0 < timeout <= threading.TIMEOUT_MAX:
        raise ValueError(
            f"timeout is {timeout:g}; give seconds above 0, at most {threading.TIMEOUT_MAX:g}, or "
            "leave it out."
        )
    if readable or dask is None:
        check_data(plan, readable=readable)


def _n_jobs(n_jobs: int | None) -> int:
    if n_jobs is None or n_jobs == -1:
        return os.cpu_count() or 1
    if n_jobs < 0:
        raise ValueError(f"n_jobs={n_jobs} is out of range; give at least 0, or -1 for all.")
    return n_jobs
