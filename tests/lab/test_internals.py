"""Parts of the workbench that no command shows alone: what is searched, pending, drawn, hashed."""

import importlib.util
import inspect
import sqlite3
from collections import Counter
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import labelspan
from labelspan.experiments import METHODS, Result, Splits, Step, StoreError
from labelspan.lab.methods import PAPER_METHODS, UNITS, grid_of
from labelspan.lab.plan import made_step, outputs_of
from labelspan.lab.runner import _environment, default_progress
from labelspan.lab.runner._pending import Pending
from labelspan.lab.runner._progress import Bar, Lines, Progress
from labelspan.lab.runner._search import Search, best_place, points_of, tuned_steps
from labelspan.lab.store import _store_file
from labelspan.metrics import micro_f1
from tests.lab.plans import toy_plan
from tests.lab.test_preprocessing import written
from tests.lab.test_store import filled
from tests.lab.test_tune import KERNELS, cell_of, linear


@pytest.mark.parametrize("method", KERNELS)
def test_kernel_methods_share_a_kernel_and_score_as_if_alone(tmp_path, rng, method):
    X, Y = linear(rng)
    cell = cell_of(written(tmp_path, X, Y, train=np.arange(60)), "none", method)
    points = points_of(cell.classifier)
    train, test = np.arange(40), np.arange(40, 60)
    search = Search(cell, points_of(cell.reducer), points)
    shared = search.scores(X[:60], Y[:60], (train, test))[0]
    alone = []
    for point in points:
        model = made_step(point.on(X[train]), 0).fit(X[train], Y[train])
        alone.append(micro_f1(Y[test], outputs_of(model, X[test], 4)["labels"]))
    assert search.errors == []
    assert len(set(alone)) > 3
    # A score within the tolerance of the path from its threshold may fall on either side.
    assert np.count_nonzero(np.abs(shared - alone) > 1e-12) <= 1


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
# The default of EmbeddingReducer is more than these features.
@pytest.mark.filterwarnings("ignore:n_components=64 is more:UserWarning")
def test_every_candidate_can_be_fitted(rng, method):
    X, Y = linear(rng, 60)
    # Where every solver converges at once.
    X /= X.std(axis=0)
    points = points_of(Step(method.name))
    assert points[0].numbers == {}
    assert points[0].on(X) == Step(method.name)
    size = np.prod([1 + len(item.numbers) for item in grid_of(method).values()])
    assert len(points) == size
    seen = set()
    for point in points if len(points) > 1 else ():
        step = point.on(X)
        made_step(step, 0).fit(X, Y)
        seen.add(step.parameters)
    assert len(seen) in (0, size)


def test_candidates_follow_the_features(rng):
    """A ridge in the unit of the scatter finds the same model for any scale of X."""
    X, Y = linear(rng)
    point = points_of(Step("cplst"))[2]
    models = [made_step(point.on(A), 0).fit(A, Y) for A in (X, 1000 * X)]
    assert_allclose(models[0].predict(X), models[1].predict(1000 * X))
    centred = X - X.mean(axis=0)
    assert_allclose(UNITS[" s"](1.0, X), np.linalg.eigvalsh(centred.T @ centred).mean())


def test_the_first_of_equals_stays_and_undefined_folds_do_not_count():
    scores = np.array([[[0.5, 0.5 + 1e-14], [0.4, 0.5]], [[np.nan, np.nan], [np.nan, np.nan]]])
    assert best_place(scores, [], "micro_f1") == (0, 0)
    scores[1] = [[np.nan, 0.1], [0.3, 0.1]]
    assert best_place(scores, [], "micro_f1") == (1, 0)
    with pytest.warns(UserWarning, match="macro_auc is not defined within the training part: noth"):
        assert best_place(np.full((3, 2, 2), np.nan), [], "macro_auc") == (0, 0)
    with pytest.raises(ValueError, match="on every fold of the training part; the first error: E"):
        best_place(np.full((3, 2, 2), np.nan), ["E: text"], "macro_auc")


def test_where_there_is_nothing_to_search_no_row_is_read(tmp_path, rng):
    X, Y = linear(rng)
    cell = cell_of(written(tmp_path, X, Y, train=np.arange(60)), "none", "ridge")
    fixed = replace(cell, classifier=Step("ridge", (("ridge", 0.1),)))
    assert tuned_steps(fixed, None, None).classifier.on(X) == fixed.classifier


def test_a_worker_keeps_to_its_split_until_it_is_done_and_then_helps(tmp_path):
    plan = toy_plan(
        tmp_path, reducers=("none", "mddm-p", "pca"), splits=Splits("random", n_repeats=2)
    )
    pending = Pending(plan.cells)
    order = [(worker, pending.take(worker)) for worker in "abbbaa"]
    assert [(worker, cell.split) for worker, cell in order] == [
        ("a", 0),
        ("b", 1),
        ("b", 1),
        ("b", 1),
        ("a", 0),
        ("a", 0),
    ]
    pending = Pending(plan.cells)
    taken = [pending.take(worker) for worker in "abbbba"]
    # No split was left for b, so it took a cell of the one that a has.
    assert [cell.split for cell in taken] == [0, 1, 1, 1, 0, 0]
    assert Counter(cell.id for cell in taken) == Counter(cell.id for cell in plan.cells)


def test_a_bar_prints_failures_above_it_and_counts_those_alike(tmp_path, capsys, monkeypatch):
    plan = toy_plan(tmp_path)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    bar = default_progress()
    assert isinstance(bar, Bar)
    bar.start(6, 0)
    for cell in plan.cells[:5]:
        bar.advance(cell, Result(cell.id, "failed", "ValueError: [no] markup"))
    bar.advance(plan.cells[5], Result(plan.cells[5].id, "ok"))
    assert bar.progress.tasks[0].completed == 6
    bar.close()
    shown = capsys.readouterr().err
    assert shown.count("failed: ") == 4
    assert "failed: 2 more cells: ValueError: [no] markup" in shown


def test_a_log_tells_the_time_left_when_a_cell_was_timed(tmp_path):
    plan, stream, now = toy_plan(tmp_path), StringIO(), iter((0, 30, 60, 61, 80))
    lines = Lines(stream, clock=lambda: next(now))
    lines.start(10, 0)
    for cell in plan.cells[:4]:
        lines.advance(cell, Result(cell.id, "ok"))
    assert stream.getvalue().splitlines() == [
        "10 cells",
        "1/10 cells",
        "2/10 cells, 240 s left",
        "4/10 cells, 100 s left",
    ]


def test_a_log_of_one_cell(tmp_path):
    stream = StringIO()
    lines = Lines(stream)
    lines.start(1, 0)
    (cell, *_) = toy_plan(tmp_path).cells
    lines.advance(cell, Result(cell.id, "ok"))
    assert stream.getvalue() == "1 cell\n1/1 cells\n"


def test_a_log_gets_lines():
    assert isinstance(default_progress(), Lines)
    assert Progress().start(1, 0) is None


def test_the_digest_of_the_code_follows_the_source_and_not_the_ends_of_its_lines(tmp_path):
    package = tmp_path / "package"
    (package / "experiments").mkdir(parents=True)
    digests = []
    for source in (b"a = 1\n", b"a = 1\r\n", b"a = 2\n"):
        (package / "method.py").write_bytes(source)
        path = package / "experiments" / "_environment.py"
        path.write_bytes(Path(_environment.__file__).read_bytes())
        spec = importlib.util.spec_from_file_location("copied_environment", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        digests.append(module.code())
    assert digests[0] == digests[1] != digests[2]


def test_the_code_of_a_result_is_what_is_computed_not_what_is_said():
    def statements(text):
        return _environment.statements(text.encode())

    plain = statements('"""Doc."""\n\n\ndef f(x):\n    """Double."""\n    return 2 * x\n')
    assert statements('"""Other."""\n# why\ndef f(x):\n    """Twice."""\n\n    return 2*x') == plain
    assert statements('"""Doc."""\n\n\ndef f(x):\n    """Double."""\n    return 3 * x\n') != plain
    one, two = (f'def f():\n    """{word}."""\n' for word in ("One", "Two"))
    assert statements(one) == statements(two)


def test_the_code_of_a_result_holds_every_file_that_a_method_is_loaded_from():
    root = Path(labelspan.__file__).parent
    makers = [method.load() for method in (*METHODS, *PAPER_METHODS)]
    for maker in filter(None, makers):
        path = Path(inspect.getfile(maker))
        if path.is_relative_to(root):
            assert _environment.computes(path.relative_to(root).as_posix()), path
            # A file that does not count must not come in through one that does.
            text = path.read_text(encoding="utf-8").replace("labelspan.papers._printed", "")
            assert "labelspan.papers" not in text
    assert _environment.computes("papers/_printed.py")
    # Keys of cells hold the plans, and the page is judged when it is written.
    assert not _environment.computes("papers/cplst/_experiments.py")


def refused(monkeypatch, code, n_times=2):
    """The first attempts to open a file fail as SQLite's would."""
    error = sqlite3.OperationalError("no")
    error.sqlite_errorcode = code
    attempts, checked = [], _store_file._checked

    def check(connection):
        attempts.append(connection)
        if len(attempts) <= n_times:
            connection.close()
            raise error
        return checked(connection)

    monkeypatch.setattr(_store_file, "_checked", check)


def test_a_store_is_read_where_no_index_of_its_log_can_be_made(tmp_path, monkeypatch):
    plan = toy_plan(tmp_path)
    filled(tmp_path / "out", plan, 2).close()
    path = next((tmp_path / "out").glob("*.sqlite*"))
    for code_ in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        with monkeypatch.context() as patch:
            refused(patch, code_)
            connection = _store_file.opened_to_read(path, 0.1)
            assert connection.execute("SELECT count(*) FROM cells").fetchone() == (2,)
            connection.close()
    with monkeypatch.context() as patch:
        refused(patch, sqlite3.SQLITE_CORRUPT)
        with pytest.raises(sqlite3.OperationalError, match="no"):
            _store_file.opened_to_read(path, 0.1)
    # One refusal, of a place that may not be written, is none to read.
    with monkeypatch.context() as patch:
        refused(patch, sqlite3.SQLITE_READONLY, 1)
        _store_file.opened_to_read(path, 0.1).close()
    Path(f"{path}-wal").write_bytes(b"results")
    refused(monkeypatch, sqlite3.SQLITE_CANTOPEN)
    with pytest.raises(StoreError, match=r"-wal holds results that cannot be read .* use the copy"):
        _store_file.opened_to_read(path, 0.1)


def test_the_version_is_that_of_the_code_that_runs(monkeypatch):
    """Metadata of an editable installation keep the version it was installed with."""

    def stale(package):
        if package == "numba":
            raise PackageNotFoundError(package)
        return "0.0.1"

    monkeypatch.setattr(_environment, "version", stale)
    found = _environment.environment.__wrapped__()
    assert found["labelspan"] == labelspan.__version__
    assert found["numpy"] == "0.0.1"
    assert found["numba"] == "not installed"
