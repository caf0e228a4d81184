"""The page of reproductions is what the text of its values says, and the text what was stored."""

import json
import lzma
import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from labelspan.experiments import Store, run
from labelspan.papers import (
    EXPERIMENTS,
    Experiment,
    Judged,
    TextError,
    digest_of_cells,
    document,
    judge_text,
    judge_value,
    read_values,
    reproduce,
    write_values,
)
from tests.lab.plans import toy_plan
from tests.papers.reproduced import TEXT, WHOLE

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reproduction.md"
MOST_BYTES = 500_000


@pytest.fixture(scope="module")
def text():
    return read_values(TEXT)


def test_the_page_is_what_its_text_says(text):
    page = document(judge_text(EXPERIMENTS, text), "labelspan reproduce all")
    assert page == PAGE.read_text(encoding="utf-8")
    assert TEXT.stat().st_size <= MOST_BYTES


def slow(experiment):
    """Whether the plans read their data to know the number of directions."""
    return experiment.name.startswith(("mddm/table", "mddm/figure2-images"))


@pytest.mark.parametrize(
    "experiment",
    [
        pytest.param(item, id=item.name, marks=[pytest.mark.reproduce] if slow(item) else [])
        for item in EXPERIMENTS
    ],
)
def test_the_text_has_the_plans_of_today(experiment, text):
    if slow(experiment) and not os.environ.get("LABELSPAN_DATA"):
        pytest.skip("LABELSPAN_DATA is not set: the plans read the benchmark files")
    if experiment.name not in text:
        pytest.skip("not run yet: the page says so")
    stored = text[experiment.name].plans
    assert set(text) <= {item.name for item in EXPERIMENTS}
    for plan in experiment.plans(False):
        # A set that has not been run yet is named by the page.
        parts = [plan, *(replace(plan, sources=(source,)) for source in plan.sources)]
        found = [part for part in parts if part.hash in stored]
        assert found or "Not run yet" in text[experiment.name].setting
        assert all(stored[part.hash] == digest_of_cells(part) for part in found)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda item: item.name)
def test_the_minutes_are_those_of_the_run(experiment, text):
    """Processor minutes within a factor of two; less than one is not told apart."""
    if experiment.name not in text or "Not run yet" in text[experiment.name].setting:
        pytest.skip("not run yet: the page says so")
    measured = text[experiment.name].minutes
    assert max(measured, 1.0) / 2 <= max(experiment.minutes, 1.0) <= 2 * max(measured, 1.0)


def toy(tmp_path):
    """An experiment whose judge reads everything that can be read."""

    def judge(values, printed):
        key = ("toy", "MDDM_p", "micro_f1")
        curve = values.curve("toy", "MDDM_p", "micro_f1")
        spectrum = values.spectrum("toy", "MDDM_p")
        pair = [values.splits("toy", title, "micro_f1") for title in ("MDDM_p", "no reduction")]
        gap = sum(pair[0]) - sum(pair[1])
        return [
            judge_value("mean", 0.5, values.mean(*key), errors=(0.01, values.error(*key))),
            judge_value("error alone", 0.5, values.error("toy", "no reduction", "hamming_loss")),
            judge_value("largest", 0.5, values.best("toy", "search", "micro_f1")),
            Judged("gap", None, round(gap, 6), "not judged"),
            Judged("curve", None, str({k: round(v, 5) for k, v in curve.items()}), "not judged"),
            Judged("spectrum", None, f"{len(spectrum)}: {sum(spectrum):.4g}", "not judged"),
            Judged("absent", None, values.mean("toy", "nobody", "micro_f1"), "not judged"),
        ]

    plans = (replace(toy_plan(tmp_path), directions=(1, 2), curve_splits=2),)
    return Experiment("mvmd/toy", "a toy", ("yeast",), 1, 1, lambda quick: plans, judge)


@pytest.fixture
def written(tmp_path):
    """The outcome of a run and the file of its values."""
    experiment, path = toy(tmp_path), tmp_path / "values.json"
    with Store(tmp_path / "store") as store:
        (outcome,) = reproduce([experiment], store, n_jobs=0)
    found = outcome.values.found
    found["toy", "search: a", "micro_f1"], found["toy", "search: b", "micro_f1"] = [0.4], [0.6]
    again = replace(outcome, judged=experiment.judge(outcome.values, {}))
    write_values([again], path)
    return again, path


def test_the_text_says_what_the_store_says(written):
    outcome, path = written
    (found,) = judge_text([outcome.experiment], read_values(path))
    assert [line.what for line in found.judged] == [line.what for line in outcome.judged]
    for ours, theirs in zip(found.judged, outcome.judged, strict=True):
        assert ours.verdict == theirs.verdict
        if isinstance(theirs.ours, float):
            assert ours.ours == pytest.approx(theirs.ours, rel=1e-5)
        else:
            assert ours.ours == theirs.ours
    assert found.setting == outcome.setting
    kept = read_values(path)["mvmd/toy"]
    assert set(kept.values.found) == {
        ("toy", name, "micro_f1") for name in ("MDDM_p", "no reduction")
    }
    assert ("toy", "search: *", "micro_f1") in kept.values.means
    assert kept.minutes > 0
    assert kept.plans == {plan.hash: digest_of_cells(plan) for plan in outcome.plans}


def test_writing_keeps_what_was_not_run_now(written):
    outcome, path = written
    before = path.read_text(encoding="utf-8")
    write_values([replace(outcome, not_run="postponed")], path)
    assert path.read_text(encoding="utf-8") == before
    other = replace(outcome, experiment=replace(outcome.experiment, name="mvmd/other"))
    write_values([other], path)
    assert set(read_values(path)) == {"mvmd/toy", "mvmd/other"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"format": 1', '"format": 2', "its format is 2, expected 1"),
        ('"failed": []', '"failed": ["a\\nb"]', "is not a line of text"),
        ('"failed": []', '"failed": {}', "is not a list of at most 1000"),
        ('"micro_f1": {', '"micro_f1": {"x": NaN, ', "NaN is not a number"),
        ('"micro_f1": {', '"micro_f1": {"x": 1e999, ', "inf is not a number"),
        ('"micro_f1": {', '"micro_f1": {"x": true, ', "True is not a number"),
        ('"micro_f1": {', '"micro_f1": {"x": [1, 2, 3], ', "expected a mean and its error"),
        ('"means": {', '"means": [', "is not the text of stored values"),
        ('"means": {', '"means": {"x": 1, ', "1 is not a table"),
        ('"curves": {', '"curves": {"x": {"y": {"z": {"-1": 2}}}, ', "'-1' is not a whole number"),
    ],
)
def test_a_damaged_text_is_refused(written, old, new, message):
    _, path = written
    content = path.read_text(encoding="utf-8")
    assert old in content
    path.write_text(content.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TextError, match=message):
        read_values(path)


def test_a_deep_or_large_text_is_refused(tmp_path):
    path = tmp_path / "values.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(TextError, match="is not the text of stored values"):
        read_values(path)
    path.write_text(" " * 5_000_001, encoding="utf-8")
    with pytest.raises(TextError, match="more than 5000000 bytes"):
        read_values(path)


@pytest.mark.parametrize("markup", ["<script>alert(1)</script>", "[x](javascript:y)", "`x`"])
def test_markup_of_a_text_does_not_reach_the_page(written, markup):
    outcome, path = written
    content = json.loads(path.read_text(encoding="utf-8"))
    toy = content["experiments"]["mvmd/toy"]
    toy["failed"] = [markup]
    path.write_text(json.dumps(content), encoding="utf-8")
    page = document(judge_text([outcome.experiment], read_values(path)), "labelspan reproduce all")
    assert markup not in page
    toy["setting"] = markup
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(TextError, match="holds markup"):
        read_values(path)


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


def measurements(folder):
    connection = sqlite3.connect(folder / "results.sqlite")
    rows = connection.execute("SELECT * FROM measurements ORDER BY cell, measure").fetchall()
    connection.close()
    return rows


@pytest.fixture
def whole():
    """The store that ``make reproduce`` builds."""
    if WHOLE not in os.environ:
        pytest.skip(f"{WHOLE} is not set: `make reproduce` builds the whole store and sets it")
    return Path(os.environ[WHOLE])


@pytest.mark.reproduce
def test_the_text_is_what_the_whole_store_says(whole, tmp_path):
    with Store(whole) as store:
        write_values(reproduce(EXPERIMENTS, store, stored=True), tmp_path / "values.json")
    assert (tmp_path / "values.json").read_bytes() == TEXT.read_bytes()


@pytest.mark.reproduce
def test_the_whole_store_names_its_code_and_no_path(whole, text):
    connection = sqlite3.connect(whole / "results.sqlite")
    used = connection.execute(
        "SELECT DISTINCT e.content FROM environments e JOIN cells c ON c.environment = e.hash"
    )
    versions = {json.loads(content)["code"] for (content,) in used}
    # A command could hold a path of the computer that ran it.
    commands = {text for (text,) in connection.execute("SELECT command FROM plans")}
    connection.close()
    assert all(text.startswith("labelspan reproduce ") and "/tmp" not in text for text in commands)
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"code {version}" in page for version in versions)
