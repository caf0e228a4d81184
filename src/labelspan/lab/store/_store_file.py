"""Open the file of a store to write or read, with advice if that fails."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

BUSY_SECONDS = 30.0


class StoreError(RuntimeError):
    """The store cannot be used: locked, read-only, full or not a store; says how to repair it."""


def opened_to_write(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """Open a store with a write-ahead log, so that every result is complete and final."""
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def opened_to_read(path: Path, busy_seconds: float) -> sqlite3.Connection:
    place = path.absolute().as_uri()
    with contextlib.suppress(sqlite3.OperationalError):
        # A process with write access removes the log and its index when it closes the file.
        return _checked(sqlite3.connect(f"{place}?mode=rw", uri=True, timeout=busy_seconds))
    address = f"{place}?mode=ro"
    connection = sqlite3.connect(address, uri=True, timeout=busy_seconds)
    try:
        return _checked(connection)
    except sqlite3.OperationalError as error:
        connection.close()
        if _code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        _refuse_log(path, error)
    # If no index of the log can be created, an empty log is ignored.
    return sqlite3.connect(f"{address}&immutable=1", uri=True, timeout=busy_seconds)


def _checked(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Try to read, and refuse to write from now on."""
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master")
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_log(path: Path, error: sqlite3.Error) -> None:
    """Refuse to ignore a log that holds results: they would be missing silently."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > 0:
        raise StoreError(
            f"{log} holds results that cannot be read from a folder that may not be written; copy "
            f"the whole folder {path.parent} to a place that may, and use the copy."
        ) from error


@contextlib.contextmanager
def explained(path: Path, busy_seconds: float) -> Iterator[None]:
    """Describe what is wrong with the file of a store, and how to repair it."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_repair(error, path, busy_seconds)) from error
    except OSError as error:
        raise StoreError(
            f"the folder {path.parent} cannot be made or read ({error.strerror}); choose "
            "another one with --out."
        ) from error


def is_busy(error: sqlite3.Error) -> bool:
    return _code(error) == sqlite3.SQLITE_BUSY


def _code(error: sqlite3.Error) -> int:
    """Primary code of an error; -1 for one of Python's own."""
    code = getattr(error, "sqlite_errorcode", None)
    return -1 if code is None else code & 0xFF


def _repair(error: sqlite3.Error, path: Path, busy_seconds: float) -> str:
    safe = "Results written so far are safe; run the same command again to resume."
    place = {
        sqlite3.SQLITE_BUSY: f"{path} is locked by another program for more than "
        f"{busy_seconds:g} s; close it and start again. {safe}",
        sqlite3.SQLITE_FULL: f"the disk of {path} is full; make room and start again. {safe}",
        sqlite3.SQLITE_IOERR: f"{path} cannot be written ({error}): a full or failing disk. {safe}",
        sqlite3.SQLITE_READONLY: f"{path} is read-only; make it writable or choose another "
        "folder with --out.",
        sqlite3.SQLITE_CANTOPEN: f"{path} cannot be opened: the folder is missing or "
        "read-only; choose another one with --out.",
        sqlite3.SQLITE_PERM: f"{path} may not be used; choose another folder with --out.",
        sqlite3.SQLITE_NOTADB: f"{path} is not a store of results; move it away or choose "
        "another folder with --out.",
        sqlite3.SQLITE_CORRUPT: f"{path} is damaged; restore it from a copy or choose "
        "another folder with --out.",
    }
    return place.get(_code(error), f"{path}: {error}")
