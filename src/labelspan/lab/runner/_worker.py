"""The parent side of a worker process that runs cells."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from labelspan.lab.plan import Cell, Source
from labelspan.lab.runner._environment import CODE_VARIABLE, code, environment
from labelspan.lab.runner._pending import Pending
from labelspan.lab.store import ENVIRONMENT, Result

START_SECONDS = 120.0
# Seconds that a process may take to end after closing its output.
END_SECONDS = 5.0
# The signal that ends a process when memory runs out; not every system defines it.
KILLED = 9
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class WorkerStartError(RuntimeError):
    """A worker process did not start; this is not the fault of a cell."""


class Worker:
    """A process that runs one cell at a time and can be killed if it takes too long."""

    def __init__(self, n_threads: int) -> None:
        # Keep the user's setting; on a busy computer, threads that wait for each other are slow.
        variables = {name: os.environ.get(name, str(n_threads)) for name in THREAD_VARIABLES}
        # The child imports this module again before it gets the path of the run.
        path = os.pathsep.join(item for item in sys.path if item)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "labelspan.lab.runner._child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, **variables, "PYTHONPATH": path, CODE_VARIABLE: code()},
        )
        self.answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._started = False

    def run(self, cell: Cell, timeout: float | None) -> Result:
        """Run a cell; the result says if it timed out or crashed the process."""
        started = time.perf_counter()
        try:
            content = self._ask({"kind": "cell", "cell": asdict(cell)}, timeout)
        except queue.Empty:
            self.kill()
            return _ended(cell, "timeout", f"ran past the time limit of {timeout:g} s", started)
        except EOFError:
            text = f"the process ended with {self._ending()}"
            self.kill()
            return _ended(cell, "crashed", text, started)
        return result_from_dict(content)

    def facts(self, source: Source, timeout: float | None) -> dict[str, Any]:
        try:
            return self._ask({"kind": "facts", "source": asdict(source)}, timeout)
        except (queue.Empty, EOFError):
            self.kill()
            return {"error": "the description took too long or too much memory"}

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                stream.close()  # type: ignore[union-attr]

    def _ask(self, message: Mapping[str, Any], timeout: float | None) -> dict[str, Any]:
        if not self._started:
            self._start()
        self._send(message)
        self._receive(None)
        return self._receive(timeout)["content"]

    def _start(self) -> None:
        """Wait until the process has imported its modules; this time counts for no cell."""
        try:
            self._receive(START_SECONDS)
            self._send({"kind": "path", "path": sys.path})
        except queue.Empty as error:
            self.kill()
            raise WorkerStartError(
                f"a process for the cells did not start within {START_SECONDS:g} s; run fewer at a "
                "time with --jobs, or wait until the computer is less busy. Finished results are "
                "stored; run the same command again to resume."
            ) from error
        except EOFError as error:
            how = self._ending()
            self.kill()
            raise WorkerStartError(
                f"a process for the cells ended with {how} while it started; see what "
                f"`{sys.executable} -m labelspan.lab.runner._child` says."
            ) from error
        self._started = True

    def _ending(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)
        code = self.process.returncode
        if code is None:
            return "closed its output but is still running"
        if code == -KILLED:
            return f"signal {KILLED}, possibly out of memory"
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise EOFError from error

    def _receive(self, timeout: float | None) -> dict[str, Any]:
        line = self.answers.get(timeout=timeout)
        if line is None:
            raise EOFError
        return json.loads(line)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self.process.stdout:
                self.answers.put(line)
        self.answers.put(None)


class WorkerPool:
    """Workers shared by threads; created when first needed, replaced when they die."""

    def __init__(self, n_threads: int = 1) -> None:
        self.n_threads = n_threads
        self.idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self.all: list[Worker] = []
        self.closed = False

    @contextlib.contextmanager
    def worker(self) -> Iterator[Worker]:
        try:
            worker = self.idle.get_nowait()
        except queue.Empty:
            worker = Worker(self.n_threads)
            self.all.append(worker)
        try:
            yield worker
        finally:
            if worker.alive and not self.closed:
                self.idle.put(worker)

    def run(self, cell: Cell, timeout: float | None) -> Result | None:
        found = self.run_next(Pending([cell]), timeout)
        return None if found is None else found[1]

    def run_next(self, pending: Pending, timeout: float | None) -> tuple[Cell, Result] | None:
        """Run the next cell for an idle worker; None if the pool is closed."""
        if self.closed:
            return None
        try:
            with self.worker() as worker:
                cell = pending.take(worker)
                result = worker.run(cell, timeout)
        except WorkerStartError:
            # Killed while it started, because the run ends.
            if self.closed:
                return None
            raise
        return None if self.closed else (cell, result)

    def close(self) -> None:
        self.closed = True
        for worker in self.all:
            worker.kill()


def result_from_dict(content: Mapping[str, Any]) -> Result:
    content = dict(content)
    content["rows"] = tuple((name, value) for name, value in content["rows"])
    content["warnings"] = tuple(content["warnings"])
    return Result(**content)


def _ended(cell: Cell, status: str, error: str, started: float) -> Result:
    return Result(
        cell=cell.id,
        status=status,
        error=error,
        seconds={"total": time.perf_counter() - started},
        environment=environment(),
        finished=time.time(),
        # A time limit, or a process that was killed, possibly out of memory.
        cause=ENVIRONMENT,
    )
