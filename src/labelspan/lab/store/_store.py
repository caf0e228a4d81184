"""Results on disk: one SQLite file in WAL mode, one row per measurement, final once written."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from labelspan.lab.plan import Cell, Plan, as_written, digest, parameters_of
from labelspan.lab.store._checked import TEXTS, check_row, decoded
from labelspan.lab.store._result import Result, stored_cause
from labelspan.lab.store._store_file import (
    BUSY_SECONDS,
    StoreError,
    explained,
    is_busy,
    opened_to_read,
    opened_to_write,
)
from labelspan.lab.store._store_format import FORMAT, READABLE, TABLES, create, migrate
from labelspan.system import closed_folder, escaped

#: Name of the file of a store.
FILE_NAME = "results.sqlite"


class Store:
    """A store of results.

    Parameters
    ----------
    folder : str or path
        Folder of the file ``results.sqlite``; created if missing.
    read_only : bool, default=False
        Open an existing store and write nothing.
    busy_seconds : float, default=30
        How long to wait while another program writes.

    Notes
    -----
    Every result is one transaction, synchronised to disk, so a result is complete or absent, even
    after a power failure. Triggers refuse to change or delete a measurement; only a failure can be
    replaced by the result of another attempt.

    Examples
    --------
    >>> import tempfile
    >>> from labelspan.lab import Store
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     store.n_cells
    0
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        read_only: bool = False,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self.folder = Path(folder)
        self.path = self.folder / FILE_NAME
        self.read_only = read_only
        self._busy_seconds = busy_seconds
        if closed := closed_folder(self.folder.absolute()):
            raise StoreError(
                f"the folder {closed} cannot be opened; change its permissions, or choose "
                "another folder."
            )
        if read_only and not self.path.is_file():
            raise StoreError(
                f"there is no store in {self.folder}; run `labelspan compare --out {self.folder}`."
            )
        with self._explained():
            self._connection = self._open()
        try:
            with self._explained():
                self._check_format()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(self, *ignored: object) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the file; what was written is on disk already."""
        self._connection.close()

    @property
    def n_cells(self) -> int:
        """Number of finished cells."""
        return self._connection.execute("SELECT count(*) FROM cells").fetchone()[0]

    def finished(self, cells: Iterable[Cell]) -> set[str]:
        """Hashes of the cells that are in the store."""
        stored = {row[0] for row in self._connection.execute("SELECT id FROM cells")}
        return stored & {cell.id for cell in cells}

    def failures(self, cells: Iterable[Cell]) -> dict[str, str]:
        """Causes of failed cells: "method", or "environment" (download, permission, memory)."""
        wanted = {cell.id for cell in cells}
        rows = self.query("SELECT id, status, error, cause FROM cells WHERE status != 'ok'")
        return {
            row["id"]: row["cause"] or stored_cause(row["status"], row["error"])
            for row in rows
            if row["id"] in wanted
        }

    def environments(self, cells: Iterable[str]) -> list[dict[str, str]]:
        """The versions and machines that stored cells come from."""
        wanted = set(cells)
        rows = self.query("SELECT id, environment FROM cells")
        used = {row["environment"] for row in rows if row["id"] in wanted}
        rows = self.query("SELECT hash, content FROM environments ORDER BY content")
        return [decoded(row, "content", TEXTS, self.path) for row in rows if row["hash"] in used]

    def add_plan(self, plan: Plan, command: str = "") -> None:
        """Write a plan, and the command that ran it, before its results."""
        content = json.dumps(as_written(asdict(plan)))
        parameters = json.dumps(parameters_of(plan))
        row = (plan.hash, plan.name, content, escaped(command), time.time(), parameters)
        with self._writing() as cursor:
            cursor.execute("DELETE FROM plans WHERE hash = ?", row[:1])
            cursor.execute("INSERT INTO plans VALUES (?, ?, ?, ?, ?, ?)", row)

    def add_facts(self, source: Any, content: dict[str, Any]) -> None:
        """Write the description of a data set."""
        row = (digest(asdict(source)), source.name, json.dumps(content))
        with self._writing() as cursor:
            cursor.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", row)

    def add(self, cell: Cell, result: Result) -> None:
        """Write the result of a cell; it may replace a failure, but not a result."""
        environment = json.dumps(dict(result.environment), sort_keys=True)
        rows = [(cell.id, name, value) for name, value in result.rows]
        series = [(cell.id, name, json.dumps(values)) for name, values in result.series.items()]
        with self._writing() as cursor:
            cursor.execute(
                "INSERT OR IGNORE INTO environments VALUES (?, ?)",
                (digest(environment), environment),
            )
            columns = _cell_columns(cell, result, digest(environment))
            marks = ", ".join("?" * len(columns))
            cursor.execute("DELETE FROM cells WHERE id = ? AND status != 'ok'", (cell.id,))
            cursor.execute(f"INSERT OR IGNORE INTO cells VALUES ({marks})", columns)
            if cursor.rowcount == 1:
                cursor.executemany("INSERT INTO measurements VALUES (?, ?, ?)", rows)
                cursor.executemany("INSERT INTO series VALUES (?, ?, ?)", series)

    def query(self, statement: str, arguments: Iterable[Any] = ()) -> list[dict[str, Any]]:
        """Read rows of a SELECT; a value of another type than its column was edited or damaged."""
        with self._explained():
            cursor = self._connection.execute(statement, tuple(arguments))
            names = [column[0] for column in cursor.description]
            rows = [dict(zip(names, row, strict=True)) for row in cursor]
        for row in rows:
            check_row(row, self.path)
        return rows

    def plans(self) -> list[dict[str, Any]]:
        """The plans, the last one added first."""
        return self.query("SELECT * FROM plans ORDER BY rowid DESC")

    @contextlib.contextmanager
    def only_run(self) -> Iterator[None]:
        """Hold the store for one run; a second run is refused."""
        # An SQLite lock on a separate file. It ends with the process in any case, on every system,
        # and leaves the results readable.
        path = self.folder / "results.lock"
        with explained(path, self._busy_seconds):
            lock = sqlite3.connect(path, timeout=0.1, isolation_level=None)
        try:
            with explained(path, self._busy_seconds):
                self._lock(lock)
            yield
        finally:
            lock.close()

    def _lock(self, lock: sqlite3.Connection) -> None:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
            raise StoreError(
                f"another run is working on {self.folder}; wait for it, or give this one "
                "another folder with --out. Nothing was changed."
            ) from error

    def _open(self) -> sqlite3.Connection:
        if self.read_only:
            return opened_to_read(self.path, self._busy_seconds)
        self.folder.mkdir(parents=True, exist_ok=True)
        return opened_to_write(self.path, self._busy_seconds)

    def _check_format(self) -> None:
        found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found not in ((*READABLE,) if self.read_only else (0, *READABLE)):
            raise StoreError(
                f"{self.path} has format {found}, this version reads formats "
                f"{' and '.join(map(str, READABLE))}; use another folder."
            )
        if found:
            self._check_tables()
        if found != FORMAT and not self.read_only:
            with self._writing() as cursor:
                # Another process may have been first.
                found = cursor.execute("PRAGMA user_version").fetchone()[0]
                if found != FORMAT:
                    (migrate if found else create)(cursor)

    def _check_tables(self) -> None:
        """Refuse a file whose tables are views, because a view may have endless rows."""
        rows = self._connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        tables = {name for name, sql in rows if sql and sql.startswith("CREATE TABLE")}
        if missing := [name for name in TABLES if name not in tables]:
            raise StoreError(
                f"{self.path} is not a store of results: {missing[0]} is not a table; choose "
                "another folder."
            )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Cursor]:
        with self._explained():
            cursor = self._connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    cursor.execute("ROLLBACK")
                raise
            finally:
                cursor.close()

    def _explained(self) -> contextlib.AbstractContextManager[None]:
        return explained(self.path, self._busy_seconds)


def _cell_columns(cell: Cell, result: Result, environment: str) -> tuple[Any, ...]:
    parts = ("fit", "transform", "train", "predict", "total")
    return (
        cell.id,
        cell.source.name,
        cell.split,
        cell.method,
        cell.reducer.title,
        cell.classifier.title,
        cell.directions,
        cell.seed,
        json.dumps(asdict(cell)),
        result.status,
        result.error,
        json.dumps(result.warnings),
        *(result.seconds.get(part) for part in parts),
        result.peak_memory,
        result.n_components,
        environment,
        result.finished,
        result.cause or None,
    )
