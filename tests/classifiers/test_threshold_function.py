"""ThresholdFunction against Eq. (34), and against the ranking SVMs that have it built in."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor

from labelspan.classifiers import MLkNN, MultiOutputRidge, ThresholdFunction
from labelspan.metrics import micro_f1
from labelspan.ranking import LaRankSVM
from tests.labelspace.problems import problem
from tests.reference import ranking as reference


def mixed(Y):
    return np.flatnonzero((Y.min(axis=1) == 0) & (Y.max(axis=1) == 1))


@pytest.mark.parametrize("regressor", [None, KNeighborsRegressor(7), RandomForestRegressor(5)])
@pytest.mark.parametrize("estimator", [MultiOutputRidge(1.0), MLkNN(5)])
def test_it_is_the_regression_of_the_midpoints(training, estimator, regressor):
    X, Y = (A[:400] for A in training("emotions"))
    Y[0], Y[1] = 0, 1
    if isinstance(regressor, RandomForestRegressor):
        regressor.set_params(random_state=0)
    model = ThresholdFunction(estimator, regressor, min_labels=0).fit(X, Y)
    fitted = model.estimator_
    scores = getattr(fitted, "decision_function", getattr(fitted, "predict_proba", None))(X)
    rows = mixed(Y)
    assert len(rows) == len(X) - 2
    peer = LinearRegression() if regressor is None else regressor
    t = peer.fit(X[rows], reference.threshold_targets(scores[rows], Y[rows])).predict(X)
    assert_allclose(model.decision_function(X), scores - t[:, None], atol=1e-10)
    assert_array_equal(model.predict(X), scores > t[:, None])


@pytest.mark.parametrize("min_labels", [0, 1])
@pytest.mark.parametrize("name", ["emotions", "yeast"])
def test_with_linear_regression_it_is_the_one_of_the_ranking_svm(training, name, min_labels):
    X, Y = (A[:400] for A in training(name))
    plain = LaRankSVM(0.1, min_labels=min_labels, random_state=0)
    model = ThresholdFunction(plain, min_labels=min_labels).fit(X[:300], Y[:300])
    assert_array_equal(model.predict(X), plain.fit(X[:300], Y[:300]).predict(X))
    assert_allclose(model.regressor_.coef_, plain.threshold_coef_, atol=1e-6)


def test_missing_labels_do_not_count():
    X, Y = problem(1)
    holes = Y.astype(float)
    holes[np.random.default_rng(0).random(Y.shape) < 0.2] = np.nan
    model = ThresholdFunction(MultiOutputRidge(1.0), min_labels=0).fit(X, holes)
    scores = model.estimator_.decision_function(X)
    kept = [(s[~np.isnan(y)], y[~np.isnan(y)]) for s, y in zip(scores, holes, strict=True)]
    rows = [i for i, (_, y) in enumerate(kept) if 0 < y.sum() < len(y)]
    targets = [reference.threshold_targets([kept[i][0]], [kept[i][1]])[0] for i in rows]
    t = LinearRegression().fit(X[rows], targets).predict(X)
    assert_allclose(model.decision_function(X), scores - t[:, None], atol=1e-10)


def test_held_out_scores_are_those_of_the_folds():
    X, Y = problem(2)
    folds = KFold(4)
    model = ThresholdFunction(MultiOutputRidge(1.0), cv=folds).fit(X, Y)
    scores = np.empty(Y.shape)
    for train, test in folds.split(X):
        scores[test] = MultiOutputRidge(1.0).fit(X[train], Y[train]).decision_function(X[test])
    rows = mixed(Y)
    peer = LinearRegression().fit(X[rows], reference.threshold_targets(scores[rows], Y[rows]))
    assert_allclose(model.regressor_.coef_, peer.coef_, atol=1e-10)


def test_rows_without_a_threshold():
    X, Y = problem(3)
    everything = ThresholdFunction(MultiOutputRidge(), min_labels=0).fit(X, np.ones_like(Y))
    assert everything.regressor_ is None
    assert everything.predict(X).all()
    nothing = ThresholdFunction(MultiOutputRidge(), min_labels=0).fit(X, np.zeros_like(Y))
    assert not nothing.predict(X).any()
    one = ThresholdFunction(MultiOutputRidge(), min_labels=0).fit(X, Y[:, :1])
    assert_array_equal(one.predict(X), MultiOutputRidge().fit(X, Y[:, :1]).predict(X))
    classes = np.array(["a", "b", "c"])[np.arange(len(X)) % 3]
    model = ThresholdFunction(MultiOutputRidge()).fit(X, classes)
    assert_array_equal(model.predict(X), MultiOutputRidge().fit(X, classes).predict(X))


def test_sparse_rows_and_frames():
    pd = pytest.importorskip("pandas")
    X, Y = problem(4)
    dense = ThresholdFunction(MultiOutputRidge(1.0)).fit(X, Y)
    expected = dense.decision_function(X)
    in_csr = ThresholdFunction(MultiOutputRidge(1.0)).fit(sparse.csr_array(X), Y)
    # The regression of sparse rows is iterative.
    assert_allclose(in_csr.decision_function(sparse.csr_array(X)), expected, atol=1e-4)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    framed = ThresholdFunction(MultiOutputRidge(1.0)).fit(frame, Y)
    assert_allclose(framed.decision_function(frame), expected, atol=1e-10)


def test_a_threshold_per_row_is_worth_something(dataset):
    data = dataset("yeast")
    X, Y = data.X[data.train], data.Y[data.train]
    X_new, Y_new = data.X[data.test], data.Y[data.test]
    tuned = ThresholdFunction(MultiOutputRidge(1.0)).fit(X, Y)
    plain = MultiOutputRidge(1.0).fit(X, Y)
    assert micro_f1(Y_new, tuned.predict(X_new)) > micro_f1(Y_new, plain.predict(X_new)) + 0.01
