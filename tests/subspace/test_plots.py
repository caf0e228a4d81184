"""The drawings show the numbers they were given."""

from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator

from labelspan.datasets import load_yeast
from labelspan.subspace import (
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    _plots,
    one_vs_rest_svm,
    plot_sensitivity,
    plot_training_times,
    training_times,
)


def test_training_times_are_drawn_against_the_sizes():
    yeast = load_yeast()
    X, Y = yeast.X[:, :20], yeast.Y[:, :3]
    methods = {"ML_LS": SharedSubspaceClassifier(), "SVM": one_vs_rest_svm(0.01)}
    times = training_times(methods, X, Y, [50, 100])
    ax = plot_training_times(times)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["50", "100"]
    assert [line.get_label() for line in ax.lines] == ["ML_LS", "SVM"]
    for line in ax.lines:
        np.testing.assert_array_equal(line.get_xdata(), [50, 100])
        np.testing.assert_array_equal(line.get_ydata(), times[line.get_label()])
        assert (times[line.get_label()] > 0).all()


class Counting(BaseEstimator):
    """Fits in as many seconds as it is given rows, by a clock of its own."""

    clock = 0.0

    def fit(self, X, Y):
        assert len(X) == len(Y)
        # The first rows, and as many as the size says: X holds their numbers.
        np.testing.assert_array_equal(X[:, 0], np.arange(len(X)))
        Counting.clock += len(X)
        return self


def test_each_size_is_timed_on_as_many_rows(monkeypatch):
    monkeypatch.setattr(_plots, "time", SimpleNamespace(perf_counter=lambda: Counting.clock))
    X, Y = np.arange(300.0)[:, None], np.ones((300, 2))
    times = training_times({"a": Counting(), "b": Counting()}, X, Y, [200, 50, 300])
    np.testing.assert_array_equal(times["size"], [200, 50, 300])
    for name in "ab":
        np.testing.assert_array_equal(times[name], [200, 50, 300])


def test_heat_map_holds_the_mean_scores():
    yeast = load_yeast()
    search = SharedSubspaceClassifierCV(
        [1.0, 0.0], [0.1, 10.0, 0.01], n_components=[3, 5], scoring="f1_micro", cv=3
    ).fit(yeast.X[:300], yeast.Y[:300])
    ax = plot_sensitivity(search)
    assert ax.figure.axes[1].get_ylabel() == "mean f1_micro"
    heat = ax.images[0].get_array()
    assert heat.shape == (2, 3)
    picked = search.best_params_["n_components"]
    points = search.cv_results_["params"]
    for point, score in zip(points, search.cv_results_["mean_test_score"], strict=True):
        if point["n_components"] == picked:
            row = [0.0, 1.0].index(point["alpha"])
            column = [0.01, 0.1, 10.0].index(point["beta"])
            assert heat[row, column] == score
    assert heat.max() == search.best_score_
