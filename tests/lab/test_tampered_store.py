"""A store that was edited by hand: one line that says which cell, what is wrong, and what to do."""

import json
import shutil
import sqlite3

import pytest

from labelspan.experiments import Store, analyse, run
from labelspan.lab.report import write_report
from tests.lab.plans import toy_plan
from tests.lab.test_cli import labelspan  # noqa: F401

WRONG = {
    "TEXT": ("x", "[]", "7", "null", '["a"]', '{"a": 1}', "[[]]", b"\x00\xff", 1.5),
    "REAL": ("x", b"x", float("inf"), -1.0, 1e300),
    "INTEGER": ("x", 1.5, -1),
}
ADVICE = "restore it from a copy or choose another folder with --out"


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A plan, its store without the triggers that protect it, and the columns of its tables."""
    folder = tmp_path_factory.mktemp("store")
    plan = toy_plan(folder)
    with Store(folder / "out") as store:
        run(plan, store, n_jobs=0)
    connection = sqlite3.connect(folder / "out" / "results.sqlite", isolation_level=None)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='trigger'"):
        connection.execute(f"DROP TRIGGER {name}")
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE sql > ''")]
    columns = [
        (table, row[1], row[2])
        for table in tables
        for row in connection.execute(f"PRAGMA table_info({table})")
    ]
    connection.close()
    return plan, folder / "out", columns


def edited(filled, folder, table, column, value):
    """A copy of the store with one value changed."""
    shutil.copy(filled[1] / "results.sqlite", folder)
    connection = sqlite3.connect(folder / "results.sqlite", isolation_level=None)
    keys = {"measurements": "cell, measure", "series": "cell, name"}.get(table, "rowid")
    first = f"SELECT {keys} FROM {table} ORDER BY {keys.split(', ')[-1]} DESC LIMIT 1"
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE ({keys}) = ({first})", (value,))
    connection.close()
    return folder


def test_whatever_is_changed_is_accepted_or_refused_in_a_line(labelspan, filled, tmp_path):  # noqa: F811
    n_refused = 0
    for table, column, kind in filled[2]:
        for value in WRONG[kind]:
            try:
                folder = edited(filled, tmp_path, table, column, value)
            except sqlite3.IntegrityError:
                continue
            code, _, err = labelspan("report", folder, "--format", "html,md")
            assert code in (0, 2), (table, column, value)
            if code:
                n_refused += 1
                assert err.count("\n") == 1
                assert f"{column} " in err, (table, column, value)
                assert err.rstrip().rstrip(".").endswith(ADVICE), (table, column, value)
    assert n_refused > 80


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("cells", "fit_seconds", "fast", "fit_seconds is 'fast', not a number"),
        ("cells", "n_components", "two", "n_components is 'two', not a whole number"),
        ("cells", "finished", -1.0, "finished is -1.0; it must be from 0 to 1e+11"),
        ("cells", "dataset", "other", "dataset is 'other', 'toy' in the plan"),
        ("cells", "warnings", "none", "warnings is not JSON: 'none'"),
        ("measurements", "value", "high", "value is 'high', not a number"),
        ("series", "content", "[1, 2]", "label_f1, content has 2 values for 6 labels"),
    ],
)
def test_the_cell_what_is_wrong_and_the_repair_are_named(
    filled, tmp_path, table, column, value, message
):
    folder = edited(filled, tmp_path, table, column, value)
    key = "cell" if table in ("measurements", "series") else "id"
    connection = sqlite3.connect(folder / "results.sqlite")
    query = f"SELECT {key} FROM {table} WHERE {column} = ?"
    (cell,) = connection.execute(query, (value,)).fetchone()
    connection.close()
    with Store(folder, read_only=True) as store, pytest.raises(RuntimeError) as caught:
        write_report(store, tmp_path / "report.html")
    text = str(caught.value)
    assert text.startswith(f"{folder / 'results.sqlite'} is damaged: cell {cell}, ")
    assert message in text
    assert text.endswith(f"; {ADVICE}.")


def test_the_same_plan_is_not_resumed_from_wrong_values(filled, tmp_path):
    folder = edited(filled, tmp_path, "environments", "content", json.dumps([1]))
    with Store(folder) as store, pytest.raises(RuntimeError, match="holds other JSON than was"):
        run(filled[0], store, n_jobs=0)
    folder = edited(filled, tmp_path, "plans", "content", '{"name": "p", "sources": 7}')
    with Store(folder) as store, pytest.raises(RuntimeError, match=r"content is not a plan \(.*"):
        analyse(store)
