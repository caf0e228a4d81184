"""Queries on a store, so that callers need no SQL."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Any

from labelspan.lab.store._store import Store

COLUMNS = (
    "id, dataset, split, method, reducer, classifier, directions, status, error, warnings, "
    "fit_seconds, transform_seconds, train_seconds, predict_seconds, total_seconds, "
    "peak_memory, n_components, environment, finished"
)


def facts_in(store: Store) -> dict[str, dict[str, Any]]:
    """Return the facts about each data set, by the hash of its source."""
    rows = store.query("SELECT source, content FROM facts")
    return {row["source"]: json.loads(row["content"]) for row in rows}


def series_in(store: Store, cells: Collection[str]) -> dict[str, dict[str, list[Any]]]:
    """Return the lists that cells have stored, by cell and name."""
    found: dict[str, dict[str, list[Any]]] = defaultdict(dict)
    for row in store.query("SELECT cell, name, content FROM series"):
        if row["cell"] in cells:
            found[row["cell"]][row["name"]] = json.loads(row["content"])
    return found


def statuses_in(store: Store, cells: Collection[str]) -> dict[str, int]:
    """Count how cells have ended."""
    rows = store.query("SELECT id, status FROM cells")
    return dict(Counter(row["status"] for row in rows if row["id"] in cells))


def cells_in(store: Store, cells: Collection[str]) -> list[dict[str, Any]]:
    """Return the rows of cells, each with its measured ``values`` and ``chosen`` parameters."""
    values: dict[str, dict[str, float | None]] = defaultdict(dict)
    for row in store.query("SELECT cell, measure, value FROM measurements"):
        values[row["cell"]][row["measure"]] = row["value"]
    found = store.query("SELECT cell, content FROM series WHERE name = 'chosen'")
    chosen = {row["cell"]: json.loads(row["content"]) for row in found}
    rows = [row for row in store.query(f"SELECT {COLUMNS} FROM cells") if row["id"] in cells]
    for row in rows:
        row["values"] = values[row["id"]]
        row["chosen"] = chosen.get(row["id"], [])
    return rows
