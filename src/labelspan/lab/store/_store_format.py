"""Tables of a store, its versions, and the triggers that protect its rows."""

from __future__ import annotations

import sqlite3

#: The version that is written. Version 1 has no causes of failures and never replaces them.
FORMAT = 2
READABLE = (1, FORMAT)
TABLES = ("plans", "environments", "facts", "cells", "measurements", "series")

SCHEMA = """
CREATE TABLE plans (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL, content TEXT NOT NULL, command TEXT NOT NULL,
    created REAL NOT NULL, parameters TEXT NOT NULL);
CREATE TABLE environments (hash TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE facts (source TEXT PRIMARY KEY, name TEXT NOT NULL, content TEXT NOT NULL);
CREATE TABLE cells (
    id TEXT PRIMARY KEY, dataset TEXT NOT NULL, split INTEGER NOT NULL, method TEXT NOT NULL,
    reducer TEXT NOT NULL, classifier TEXT NOT NULL, directions INTEGER, seed INTEGER NOT NULL,
    content TEXT NOT NULL, status TEXT NOT NULL, error TEXT NOT NULL, warnings TEXT NOT NULL,
    fit_seconds REAL, transform_seconds REAL, train_seconds REAL, predict_seconds REAL,
    total_seconds REAL, peak_memory INTEGER, n_components INTEGER,
    environment TEXT NOT NULL REFERENCES environments (hash), finished REAL NOT NULL, cause TEXT);
CREATE TABLE measurements (
    cell TEXT NOT NULL REFERENCES cells (id), measure TEXT NOT NULL, value REAL,
    PRIMARY KEY (cell, measure)) WITHOUT ROWID;
CREATE TABLE series (
    cell TEXT NOT NULL REFERENCES cells (id), name TEXT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (cell, name)) WITHOUT ROWID;
"""
FINAL = """
CREATE TRIGGER {table}_{verb} BEFORE {verb} ON {table} {condition}
BEGIN SELECT RAISE(ABORT, 'results are final once written'); END;
"""
# A failed cell has no measurements, so only its own row is replaced by another attempt.
RETRIED = FINAL.format(table="cells", verb="DELETE", condition="WHEN OLD.status = 'ok'")


def create(cursor: sqlite3.Cursor) -> None:
    for statement in SCHEMA.split(";"):
        cursor.execute(statement)
    for table in ("cells", "measurements", "series"):
        cursor.execute(FINAL.format(table=table, verb="UPDATE", condition=""))
    for table in ("measurements", "series"):
        cursor.execute(FINAL.format(table=table, verb="DELETE", condition=""))
    cursor.execute(RETRIED)
    cursor.execute(f"PRAGMA user_version = {FORMAT}")


def migrate(cursor: sqlite3.Cursor) -> None:
    """Upgrade a store of version 1 to this version; results are not changed."""
    cursor.execute("ALTER TABLE cells ADD COLUMN cause TEXT")
    cursor.execute("DROP TRIGGER cells_DELETE")
    cursor.execute(RETRIED)
    cursor.execute(f"PRAGMA user_version = {FORMAT}")
