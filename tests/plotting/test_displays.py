"""The displays show the numbers they were given."""

import matplotlib
import numpy as np
import pytest
import scipy.sparse as sp

from labelspan import MVMD, OPLS, LabelCCA, ReducerCV, plotting, stats
from labelspan.datasets import load_yeast
from labelspan.inspection import bootstrap
from labelspan.labelspace import CPLST, PLST, error_curves
from labelspan.ranking import CLaRankSVM
from labelspan.selection import SelectionPath
from labelspan.subspace import SharedSubspaceClassifierCV
from tests.labelspace.problems import problem
from tests.ranking.problems import small
from tests.stats.test_pair_tests import AUC, NAMES

matplotlib.use("Agg")
TOGETHER = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]])
SHARES = np.array([[1, 2 / 3, 0], [2 / 3, 1, 1 / 3], [0, 1, 1]])


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    matplotlib.pyplot.close("all")


def displays():
    """One drawn display of each kind."""
    X, Y = problem(51)
    search = SharedSubspaceClassifierCV([0.1, 1.0], [0.1, 1.0], scoring="f1_micro", cv=3)
    m = np.array([5, 10])
    return [
        plotting.ErrorCurvesDisplay.from_estimator(CPLST(ridge=0.0).fit(X, Y), X, Y, [1, 2]),
        plotting.TrainingTimesDisplay.from_times({"size": [50, 100], "a": [1.0, 2.0]}),
        plotting.SelectionPathDisplay.from_path(SelectionPath(m, {"a": m}, {"a": m / 20})),
        plotting.LabelCorrelationDisplay.from_labels(Y),
        plotting.LabelCooccurrenceDisplay.from_labels(Y),
        plotting.SensitivityDisplay.from_estimator(search.fit(X, Y)),
        plotting.CriticalDifferenceDisplay.from_result(stats.nemenyi(AUC, names=NAMES)),
        plotting.LabelMapDisplay.from_projections(X[:, :2], Y, n_labels=1),
        plotting.SpectrumDisplay.from_estimator(MVMD(2).fit(X, Y), 0.9),
        plotting.BootstrapDisplay(bootstrap(OPLS(2).fit(X, Y), X, Y, n_resamples=20)).plot(),
        plotting.TopFeaturesDisplay.from_estimator(OPLS(2).fit(X, Y), 3),
        plotting.ReducerCVDisplay.from_estimator(ReducerCV(n_components=[1, 2], cv=3).fit(X, Y)),
    ]


def test_each_display_is_one_of_those_that_are_public():
    drawn = {type(display).__name__ for display in displays()}
    assert drawn == {name for name in plotting.__all__ if name != "Display"}


def test_each_display_draws_on_given_axes_and_says_where():
    for display in displays():
        assert isinstance(display, plotting.Display)
        before = len(display.axes_)
        _, axes = matplotlib.pyplot.subplots(1, before)
        assert display.plot(axes) is display
        assert list(display.axes_) == list(np.ravel(axes))
        assert display.ax_ is display.axes_[0]
        assert display.figure_ is display.ax_.figure
        assert display.ax_.has_data()
        _, wrong = matplotlib.pyplot.subplots(1, before - 1 or 2)
        if before > 1 or not isinstance(display, plotting.LabelMapDisplay):
            with pytest.raises(ValueError, match=r"ax holds \d Axes; .* draws on \d"):
                display.plot(wrong)
        # A warning comes at twenty open figures.
        matplotlib.pyplot.close("all")


def test_error_curves_have_four_panels_with_all_methods():
    X, Y = problem(51)
    curves = {m.__name__: error_curves(m().fit(X, Y), X, Y) for m in (PLST, CPLST)}
    panels = plotting.ErrorCurvesDisplay.from_curves(curves).axes_
    keys = ("hamming_loss", "encoding", "prediction", "bound")
    for panel, key in zip(panels, keys, strict=True):
        assert [line.get_label() for line in panel.lines] == ["PLST", "CPLST"]
        for line, curve in zip(panel.lines, curves.values(), strict=True):
            np.testing.assert_array_equal(line.get_ydata(), getattr(curve, key))


def test_training_times_are_drawn_against_the_sizes():
    times = {"size": [50, 100], "ML_LS": [0.1, 0.3], "SVM": [1.0, 3.0]}
    ax = plotting.TrainingTimesDisplay.from_times(times).ax_
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["50", "100"]
    for line, name in zip(ax.lines, ("ML_LS", "SVM"), strict=True):
        assert line.get_label() == name
        np.testing.assert_array_equal(line.get_xydata(), np.array([[50, 100], times[name]]).T)


def test_a_selection_path_is_drawn_in_order_of_the_features_kept():
    asked, auc = np.array([5, 10, 20]), np.array([0.5, 0.7, 0.6])
    kept = np.array([6, 25, 21])
    path = SelectionPath(asked, {"MLFS": kept}, {"MLFS": auc})
    (line,) = plotting.SelectionPathDisplay.from_path(path).ax_.lines
    np.testing.assert_array_equal(line.get_xydata(), [[6, 0.5], [21, 0.6], [25, 0.7]])


def test_the_heat_maps_show_both_correlations():
    X, Y, _, _ = small(1)
    model = CLaRankSVM(random_state=0).fit(X, Y)
    left, right = plotting.LabelCorrelationDisplay.from_estimator(model, Y).axes_
    np.testing.assert_allclose(left.images[0].get_array(), np.corrcoef(Y.T))
    D = model.label_covariance_
    expected = D / np.sqrt(np.outer(np.diag(D), np.diag(D)))
    np.testing.assert_allclose(right.images[0].get_array(), expected)
    (alone,) = plotting.LabelCorrelationDisplay.from_estimator(model).axes_
    assert "learnt" in alone.get_title()


@pytest.mark.parametrize("max_labels", [2, 3])
def test_cooccurrence_is_drawn_in_shares(max_labels):
    display = plotting.LabelCooccurrenceDisplay.from_labels(
        sp.csr_array(TOGETHER), ["a", "b", "c"], max_labels=max_labels
    )
    drawn = display.ax_.images[0].get_array()
    np.testing.assert_allclose(drawn, SHARES[:max_labels, :max_labels])
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["a (3)", "b (3)", "c (1)"][:max_labels]
    display.figure_.canvas.draw()


def test_cooccurrence_of_no_label_is_refused():
    with pytest.raises(ValueError, match="max_labels=0"):
        plotting.LabelCooccurrenceDisplay.from_labels(TOGETHER, max_labels=0)


def test_sensitivity_holds_the_mean_scores():
    yeast = load_yeast()
    search = SharedSubspaceClassifierCV(
        [1.0, 0.0], [0.1, 10.0, 0.01], n_components=[3, 5], scoring="f1_micro", cv=3
    ).fit(yeast.X[:300], yeast.Y[:300])
    display = plotting.SensitivityDisplay.from_estimator(search)
    assert display.figure_.axes[1].get_ylabel() == "mean f1_micro"
    heat = display.ax_.images[0].get_array()
    assert heat.shape == (2, 3)
    picked = search.best_params_["n_components"]
    points = search.cv_results_["params"]
    for point, score in zip(points, search.cv_results_["mean_test_score"], strict=True):
        if point["n_components"] == picked:
            row = [0.0, 1.0].index(point["alpha"])
            column = [0.01, 0.1, 10.0].index(point["beta"])
            assert heat[row, column] == score
    assert heat.max() == search.best_score_


def test_critical_differences_show_each_rank_bar_and_ruler():
    result = stats.nemenyi(AUC, names=NAMES, alpha=0.1)
    ax = plotting.CriticalDifferenceDisplay.from_result(result, title="AUC").ax_
    texts = {
        gid: [t.get_text() for t in ax.texts if t.get_gid() == gid] for gid in ("method", "rank")
    }
    assert texts["method"] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert texts["rank"] == ["1.96", "2.00", "2.89", "3.14"]
    bars = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 4]
    assert [(round(min(bar), 1), round(max(bar), 1)) for bar in bars] == [(1.9, 2.9), (2.9, 3.2)]
    assert any("CD = 1.12" in text.get_text() for text in ax.texts)
    ax.figure.canvas.draw()


@pytest.mark.parametrize("reducer", [OPLS(ridge=1.0), MVMD()], ids=["its own", "LabelCCA"])
def test_a_search_marks_the_directions_that_are_more_than_noise(reducer):
    X, Y = problem(300)
    search = ReducerCV([reducer], [1, 2, 3], cv=3).fit(X, Y)
    display = plotting.ReducerCVDisplay.from_estimator(search, X, Y)
    tested = (
        OPLS("significant", ridge=1.0) if isinstance(reducer, OPLS) else LabelCCA("significant")
    )
    number = tested.fit(X, Y).n_components_
    line = display.ax_.get_lines()[-1]
    assert display.significant == (number, type(tested).__name__)
    assert line.get_label() == f"significant ({type(tested).__name__}): {number}"
    assert set(line.get_xdata()) == {number}
    mixed = np.random.default_rng(0).permutation(Y)
    none = plotting.ReducerCVDisplay.from_estimator(search, X, mixed)
    assert none.significant[0] == 0
    assert len(none.ax_.get_lines()[-1].get_xdata()) == 0


def test_a_search_shows_the_best_of_each_dimension_and_the_two_choices():
    X, Y = problem(51)
    search = ReducerCV([MVMD(), (OPLS(), {"ridge": [0.1, 10.0]})], [1, 2, 3], cv=3).fit(X, Y)
    display = plotting.ReducerCVDisplay.from_estimator(search)
    mvmd, opls, chosen, small = display.ax_.get_lines()
    table = search.cv_results_
    for line, kind in ((mvmd, MVMD), (opls, OPLS)):
        assert line.get_label() == f"{kind.__name__}()"
        expected = [
            max(
                score
                for point, score in zip(table["params"], table["mean_test_score"], strict=True)
                if isinstance(point["reducer"], kind) and point["reducer__n_components"] == d
            )
            for d in (1, 2, 3)
        ]
        np.testing.assert_allclose(line.get_xydata(), np.transpose([[1, 2, 3], expected]))
    assert chosen.get_xydata()[0, 1] == search.best_score_
    fewest = search.set_params(rule="one_standard_error").fit(X, Y)
    assert small.get_xydata()[0].tolist() == [
        fewest.best_params_["reducer__n_components"],
        fewest.best_score_,
    ]
