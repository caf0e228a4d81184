"""LaRankSVM and CLaRankSVM as estimators: the contract, odd data, predictions."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.metrics import f1_score

from labelspan.classifiers import ThresholdTuner
from labelspan.ranking import CLaRankSVM, LaRankSVM
from tests.ranking.problems import small, with_bias
from tests.reference import ranking as reference

MODELS = [LaRankSVM(random_state=0), CLaRankSVM(random_state=0)]
both = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)


@both
def test_scores_and_threshold_are_those_of_the_paper(model):
    X, Y, _, _ = small(0, n_samples=60)
    fitted = clone(model).fit(X, Y)
    Z = X @ fitted.coef_.T + fitted.intercept_
    np.testing.assert_allclose(fitted.decision_function(X), Z)
    usable = (Y.sum(axis=1) > 0) & (Y.sum(axis=1) < 4)
    targets = reference.threshold_targets(Z[usable], Y[usable])
    t = np.linalg.lstsq(with_bias(X[usable]), targets, rcond=None)[0]
    np.testing.assert_allclose(fitted.threshold_coef_, t[:-1], atol=1e-8)
    np.testing.assert_allclose(fitted.threshold_intercept_, t[-1], atol=1e-8)
    expected = with_bias(X) @ t
    expected = (expected[:, None] < Z).astype(int)
    for i in np.flatnonzero(expected.sum(axis=1) == 0):
        expected[i, Z[i].argmax()] = 1
    np.testing.assert_array_equal(fitted.predict(X), expected)


def test_min_labels():
    X, Y, _, _ = small(1, n_samples=60)
    free = LaRankSVM(min_labels=0, random_state=0).fit(X, Y)
    empty = free.predict(X).sum(axis=1) == 0
    assert empty.any()
    for least in (1, 2):
        model = LaRankSVM(min_labels=least, random_state=0).fit(X, Y)
        chosen = model.predict(X)
        assert chosen.sum(axis=1).min() == least
        top = np.argsort(-model.decision_function(X)[empty], axis=1)[:, :least]
        assert np.take_along_axis(chosen[empty], top, axis=1).all()


def test_the_sparse_threshold_is_near_the_dense_one():
    X, Y, _, _ = small(2, n_samples=80)
    dense = LaRankSVM(random_state=0).fit(X, Y)
    thin = LaRankSVM(random_state=0).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-10)
    np.testing.assert_allclose(thin.threshold_coef_, dense.threshold_coef_, atol=1e-2)


def test_a_threshold_of_more_features_than_rows_is_that_of_least_norm():
    X, Y, _, _ = small(0, n_samples=60, n_features=300)
    X = X + 3.0
    model = LaRankSVM(random_state=0).fit(X, Y)
    usable = (Y.sum(axis=1) > 0) & (Y.sum(axis=1) < 4)
    targets = reference.threshold_targets(model.decision_function(X)[usable], Y[usable])
    centred = X[usable] - X[usable].mean(axis=0)
    # Centring has left one direction fewer than rows; the last one is rounding.
    expected = np.linalg.pinv(centred, rcond=1e-12) @ (targets - targets.mean())
    np.testing.assert_allclose(model.threshold_coef_, expected, atol=1e-12)


@pytest.mark.parametrize("labels", [np.asarray, sparse.csr_array])
def test_midpoints_of_more_rows_than_a_block_holds(labels):
    X, Y, _, _ = small(2, n_samples=40_000, n_features=2)
    model = LaRankSVM(0.01, tol=0.1, random_state=0).fit(X, labels(Y))
    usable = (Y.sum(axis=1) > 0) & (Y.sum(axis=1) < 4)
    targets = reference.threshold_targets(model.decision_function(X)[usable], Y[usable])
    t = np.linalg.lstsq(with_bias(X[usable]), targets)[0]
    np.testing.assert_allclose(model.threshold_coef_, t[:-1], atol=1e-8)


def test_thresholds_may_be_tuned_instead():
    X, Y, _, _ = small(3, n_samples=80)
    tuned = ThresholdTuner(LaRankSVM(random_state=0), "per_label_f1", min_labels=1).fit(X, Y)
    scores = tuned.estimator_.decision_function(X)
    chosen = scores > tuned.thresholds_
    assert np.all(chosen <= tuned.predict(X))
    assert f1_score(Y, chosen, average="macro") >= f1_score(Y, scores > 0, average="macro")


@both
def test_rows_of_no_or_all_labels_do_not_count(model):
    X, Y, _, _ = small(3)
    usable = (Y.sum(axis=1) > 0) & (Y.sum(axis=1) < 4)
    assert not usable.all()
    # Other rows draw another order: compare optima, to the tolerance.
    tight = clone(model).set_params(tol=1e-8, max_iter=100_000)
    whole, part = clone(tight).fit(X, Y), clone(tight).fit(X[usable], Y[usable])
    np.testing.assert_allclose(whole.coef_, part.coef_, atol=2e-3)
    assert whole.primal_objective_ == pytest.approx(part.primal_objective_, rel=1e-7)


@both
def test_nothing_to_rank(model):
    X = np.eye(3)
    nothing = clone(model).set_params(min_labels=0).fit(X, np.zeros((3, 4), int))
    assert nothing.predict(X).sum() == 0
    assert clone(model).fit(X, np.ones((3, 4), int)).predict(X).all()
    assert clone(model).fit(X, np.zeros((3, 4), int)).predict(X).sum() == 3
    assert nothing.primal_objective_ == nothing.dual_objective_ == 0.0


@both
def test_a_label_without_rows_is_never_preferred(model):
    X, Y, _, _ = small(4, n_samples=60)
    Y[:, 2] = 0
    fitted = clone(model).fit(X, Y)
    assert np.all(fitted.decision_function(X)[:, 2].mean() < fitted.decision_function(X).mean())
    assert fitted.predict(X)[:, 2].mean() < 0.05


@both
def test_one_instance(model):
    x = np.array([[1.0, 2.0]])
    fitted = clone(model).fit(x, [[1, 0, 1]])
    np.testing.assert_array_equal(fitted.predict(x), [[1, 0, 1]])


def test_one_instance_has_the_known_solution():
    """One pair, no clipping: alpha = 1 / (2 (|x|^2 + 1)), the margin is exactly 1."""
    model = LaRankSVM(C=100.0, tol=1e-10).fit([[1.0, 2.0]], [[1, 0]])
    np.testing.assert_allclose(model.coef_, np.array([[1.0, 2.0], [-1.0, -2.0]]) / 12, rtol=1e-6)
    np.testing.assert_allclose(model.dual_objective_, 1 / 24, rtol=1e-9)


@both
def test_a_single_label_is_trained_against_its_absence(model):
    X, Y, _, _ = small(5, n_samples=80)
    column = clone(model).fit(X, Y[:, :1])
    paired = clone(model).fit(X, np.hstack([Y[:, :1], 1 - Y[:, :1]]))
    difference = paired.coef_[0] - paired.coef_[1]
    np.testing.assert_allclose(column.coef_[0], difference)
    assert column.predict(X).shape == (80, 1)
    assert (column.predict(X) == Y[:, :1]).mean() > 0.8
    classes = clone(model).fit(X, np.array(["no", "yes"])[Y[:, 0]])
    np.testing.assert_array_equal(classes.classes_, ["no", "yes"])
    np.testing.assert_array_equal(classes.predict(X) == "yes", column.predict(X)[:, 0] == 1)
    assert classes.decision_function(X).shape == (80,)


@both
def test_rows_of_zeros(model):
    X, Y, C, _ = small(6)
    X[:10] = 0.0
    fitted = clone(model).set_params(C=C, tol=1e-5, max_iter=50_000).fit(X, Y)
    assert np.isfinite(fitted.coef_).all()
    nothing = clone(model).fit(np.zeros((6, 2)), Y[:6])
    assert np.all(nothing.coef_ == 0)


def test_a_row_of_zeros_without_bias_rests_at_its_bound():
    from tests.ranking.test_sweep import dual_of

    dual = dual_of(np.zeros((1, 2)), np.array([[1, 0, 0]]), C=3.0)
    dual.set_weights(np.array([1.0, 1.0, 0.0]))
    dual.ascend(1)
    np.testing.assert_array_equal(dual.alpha, [1.5, 1.5])


@pytest.mark.parametrize("C", [1e-6, 1e6])
def test_extreme_costs(C):
    pytest.importorskip("cvxpy")
    X, Y, _, _ = small(7, n_samples=12, n_features=20)
    best, _ = reference.larank_optimum(with_bias(X), Y, C)
    model = LaRankSVM(C=C, tol=1e-4, max_iter=20_000, random_state=0).fit(X, Y)
    assert model.primal_objective_ == pytest.approx(best, rel=2e-4)


def test_running_out_of_sweeps_is_a_warning_with_numbers():
    X, Y, _, _ = small(8)
    with pytest.warns(ConvergenceWarning, match=r"3 sweeps \(max_iter=3\).*gap of .*tol is 1e-09"):
        model = LaRankSVM(tol=1e-9, max_iter=3).fit(X, Y)
    assert model.n_iter_ == 3


@both
def test_a_column_of_classes_is_taken_with_a_warning(model):
    X, _, _, _ = small(9)
    with pytest.warns(DataConversionWarning, match=r"pass y.ravel\(\)"):
        clone(model).fit(X, (np.arange(30) % 3)[:, None])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"C": 0}, "'C' parameter"), ({"max_pairs": 0}, "'max_pairs'"), ({"tol": -1}, "'tol'")],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        LaRankSVM(**parameters).fit(np.eye(2), np.eye(2))
