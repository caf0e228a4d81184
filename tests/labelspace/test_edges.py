"""Degenerate labels, extreme numbers of codes, odd regressors, and every message."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare, kstest, norm
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from labelspan.labelspace import (
    CPLST,
    OCCA,
    PLST,
    CompressedSensing,
    PartialBinaryRelevance,
)
from tests.labelspace.problems import problem
from tests.labelspace.test_laws import ALL, make
from tests.reference import labelspace as reference

CENTRED = [PLST, CPLST, OCCA]


def degenerate():
    """Label 1 never occurs, label 2 always does, label 4 is label 3."""
    X, Y = problem(20, n_labels=5)
    Y[:, 1], Y[:, 2], Y[:, 4] = 0, 1, Y[:, 3]
    return X, Y


@pytest.mark.parametrize("method", CENTRED)
@pytest.mark.parametrize("M", [1, 2, None])
def test_constant_and_equal_labels(method, M):
    X, Y = degenerate()
    predicted = method(M, ridge=0.0).fit(X, Y).predict(X)
    assert (predicted[:, 1] == 0).all()
    assert (predicted[:, 2] == 1).all()
    np.testing.assert_array_equal(predicted[:, 3], predicted[:, 4])
    if M is None:
        peer = LinearRegression().fit(X, Y).predict(X) > 0.5
        np.testing.assert_array_equal(predicted, peer)


@pytest.mark.parametrize("method", [PLST, CPLST])
def test_more_codes_than_the_rank_are_capped_with_a_warning(method):
    X, Y = degenerate()
    with pytest.warns(UserWarning, match=r"n_components=5 is more than the 2 directions"):
        model = method(5, ridge=0.0).fit(X, Y)
    assert model.n_components_ == len(model.components_) == 2
    assert method(ridge=0.0).fit(X, Y).n_components_ == 2


@pytest.mark.parametrize("method", [OCCA, PartialBinaryRelevance, CompressedSensing])
def test_more_codes_than_labels_are_capped_with_a_warning(method):
    X, Y = problem(21)
    with pytest.warns(UserWarning, match=r"n_components=9 is more than the 6 labels; 6 are kept"):
        assert make(method, 9).fit(X, Y).n_components_ == 6


def test_occa_takes_the_null_directions_of_the_labels_first():
    X, Y = degenerate()
    model = OCCA(3, ridge=0.0).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, 0, atol=1e-10)
    np.testing.assert_allclose(model.encode(Y), 0, atol=1e-7)
    assert model.errors(X, Y).prediction < 1e-10


def test_occa_says_when_every_direction_ties():
    X, Y = problem(22, n=12, n_features=20)
    with pytest.warns(UserWarning, match=r"fit any label on the 12 training rows.*ridge > 0"):
        OCCA(2, ridge=0.0).fit(X, Y)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("regressor", [None, Ridge()])
def test_no_code_predicts_the_label_means(method, regressor):
    X, Y = degenerate()
    model = make(method, 0, regressor=regressor).fit(X, Y)
    assert model.components_.shape == (0, 5)
    assert model.encode(Y).shape == (80, 0)
    mean = Y.mean(axis=0) if method in CENTRED else np.zeros(5)
    np.testing.assert_allclose(model.decision_function(X), np.tile(mean - 0.5, (80, 1)))
    np.testing.assert_array_equal(model.predict(X), np.tile(mean > 0.5, (80, 1)))
    assert model.errors(X, Y).prediction == 0


@pytest.mark.parametrize("method", ALL)
def test_labels_without_any_variation(method):
    X = problem(23)[0]
    Y = np.tile([0, 1, 0], (len(X), 1))
    model = make(method).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)
    if method in (PLST, CPLST):
        assert model.n_components_ == 0
        with pytest.warns(UserWarning, match=r"n_components=2, but the labels, or the features"):
            assert method(2, ridge=0.0).fit(X, Y).n_components_ == 0


@pytest.mark.parametrize("n_labels", [3, 33, 333])
def test_constant_labels_on_every_route(iterated, n_labels):
    X = problem(23)[0]
    Y = np.tile(np.arange(n_labels) % 2, (len(X), 1))
    with pytest.warns(UserWarning, match=r"n_components=2, but the labels, or the features"):
        np.testing.assert_array_equal(PLST(2, ridge=0.0).fit(X, Y).predict(X), Y)


@pytest.mark.parametrize("method", [PLST, CPLST])
def test_constant_features_predict_the_means(method):
    Y = problem(24)[1]
    X = np.full((len(Y), 3), 7.0)
    scores = method(ridge=0.0).fit(X, Y).decision_function(X)
    np.testing.assert_allclose(scores, np.tile(Y.mean(axis=0) - 0.5, (len(Y), 1)), atol=1e-12)


@pytest.mark.parametrize("method", ALL)
def test_rows_without_labels_two_rows_and_one_label(method):
    X, Y = problem(25)
    Y[:40] = 0
    assert make(method, 2).fit(X, Y).predict(X).shape == Y.shape
    few = make(method, ridge=1e-3).fit(X[:2], [[0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(few.predict(X[:2]), [[0, 1, 0], [1, 0, 0]])
    one = make(method).fit(X, Y[:, :1])
    peer = LinearRegression().fit(X, Y[:, 0]).predict(X)
    if method is not CompressedSensing:
        np.testing.assert_allclose(one.decision_function(X)[:, 0] + 0.5, peer, atol=1e-9)


@pytest.mark.parametrize("method", [PLST, CPLST])
def test_a_share_of_the_eigenvalue_sum(method):
    X, Y = problem(26)
    values = method(ridge=0.0).fit(X, Y).eigenvalues_
    model = method(0.8, ridge=0.0).fit(X, Y)
    M = model.n_components_
    assert values[: M - 1].sum() < 0.8 * values.sum() <= values[:M].sum()


class OneDimensional(RegressorMixin, BaseEstimator):
    """Takes several outputs but returns a single one as a 1-d array, as some regressors do."""

    def fit(self, X, y):
        self.inner_ = LinearRegression().fit(X, y)
        return self

    def predict(self, X):
        return np.squeeze(self.inner_.predict(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class Summed(OneDimensional):
    """Returns the wrong shape."""

    def predict(self, X):
        return self.inner_.predict(X).sum(axis=1)


@pytest.mark.parametrize("method", [PLST, CPLST, OCCA, PartialBinaryRelevance])
@pytest.mark.parametrize("M", [1, 3])
def test_given_linear_regression_is_the_default(method, M):
    X, Y = problem(27)
    scores = make(method, M).fit(X, Y).decision_function(X)
    pipeline = make_pipeline(StandardScaler(), LinearRegression())
    one_dimensional = OneDimensional()
    for regressor in (LinearRegression(), pipeline, one_dimensional):
        model = make(method, M, regressor=regressor).fit(X, Y)
        np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-9)


def test_a_regressor_with_one_output_is_fitted_once_a_code():
    X, Y = problem(28)
    model = PLST(3, regressor=SVR(), ridge=0.0).fit(X, Y)
    assert isinstance(model.regressor_, MultiOutputRegressor)
    codes = np.column_stack([SVR().fit(X, t).predict(X) for t in model.encode(Y).T])
    np.testing.assert_allclose(model.decode(codes) - 0.5, model.decision_function(X))
    np.testing.assert_allclose(
        model.truncate(2).decision_function(X),
        PLST(2, regressor=SVR(), ridge=0.0).fit(X, Y).decision_function(X),
    )


def test_kernel_ridge_and_forests_learn_the_codes():
    X, Y = problem(29)
    for regressor in (KernelRidge(kernel="rbf"), RandomForestRegressor(5, random_state=0)):
        model = CPLST(3, regressor=regressor, ridge=0.0).fit(X, Y)
        T = type(regressor)(**regressor.get_params()).fit(X, model.encode(Y)).predict(X)
        np.testing.assert_allclose(model.decode(T) - 0.5, model.decision_function(X))


@pytest.mark.parametrize(
    ("regressor", "one_a_code"),
    [
        (make_pipeline(StandardScaler(), SVR()), True),
        (GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2), True),
        (make_pipeline(StandardScaler(), Ridge()), False),
    ],
)
def test_composite_regressors(regressor, one_a_code):
    X, Y = problem(35)
    model = PLST(2, regressor=regressor, ridge=0.0).fit(X, Y)
    assert isinstance(model.regressor_, MultiOutputRegressor) == one_a_code
    single = PLST(1, regressor=regressor, ridge=0.0).fit(X, Y)
    np.testing.assert_allclose(
        single.decode(model.regressor_.predict(X)[:, :1]) - 0.5, single.decision_function(X)
    )


def test_the_regressor_that_is_given_is_not_fitted_itself():
    X, Y = problem(30)
    regressor = Ridge()
    PLST(2, regressor=regressor, ridge=0.0).fit(X, Y)
    assert "coef_" not in vars(regressor)


def test_truncate_with_a_given_regressor():
    X, Y = problem(31)
    for regressor in (Ridge(3.0), make_pipeline(StandardScaler(), Ridge()), KernelRidge()):
        short = CPLST(regressor=regressor, ridge=0.0).fit(X, Y).truncate(4).truncate(2)
        fitted = CPLST(2, regressor=regressor, ridge=0.0).fit(X, Y)
        np.testing.assert_allclose(
            short.decision_function(X), fitted.decision_function(X), atol=1e-9
        )
    tree = CPLST(regressor=DecisionTreeRegressor(), ridge=0.0).fit(X, Y)
    with pytest.raises(ValueError, match=r"learnt independently.*this is DecisionTreeRegressor"):
        tree.truncate(2)


def test_the_other_labels_are_absent():
    X, Y = problem(32)
    Y[:, :3] = 1 - Y[:, :3]
    model = PartialBinaryRelevance(2, random_state=3, ridge=0.0).fit(X, Y)
    learnt = np.flatnonzero(model.components_.any(axis=0))
    assert len(learnt) == 2
    others = np.setdiff1d(np.arange(6), learnt)
    assert Y[:, others].mean(axis=0).max() > 0.5
    assert not model.predict(X)[:, others].any()
    peer = LinearRegression().fit(X, Y).predict(X)
    np.testing.assert_allclose(model.decision_function(X)[:, learnt] + 0.5, peer[:, learnt])
    Z = Y - Y.mean(axis=0)
    np.testing.assert_allclose(model.errors(X, Y).encoding, (Z[:, others] ** 2).sum())
    again = PartialBinaryRelevance(2, random_state=3, ridge=0.0).fit(X, Y)
    np.testing.assert_array_equal(again.components_, model.components_)


def test_labels_to_learn_are_drawn_at_random():
    X, Y = problem(36, n=30, n_features=3, n_labels=5)
    pairs = list(combinations(range(5), 2))
    drawn = np.zeros(len(pairs))
    for seed in range(400):
        model = PartialBinaryRelevance(2, random_state=seed, ridge=0.0).fit(X, Y)
        drawn[pairs.index(tuple(np.flatnonzero(model.components_.any(axis=0))))] += 1
    # Every pair of labels is as likely as another.
    assert chisquare(drawn).pvalue > 1e-3


def test_fewer_labels_are_a_part_of_more():
    X, Y = problem(36)
    more, fewer = (PartialBinaryRelevance(M, random_state=5, ridge=0.0).fit(X, Y) for M in (4, 2))
    np.testing.assert_array_equal(more.components_[:2], fewer.components_)


@pytest.mark.parametrize("M", [20, 80])
def test_random_codes_are_gaussian_with_variance_one_over_their_number(M):
    X, Y = problem(37, n=30, n_features=3, n_labels=100)
    V = CompressedSensing(M, random_state=0, ridge=0.0).fit(X, Y).components_
    assert kstest(V.ravel(), norm(scale=1 / np.sqrt(M)).cdf).pvalue > 1e-3


def test_compressed_sensing_loses_nothing_of_a_single_label():
    # By Cauchy and Schwarz no other unit column is as near to the code of a label as its own.
    X = problem(38, n=60)[0]
    Y = np.tile(np.eye(20, dtype=int), (3, 1))
    model = CompressedSensing(3, random_state=0, ridge=0.0).fit(X, Y)
    assert model.sparsity_ == 1
    assert model.errors(X, Y).encoding == pytest.approx(0, abs=1e-20)


def test_errors_of_compressed_sensing_are_those_of_the_recovery():
    X, Y = problem(39, n_labels=9)
    model = CompressedSensing(4, sparsity=1, random_state=0, ridge=0.0).fit(X, Y)
    errors, V = model.errors(X, Y), model.components_
    lost = 0.0
    for y in Y:
        # One label at most: the least squares of each in turn, the best of them kept.
        fits = [np.linalg.lstsq(V[:, [k]], V @ y, rcond=None)[0][0] for k in range(9)]
        misfits = [np.sum((V @ y - c * v) ** 2) for c, v in zip(fits, V.T, strict=True)]
        best = int(np.argmin(misfits))
        lost += np.sum((y - fits[best] * np.eye(9)[best]) ** 2)
    np.testing.assert_allclose(errors.encoding, lost, rtol=1e-9)
    codes = Y @ V.T
    residual = LinearRegression().fit(X, codes).predict(X) - codes
    np.testing.assert_allclose(errors.prediction, np.sum(residual**2), rtol=1e-9)


def test_compressed_sensing_recovers_sparse_labels():
    rng = np.random.default_rng(0)
    Y = np.zeros((300, 50), dtype=int)
    for row in Y:
        row[rng.choice(50, 2, replace=False)] = 1
    Y[0] = 0
    X = np.hstack([Y + 0.0, rng.standard_normal((300, 5))])
    model = CompressedSensing(35, random_state=0, ridge=0.0).fit(X, Y)
    assert model.sparsity_ == 2
    # With rows of at most two labels and 35 measurements the recovery is exact.
    assert (model.decode(model.encode(Y)).round(6) == Y).mean() > 0.999
    assert (model.predict(X) == Y).mean() > 0.999
    assert model.predict(X).sum(axis=1).max() <= 2
    np.testing.assert_array_equal(
        CompressedSensing(35, random_state=0, ridge=0.0).fit(X, Y).components_, model.components_
    )
    other = CompressedSensing(35, sparsity=1, random_state=0, ridge=0.0).fit(X, Y)
    assert other.predict(X).sum(axis=1).max() == 1


def test_directions_of_few_rows_and_many_labels():
    X, Y = problem(33, n=20, n_features=4, n_labels=50)
    values, V = reference.plst(X, Y)
    model = PLST(3, ridge=0.0).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_[:3], values[:3], rtol=1e-10)
    theirs = reference.scores(X, Y, V[:3], X)
    np.testing.assert_allclose(model.decision_function(X) + 0.5, theirs, atol=1e-9)


def test_messages():
    X, Y = problem(34)
    model = PLST(3, ridge=0.0).fit(X, Y)
    with pytest.raises(ValueError, match=r"Y has 5 labels, but PLST was fitted with 6"):
        model.encode(Y[:, :5])
    with pytest.raises(ValueError, match=r"T has shape \(80, 6\); expected \(n_samples, 3\)"):
        model.decode(Y)
    for k in (0, 7, 1.5):
        with pytest.raises(ValueError, match=rf"k={k}; expected an integer from 1 to 6"):
            model.predict_topk(X, k)
    for M in (-1, 4, 1.0):
        with pytest.raises(ValueError, match=rf"M={M}; expected an integer from 0 to n_comp.*=3"):
            model.truncate(M)
    with pytest.raises(ValueError, match=r"X has 80 rows, Y has 79"):
        model.errors(X, Y[:79])
    with pytest.raises(ValueError, match=r"returned an array of shape \(80,\); expected \(80, 3\)"):
        PLST(3, regressor=Summed(), ridge=0.0).fit(X, Y).predict(X)
    for bad in (-1, 1.5, "all"):
        with pytest.raises(ValueError, match="n_components"):
            PLST(bad, ridge=0.0).fit(X, Y)
    with pytest.raises(ValueError, match="ridge"):
        CPLST(ridge=-1.0).fit(X, Y)
    with pytest.raises(ValueError, match="regressor"):
        CPLST(regressor="linear", ridge=0.0).fit(X, Y)


def test_labels_by_name_are_those_of_the_fit():
    X, Y = problem(3)
    frame = pd.DataFrame(Y, columns=[f"label {i}" for i in range(Y.shape[1])])
    model = PLST(2, ridge=0.0).fit(X, frame)
    np.testing.assert_array_equal(model.encode(frame), model.encode(Y))
    swapped = frame[frame.columns[::-1]]
    for call in (lambda: model.encode(swapped), lambda: model.errors(X, swapped)):
        with pytest.raises(ValueError, match=r"Column 0 of y is .* in fit it was 'label 0'"):
            call()


def test_a_regressor_on_a_given_kernel_is_cross_validated():
    X, Y = problem(4)
    by_kernel = PLST(2, regressor=KernelRidge(1.0, kernel="precomputed"), ridge=0.0)
    by_rows = PLST(2, regressor=KernelRidge(1.0, kernel="rbf", gamma=0.1), ridge=0.0)
    ours, theirs = (
        cross_val_predict(model, matrix, Y, cv=KFold(3), method="decision_function")
        for model, matrix in ((by_kernel, rbf_kernel(X, gamma=0.1)), (by_rows, X))
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
