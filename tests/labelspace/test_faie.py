"""FaIE: implicit codes against the n x n transcription, its limits, and its memory."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.multioutput import MultiOutputRegressor
from sklearn.svm import SVR

from labelspan.labelspace import PLST, FaIE
from tests.comparison import sine
from tests.labelspace.problems import problem
from tests.labelspace.test_transcriptions import cuts
from tests.reference import labelspace as reference


class Given(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Keeps the codes that it is asked to learn."""

    def fit(self, X, T):
        self.codes_ = T
        return self

    def predict(self, X):
        return self.codes_


SHAPES = [(80, 10, 6), (80, 4, 9), (20, 12, 30), (15, 40, 6)]


@pytest.mark.parametrize("alpha", [0.1, 30.0])
@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("shape", SHAPES)
def test_codes_decoding_and_scores_are_those_of_the_transcription(shape, ridge, alpha):
    n, n_features, n_labels = shape
    X, Y = problem(1, n, n_features, n_labels)
    model = FaIE(alpha=alpha, ridge=ridge).fit(X, Y)
    values, U = reference.faie(X, Y, alpha, ridge)
    kept = len(model.eigenvalues_)
    assert np.abs(model.eigenvalues_ - values[:kept]).max() <= 1e-8 * values[0]
    assert np.abs(values[kept:]).max(initial=0) <= 1e-8 * values[0]
    codes = FaIE(alpha=alpha, ridge=ridge, regressor=Given()).fit(X, Y).regressor_.codes_
    np.testing.assert_allclose(codes.T @ codes / n, np.eye(codes.shape[1]), atol=1e-8)
    for M in cuts(values, model.n_components_):
        assert sine(codes[:, :M], U[:, :M]) <= 1e-8
        D = U[:, :M].T @ reference.shifted(Y)
        np.testing.assert_allclose(codes[:, :M] @ model.components_[:M], U[:, :M] @ D, atol=1e-8)
        W = reference.regression(X, U[:, :M], ridge)
        theirs = (X - X.mean(axis=0)) @ W @ D + Y.mean(axis=0)
        np.testing.assert_allclose(model.truncate(M).decision_function(X) + 0.5, theirs, atol=1e-8)


def test_without_the_features_it_is_plst():
    X, Y = problem(2)
    ours, plst = FaIE(4, alpha=0.0, ridge=0.1).fit(X, Y), PLST(4, ridge=0.1).fit(X, Y)
    np.testing.assert_allclose(ours.eigenvalues_, plst.eigenvalues_[:4])
    np.testing.assert_allclose(
        ours.decision_function(X), plst.decision_function(X), rtol=0, atol=1e-10
    )


def test_with_all_codes_it_is_ridge_regression_on_the_labels():
    X, Y = problem(3, n=80, n_features=10, n_labels=6)
    model = FaIE(16, ridge=0.5).fit(X, Y)
    theirs = Ridge(0.5).fit(X, Y).predict(X)
    np.testing.assert_allclose(model.decision_function(X) + 0.5, theirs, atol=1e-9)


@pytest.mark.parametrize("ridge", [0.1, 5.0])
def test_a_given_ridge_regression_learns_what_none_learns(ridge):
    X, Y = problem(4)
    own = FaIE(3, ridge=ridge).fit(X, Y)
    given = FaIE(3, ridge=ridge, regressor=Ridge(ridge)).fit(X, Y)
    np.testing.assert_allclose(given.decision_function(X), own.decision_function(X), atol=1e-9)
    exact = Ridge(ridge, tol=1e-13)
    given = FaIE(3, ridge=ridge, regressor=exact).fit(sparse.csr_array(X), sparse.csr_array(Y))
    np.testing.assert_allclose(given.decision_function(X), own.decision_function(X), atol=1e-9)


def test_a_regressor_with_a_tolerance_sees_codes_of_unit_size():
    X, Y = problem(5)
    model = FaIE(3, regressor=MultiOutputRegressor(SVR(kernel="linear"))).fit(X, Y)
    # With codes of the size 1 / sqrt(n) all of them lie within epsilon = 0.1: nothing is learnt.
    assert model.predict(X).std(axis=0).min() > 0
    short = model.truncate(2)
    fresh = FaIE(2, regressor=MultiOutputRegressor(SVR(kernel="linear"))).fit(X, Y)
    np.testing.assert_allclose(short.decision_function(X), fresh.decision_function(X), atol=1e-6)


def test_truncated_models_are_those_of_a_fit():
    X, Y = problem(6)
    model = FaIE(ridge=0.1).fit(X, Y)
    for M in (0, 1, 4):
        fresh = FaIE(M, ridge=0.1).fit(X, Y)
        short = model.truncate(M)
        np.testing.assert_allclose(short.components_, fresh.components_, atol=1e-10)
        np.testing.assert_allclose(short.decision_function(X), fresh.decision_function(X))


def test_encode_gives_the_codes_that_decode_best():
    X, Y = problem(7)
    model = FaIE(4, ridge=0.1).fit(X, Y)
    codes, Z = model.encode(Y), reference.shifted(Y)
    best = np.linalg.lstsq(model.components_.T, Z.T, rcond=None)[0].T
    np.testing.assert_allclose(codes, best, atol=1e-10)
    expected = np.linalg.norm(Z - best @ model.components_) ** 2
    np.testing.assert_allclose(model.errors(X, Y).encoding, expected)


def test_more_codes_than_the_rank_warn():
    X, Y = problem(8, n=30, n_features=3, n_labels=4)
    with pytest.warns(UserWarning, match="n_components=9 is more than the 7 directions"):
        assert FaIE(9, ridge=0.1).fit(X, Y).n_components_ == 7


def test_constant_labels_are_predicted_as_they_were_seen():
    X, Y = problem(9)
    Y = np.zeros_like(Y)
    Y[:, 0] = 1
    with pytest.warns(UserWarning, match="0 directions are kept and the label means"):
        model = FaIE(2, ridge=0.1).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)


def test_no_matrix_of_rows_by_rows_is_formed():
    X, Y = problem(10, n=4000, n_features=20, n_labels=10)
    FaIE(3, ridge=0.1).fit(X[:100], Y[:100])
    tracemalloc.start()
    FaIE(3, ridge=0.1).fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A few copies of the data; n x n would be 128 MB.
    assert peak < 8e6


def test_the_refusal_of_too_many_labels_and_features_says_what_to_do(limit):
    limit("square bytes of the gate", 8 * 15**2)
    X, Y = problem(11)
    with pytest.raises(MemoryError, match="matrix of labels and features would be 16 x 16"):
        FaIE(ridge=0.1).fit(X, Y)
