"""The progress display of a run."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from labelspan.lab.plan import Cell
from labelspan.lab.store import Result
from labelspan.system import clean, counted

# Plain lines are for logs, so one every few seconds, not one per cell.
LINE_SECONDS = 10.0
# The same error in every cell is one mistake: show this many lines, count the rest.
SAME_ERRORS = 3


class Progress:
    """A display of a run; this one shows nothing."""

    def start(self, total: int, done: int) -> None:
        """Begin with this many cells, some of which are stored already."""

    def advance(self, cell: Cell, result: Result) -> None:
        """Show that a cell is finished."""

    def close(self) -> None:
        """End the display."""


class Failures:
    """Lines about failures: the first of each error, and how many more there were."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], int] = {}

    def line(self, cell: Cell, result: Result) -> str | None:
        key = (result.status, result.error)
        self.counts[key] = self.counts.get(key, 0) + 1
        if result.status == "ok" or self.counts[key] > SAME_ERRORS:
            return None
        return clean(f"{result.status}: {described(cell)}: {result.error}")

    def rest(self) -> list[str]:
        return [
            clean(f"{status}: {counted(count - SAME_ERRORS, 'more cell')}: {error}")
            for (status, error), count in self.counts.items()
            if status != "ok" and count > SAME_ERRORS
        ]


class Lines(Progress):
    """Plain lines: progress every few seconds, failures at once."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock

    def start(self, total: int, done: int) -> None:
        self.total, self.done, self.first = total, done, done
        self.printed = self.clock()
        self.failures = Failures()
        resumed = f", {done} of them stored already" if done else ""
        self._print(f"{counted(total, 'cell')}{resumed}")

    def advance(self, cell: Cell, result: Result) -> None:
        self.done += 1
        if line := self.failures.line(cell, result):
            self._print(line)
        now = self.clock()
        timed = self.done - self.first - 1
        if timed == 0:
            # Measured from here, because starting the processes is not part of the pace.
            self.started = now
        if now - self.printed >= LINE_SECONDS or self.done == self.total:
            self.printed = now
            n_left = self.total - self.done
            known = timed > 0 and n_left > 0
            left = f", {(now - self.started) / timed * n_left:.0f} s left" if known else ""
            self._print(f"{self.done}/{self.total} cells{left}")

    def close(self) -> None:
        for line in self.failures.rest():
            self._print(line)

    def _print(self, text: str) -> None:
        print(text, file=self.stream, flush=True)


class Bar(Progress):
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )

    def start(self, total: int, done: int) -> None:
        self.failures = Failures()
        self.task: Any = self.progress.add_task("running", total=total, completed=done)
        self.progress.start()

    def advance(self, cell: Cell, result: Result) -> None:
        self.progress.update(self.task, advance=1, description=described(cell)[:40])
        if line := self.failures.line(cell, result):
            self.progress.console.print(line, markup=False, highlight=False)

    def close(self) -> None:
        self.progress.stop()
        for line in self.failures.rest():
            self.progress.console.print(line, markup=False, highlight=False)


def described(cell: Cell) -> str:
    directions = "" if cell.directions is None else f", {counted(cell.directions, 'direction')}"
    names = (cell.source.name, cell.reducer.title, cell.classifier.title)
    return f"{' '.join(clean(' / '.join(names)).split())}, split {cell.split}{directions}"


def default_progress() -> Progress:
    """A bar on a terminal that has rich, else plain lines."""
    if not sys.stderr.isatty():
        return Lines()
    try:
        return Bar()
    except ImportError:
        return Lines()
