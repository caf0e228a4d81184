"""Laws of the paper: which method minimises which error, and when all are the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import hamming_loss

from labelspan.labelspace import CPLST, OCCA, PLST, CompressedSensing, PartialBinaryRelevance
from tests.labelspace.problems import problem
from tests.reference import labelspace as reference

ORTHONORMAL = [PLST, CPLST, OCCA, PartialBinaryRelevance]
SEEDED = (PartialBinaryRelevance, CompressedSensing)
ALL = [*ORTHONORMAL, CompressedSensing]


def make(method, *arguments, **parameters):
    """An estimator, with a seed if it draws anything."""
    if method in SEEDED:
        parameters["random_state"] = 0
    return method(*arguments, **{"ridge": 0.0, **parameters})


def assert_each_is_best_at_its_own(X, Y, Ms, ridge=0.0):
    models = [make(method, ridge=ridge).fit(X, Y) for method in ORTHONORMAL]
    for M in Ms:
        cut = [model.truncate(min(M, model.n_components_)) for model in models]
        plst, cplst, occa, random = (model.errors(X, Y) for model in cut)
        slack = 1e-9 * (1 + plst.bound)
        for model, other in zip(cut, (plst, cplst, occa, random), strict=True):
            assert plst.encoding <= other.encoding + slack
            assert cplst.bound <= other.bound + slack
            # A method with fewer than M directions predicts fewer codes, so its error is smaller.
            assert occa.prediction <= other.prediction + slack or model.n_components_ < M


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(25, 60),
    n_features=st.integers(1, 12),
    n_labels=st.integers(1, 8),
    ridge=st.sampled_from([0.0, 0.1, 10.0]),
)
def test_each_method_is_best_at_its_own_error(seed, n, n_features, n_labels, ridge):
    X, Y = problem(seed, n, n_features, n_labels)
    assert_each_is_best_at_its_own(X, Y, range(n_labels + 1), ridge)


@pytest.mark.parametrize("name", ["yeast", "scene", "emotions", "enron"])
def test_each_method_is_best_at_its_own_error_on_real_data(training, name):
    X, Y = training(name)
    assert_each_is_best_at_its_own(X, Y, range(Y.shape[1] + 1))


@pytest.mark.parametrize("method", [PLST, CPLST, OCCA])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_errors_are_those_of_the_transcription(method, ridge):
    X, Y = problem(4)
    model = method(3, ridge=ridge).fit(X, Y)
    errors = model.errors(X, Y)
    V = model.components_
    np.testing.assert_allclose(errors.encoding, reference.encoding_error(Y, V), rtol=1e-9)
    np.testing.assert_allclose(
        errors.prediction, reference.prediction_error(X, Y, V, ridge), rtol=1e-9
    )
    assert errors.bound == errors.encoding + errors.prediction


@pytest.mark.parametrize("method", ORTHONORMAL)
def test_the_bound_holds_on_new_rows_too(method):
    X, Y = problem(5, n=200)
    Y = Y[:, Y[:100].mean(axis=0) < 0.5]
    model = make(method, 2).fit(X[:100], Y[:100])
    # Partial binary relevance predicts the others absent, which is their rounded mean here.
    assert model.label_mean_.max() < 0.5
    for rows in (slice(0, 100), slice(100, 200)):
        loss = hamming_loss(Y[rows], model.predict(X[rows]))
        assert 0 < loss <= 4 * model.errors(X[rows], Y[rows]).bound / Y[rows].size


@pytest.mark.parametrize("method", ORTHONORMAL)
@pytest.mark.parametrize("ridge", [0.0, 2.0])
def test_all_codes_and_linear_regression_are_binary_relevance(method, ridge):
    X, Y = problem(6)
    Xnew = problem(7)[0]
    peer = (Ridge(alpha=ridge) if ridge else LinearRegression()).fit(X, Y)
    model = make(method, Y.shape[1], ridge=ridge).fit(X, Y)
    np.testing.assert_allclose(
        model.decision_function(Xnew) + 0.5, peer.predict(Xnew), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_array_equal(model.predict(Xnew), peer.predict(Xnew) > 0.5)


@pytest.mark.parametrize("name", ["yeast", "scene", "emotions", "enron"])
def test_all_codes_are_binary_relevance_on_real_data(training, name):
    X, Y = training(name)
    peer = LinearRegression().fit(X, Y).predict(X) > 0.5
    for method in ORTHONORMAL:
        np.testing.assert_array_equal(make(method).fit(X, Y).predict(X), peer)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_truncate_is_a_fit_with_fewer_codes(method, ridge):
    X, Y = problem(8)
    full = make(method, ridge=ridge).fit(X, Y)
    for M in (0, 1, 4):
        short, fitted = full.truncate(M), make(method, M, ridge=ridge).fit(X, Y)
        assert short.get_params() == fitted.get_params()
        assert short.n_components_ == len(short.components_) == M
        np.testing.assert_allclose(
            short.decision_function(X), fitted.decision_function(X), atol=1e-9
        )
        np.testing.assert_allclose(short.eigenvalues_, fitted.eigenvalues_, rtol=1e-9)
        np.testing.assert_allclose(np.abs(short.encode(Y)), np.abs(fitted.encode(Y)), atol=1e-9)
        for ours, theirs in zip(short.errors(X, Y), fitted.errors(X, Y), strict=True):
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    assert full.n_components_ == Y.shape[1]


@pytest.mark.parametrize("method", [PLST, CPLST, OCCA, PartialBinaryRelevance])
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_ill_conditioned_features_keep_their_digits(method, ridge):
    # cond 1e8: from a Gram matrix the last feature would be lost.
    X, Y = problem(10, n=100, n_features=5)
    X[:, 4] = X[:, 3] + 1e-8 * X[:, 4]
    exact = X.copy()
    exact[:, 4] = (X[:, 4] - X[:, 3]) * 1e8
    scores = make(method, 3, ridge=ridge).fit(X, Y).decision_function(X)
    if ridge == 0:
        peer = make(method, 3).fit(exact, Y).decision_function(exact)
        np.testing.assert_allclose(scores, peer, atol=1e-5)
    else:
        peer = make(method, 3, ridge=ridge).fit(X[:, :4], Y)
        assert np.isfinite(scores).all()
        assert np.abs(scores - peer.decision_function(X[:, :4])).max() < 0.1


@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("method", [PLST, CPLST, OCCA])
def test_sparse_dense_and_duplicated_features_agree(method, ridge):
    X, Y = problem(11)
    X[X < 1] = 0
    model = method(3, ridge=ridge).fit(X, Y)
    scores = model.decision_function(X)
    thin = method(3, ridge=ridge).fit(sparse.csr_array(X), sparse.csr_array(Y))
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(X)), scores, atol=1e-8)
    if ridge == 0:
        twice = np.hstack([X, X, np.ones((len(X), 1))])
        again = method(3, ridge=0.0).fit(twice, Y).decision_function(twice)
        np.testing.assert_allclose(again, scores, atol=1e-8)
        coef = method(3, ridge=0.0).fit(twice, Y).regressor_.coef_
        # Least norm: both copies have half of the weight each, the constant none.
        half = X.shape[1]
        np.testing.assert_allclose(coef[:, :half], coef[:, half : 2 * half], atol=1e-8)
        np.testing.assert_allclose(coef[:, -1], 0, atol=1e-8)


@pytest.mark.parametrize("method", [PLST, CPLST, OCCA])
@pytest.mark.parametrize("shape", [(90, 40), (40, 90)])
def test_wide_sparse_features_take_conjugate_gradients_and_agree(limit, method, shape):
    X, Y = problem(13, *shape)
    X[X < 1.5] = 0
    plain = method(3, ridge=2.0).fit(X, Y)
    limit("krylov side", 30)
    iterated = method(3, ridge=2.0).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(iterated.decision_function(X), plain.decision_function(X), atol=1e-6)


def test_float32_in_float32_out():
    X, Y = problem(12)
    for method in ALL:
        wide = make(method, 3).fit(X, Y)
        narrow = make(method, 3).fit(X.astype(np.float32), Y)
        scores = narrow.decision_function(X.astype(np.float32))
        assert scores.dtype == narrow.components_.dtype == narrow.encode(Y).dtype == np.float32
        if method is not CompressedSensing:
            np.testing.assert_allclose(scores, wide.decision_function(X), atol=1e-4)
