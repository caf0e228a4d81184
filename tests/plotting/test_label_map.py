"""The map shows the rows that it is given, where the reducer puts them, with their labels."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import labelspan as ls
from labelspan.plotting import LabelMapDisplay

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture
def problem(rng):
    X = rng.standard_normal((60, 5))
    Y = (X @ rng.standard_normal((5, 4)) > [0.0, 0.5, -0.5, 1.5]).astype(int)
    Y[:3] = 0
    return X, Y


def drawn(collection):
    return {tuple(point) for point in np.asarray(collection.get_offsets()).round(9)}


def rows_of(points, mask):
    return {tuple(point) for point in points[mask].round(9)}


def test_each_panel_shows_the_rows_of_its_label(problem):
    X, Y = problem
    model = ls.MDDM(3).fit(X, Y)
    display = LabelMapDisplay.from_estimator(model, X, Y, n_labels=3)
    points = model.transform(X)[:, :2]
    order = np.argsort(-Y.sum(axis=0), kind="stable")[:3]
    assert display.label_names == [f"label {k}" for k in order]
    assert len(display.axes_) == 3
    for panel, k in zip(display.axes_, order, strict=True):
        other, has = panel.collections
        assert drawn(other) == rows_of(points, Y[:, k] == 0)
        assert drawn(has) == rows_of(points, Y[:, k] == 1)
        share = 100 * Y[:, k].mean()
        assert panel.get_title() == f"label {k}: {Y[:, k].sum()} ({share:.0f} %)"
    assert display.figure_ is display.ax_.figure


def test_the_overlay_shows_every_label_of_a_row_and_the_rows_without(problem):
    X, Y = problem
    model = ls.MDDM(2).fit(X, Y)
    display = LabelMapDisplay.from_estimator(model, X, Y, labels=[0, 3], style="overlay")
    points = model.transform(X)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    counts = Y.sum(axis=0)
    assert texts == [
        "other labels only",
        "no label",
        f"label 0 ({counts[0]})",
        f"label 3 ({counts[3]})",
    ]
    other, empty, first, second = display.ax_.collections
    assert drawn(empty) == rows_of(points, Y.sum(axis=1) == 0)
    assert drawn(other) == rows_of(points, (Y[:, [0, 3]].sum(axis=1) == 0) & Y.any(axis=1))
    assert drawn(first) == rows_of(points, Y[:, 0] == 1)
    # Nested: where both labels are, the first is larger, so that the second does not hide it.
    both = Y[Y[:, 0] == 1, 3] == 1
    assert both.any()
    assert first.get_sizes()[both].min() > second.get_sizes().max()
    assert np.unique(first.get_sizes()[~both]).size == 1


def test_directions_axes_and_shares_are_named(problem):
    X, Y = problem
    model = ls.OPLS(3).fit(X, Y)
    display = LabelMapDisplay.from_estimator(model, X, Y, directions=(2, 0), style="overlay")
    shares = 100 * model.explained_dependence_ratio_
    assert display.ax_.get_xlabel() == f"opls2 ({shares[2]:.0f} %)"
    assert display.ax_.get_ylabel() == f"opls0 ({shares[0]:.0f} %)"
    np.testing.assert_allclose(display.points, model.transform(X)[:, [2, 0]])
    plain = LabelMapDisplay.from_estimator(PCA(2).fit(X), X, Y, style="overlay")
    assert plain.ax_.get_xlabel() == "pca0"


def test_names_come_from_the_frame_the_reducer_or_the_classes(problem):
    X, Y = problem
    frame = pd.DataFrame(Y, columns=["sea", "sky", "tree", "sun"])
    model = ls.MDDM(2).fit(X, frame)
    for y in (frame, Y, sparse.csr_array(Y)):
        display = LabelMapDisplay.from_estimator(model, X, y, labels=["sun", 0])
        assert display.label_names == ["sun", "sea"]
        np.testing.assert_array_equal(display.indicators, Y[:, [3, 0]] == 1)
    names = np.array(["cat", "dog"])[Y[:, 0]]
    for y, expected in ((names, ["cat", "dog"]), (np.array(list("abc"))[Y[:, :2].sum(1)], None)):
        display = LabelMapDisplay.from_projections(X, y)
        assert sorted(display.label_names) == (expected or sorted(set(y)))
        assert (display.indicators.sum(axis=1) == 1).all()


def test_any_transformer_and_given_axes(problem):
    X, Y = problem
    pipeline = make_pipeline(StandardScaler(), ls.MVMD(2)).fit(X, Y)
    _, axes = plt.subplots(2, 2)
    display = LabelMapDisplay.from_estimator(pipeline, X, Y, ax=axes, s=4, alpha=0.2)
    assert list(display.axes_) == list(axes.ravel())
    assert display.axes_[0].collections[1].get_alpha() == 0.2
    assert {panel.get_xlabel() for panel in display.axes_} == {"mvmd0"}
    _, ax = plt.subplots()
    assert display.plot(ax, style="overlay").ax_ is ax


def test_errors_say_what_to_change(problem):
    X, Y = problem
    model = ls.MDDM(2).fit(X, Y)
    with pytest.raises(ValueError, match=r"needs two directions.*has 1\..*n_components=2"):
        LabelMapDisplay.from_estimator(ls.MDDM(1).fit(X, Y), X, Y)
    with pytest.raises(ValueError, match=r"directions=\(0, 2\) is out of range.*0 to 1"):
        LabelMapDisplay.from_estimator(model, X, Y, directions=(0, 2))
    with pytest.raises(ValueError, match=r"no label 'sea'; use a number from 0 to 3"):
        LabelMapDisplay.from_estimator(model, X, Y, labels=["sea"])
    with pytest.raises(ValueError, match="labels is empty"):
        LabelMapDisplay.from_estimator(model, X, Y, labels=[])
    with pytest.raises(ValueError, match="n_labels=0 is out of range"):
        LabelMapDisplay.from_estimator(model, X, Y, n_labels=0)
    with pytest.raises(ValueError, match="style='pie' is not known"):
        LabelMapDisplay.from_estimator(model, X, Y, style="pie")
    with pytest.raises(ValueError, match="ax holds 1 Axes; style='panels' draws on 4"):
        LabelMapDisplay.from_estimator(model, X, Y, ax=plt.subplots()[1])
    with pytest.raises(ValueError, match="label_names has 2 names for 4 labels"):
        LabelMapDisplay.from_projections(X, Y, label_names=["a", "b"])
    with pytest.raises(NotFittedError):
        LabelMapDisplay.from_estimator(ls.MDDM(2), X, Y)


def test_without_matplotlib_the_error_names_the_extra(problem, monkeypatch):
    X, Y = problem
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"needs matplotlib: .* '\.\[report\]'"):
        LabelMapDisplay.from_projections(X, Y)
