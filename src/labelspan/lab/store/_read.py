"""Queries on a store, so that callers need no SQL."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Any

from labelspan.lab.store._checked import NUMBER, TEXTS, damaged, decoded, fits
from labelspan.lab.store._store import Store

COLUMNS = (
    "id, dataset, split, method, reducer, classifier, directions, status, error, warnings, "
    "fit_seconds, transform_seconds, train_seconds, predict_seconds, total_seconds, "
    "peak_memory, n_components, environment, finished"
)
COUNTS = ("n_samples", "n_features", "n_labels", "n_labelsets")
STATISTICS = (*COUNTS, "cardinality", "density", "mean_imbalance", "scumble")
FACTS = {
    "description": dict.fromkeys(STATISTICS, NUMBER),
    "problems": [str],
    "dependence": TEXTS,
    "source": str,
    "label_names": [str],
    "label_counts": [int],
    "correlation": [[NUMBER]],
    "correlation_labels": [int],
}
FAILED = {"error": str}
# Stores of earlier versions have no test of the labels.
UNTESTED = {"dependence": {"sentence": "", "noise": ""}}


def facts_in(store: Store) -> dict[str, dict[str, Any]]:
    """Return the facts about each data set, by the hash of its source."""
    found = {}
    for row in store.query("SELECT source, content FROM facts"):
        facts = UNTESTED | decoded(row, "content", dict, store.path)
        if not fits(facts, FAILED) and not (fits(facts, FACTS) and _agree(facts)):
            raise damaged(store.path, row, "content", "holds other facts than were written")
        found[row["source"]] = facts
    return found


def _agree(facts: dict[str, Any]) -> bool:
    """Whether the lists are of equal length, and the labels of the correlation are among them."""
    n_labels, shown = len(facts["label_names"]), facts["correlation_labels"]
    return (
        len(facts["label_counts"]) == n_labels
        and all(0 <= label < n_labels for label in shown)
        and [len(row) for row in facts["correlation"]] == [len(shown)] * len(shown)
    )


def series_in(store: Store, cells: Collection[str]) -> dict[str, dict[str, list[Any]]]:
    """Return the lists of numbers that cells have stored, by cell and name."""
    found: dict[str, dict[str, list[Any]]] = defaultdict(dict)
    for row in store.query("SELECT cell, name, content FROM series WHERE name != 'chosen'"):
        if row["cell"] in cells:
            found[row["cell"]][row["name"]] = decoded(row, "content", [NUMBER], store.path)
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
    chosen = {}
    for row in store.query("SELECT cell, name, content FROM series WHERE name = 'chosen'"):
        items = decoded(row, "content", [list], store.path)
        if any(len(item) != 4 or not fits([*item[:2], item[3]], [str]) for item in items):
            raise damaged(store.path, row, "content", "holds other parameters than were written")
        chosen[row["cell"]] = items
    rows = [row for row in store.query(f"SELECT {COLUMNS} FROM cells") if row["id"] in cells]
    for row in rows:
        row["warnings"] = decoded(row, "warnings", [str], store.path)
        row["values"] = values[row["id"]]
        row["chosen"] = chosen.get(row["id"], [])
    return rows
