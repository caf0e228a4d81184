"""The page of reproductions is what its store says, and one version of the code made the store."""

import json
import lzma
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from labelspan.experiments import Store, run
from labelspan.papers import EXPERIMENTS, document, reproduce
from tests.lab.plans import toy_plan

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGE, STORE = DOCS / "reproduction.md", DOCS / "reproduction.sqlite.xz"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "results.sqlite").write_bytes(lzma.decompress(STORE.read_bytes()))
    return tmp_path


# The code that made the store may be older than this; the page names it.
@pytest.mark.filterwarnings("ignore:.*holds results of other code:UserWarning")
def test_the_page_is_what_its_store_says(folder):
    if not os.environ.get("LABELSPAN_DATA"):
        pytest.skip("LABELSPAN_DATA is not set: the plans read the benchmark files")
    page = PAGE.read_text(encoding="utf-8")
    with Store(folder) as store:
        outcomes = list(reproduce(EXPERIMENTS, store, stored=True))
    assert document(outcomes, "labelspan reproduce all", page) == page


def test_one_version_of_the_code_made_the_store(folder):
    connection = sqlite3.connect(folder / "results.sqlite")
    used = connection.execute(
        "SELECT DISTINCT e.content FROM environments e JOIN cells c ON c.environment = e.hash"
    )
    versions = {json.loads(content)["code"] for (content,) in used}
    # A command could hold a path of the computer that ran it.
    commands = {text for (text,) in connection.execute("SELECT command FROM plans")}
    connection.close()
    assert len(versions) == 1
    assert all(text.startswith("labelspan reproduce ") and "/tmp" not in text for text in commands)
    assert f"code {versions.pop()}" in PAGE.read_text(encoding="utf-8")


def measurements(folder):
    connection = sqlite3.connect(folder / "results.sqlite")
    rows = connection.execute("SELECT * FROM measurements ORDER BY cell, measure").fetchall()
    connection.close()
    return rows


def test_packed_results_are_the_results(tmp_path):
    plan, packed, unpacked = toy_plan(tmp_path), tmp_path / "packed.xz", tmp_path / "unpacked"
    with Store(tmp_path / "store") as store:
        run(plan, store, n_jobs=1)
        # While the store is open, some of it is only in the journal.
        script = [sys.executable, ROOT / "tools/pack_results.py", tmp_path / "store", packed]
        subprocess.run(script, check=True)
    unpacked.mkdir()
    (unpacked / "results.sqlite").write_bytes(lzma.decompress(packed.read_bytes()))
    with Store(unpacked, read_only=True) as store:
        assert len(store.finished(plan.cells)) == len(plan.cells)
    assert measurements(unpacked) == measurements(tmp_path / "store")
