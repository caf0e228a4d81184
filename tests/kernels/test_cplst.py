"""KernelCPLST against its transcription, the linear class, PLST and kernel ridge regression."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

from labelspan.kernels import KernelCPLST
from labelspan.labelspace import CPLST, PLST
from tests.kernels.problems import KERNELS, inputs, matrix, midpoints, problem
from tests.reference import kernels as reference


def check_against_transcription(kernel, X, Y, X_new, ridge, M):
    K, K_new = matrix(kernel, X, X), matrix(kernel, X_new, X)
    model = KernelCPLST(ridge=ridge, **KERNELS[kernel]).fit(inputs(kernel, X, X), Y)
    expected = np.linalg.eigvalsh(reference.cplst_matrix(K, Y, ridge))[::-1]
    n_positive = len(model.eigenvalues_)
    np.testing.assert_allclose(model.eigenvalues_, expected[:n_positive], atol=1e-8 * expected[0])
    V, A = reference.cplst(K, Y, ridge, M)
    short = model.truncate(M)
    np.testing.assert_allclose(short.components_.T @ short.components_, V.T @ V, atol=1e-8)
    for rows, centred in (
        (X, reference.centred(K)),
        (X_new, reference.centred_rows(K_new, K)),
    ):
        scores = centred @ A @ V + Y.mean(axis=0) - 0.5
        ours = short.decision_function(inputs(kernel, rows, X))
        np.testing.assert_allclose(ours, scores, atol=1e-8)
    direct = KernelCPLST(M, ridge=ridge, **KERNELS[kernel]).fit(inputs(kernel, X, X), Y)
    np.testing.assert_allclose(direct.decision_function(inputs(kernel, X_new, X)), ours, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ridge", [0.01, 1.0, 100.0])
def test_equals_transcription_on_emotions(kernel, ridge, dataset):
    data = dataset("emotions")
    X = StandardScaler().fit_transform(data.X) / 4
    train, new = data.train, data.test[:100]
    check_against_transcription(kernel, X[train], data.Y[train], X[new], ridge, 3)


@pytest.mark.parametrize("kernel", KERNELS)
def test_equals_transcription_on_yeast(kernel, dataset):
    data = dataset("yeast")
    check_against_transcription(kernel, data.X[:500], data.Y[:500], data.X[2000:2100], 1.0, 5)


@pytest.mark.reproduce
@pytest.mark.parametrize("kernel", KERNELS)
def test_equals_transcription_on_the_whole_of_yeast(kernel, dataset):
    data = dataset("yeast")
    check_against_transcription(kernel, data.X, data.Y, midpoints(data.X), 1.0, 5)


@pytest.mark.filterwarnings("ignore:Without a ridge the features")
@pytest.mark.parametrize("ridge", [0.0, 1.0, 50.0])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("shape", [(60, 8), (20, 30)])
def test_a_linear_kernel_is_the_linear_class(ridge, form, shape):
    X, Y = problem(*shape)
    new = problem(*shape, seed=1)[0]
    linear = CPLST(ridge=ridge).fit(X, Y).truncate(3)
    model = KernelCPLST(ridge=ridge, kernel="linear").fit(form(X), form(Y)).truncate(3)
    np.testing.assert_allclose(model.components_, linear.components_, atol=1e-8)
    for rows in (X, new):
        ours, theirs = model.decision_function(form(rows)), linear.decision_function(rows)
        np.testing.assert_allclose(ours, theirs, atol=1e-8)
        # Only scores away from zero, whose sign rounding cannot change.
        clear = np.abs(theirs) > 1e-7
        predicted = model.predict(form(rows))
        assert sparse.issparse(predicted) == (form is sparse.csr_array)
        predicted = predicted.toarray() if sparse.issparse(predicted) else predicted
        np.testing.assert_array_equal(predicted[clear], (theirs > 0)[clear])


@pytest.mark.filterwarnings("ignore:Without a ridge the features")
def test_without_a_ridge_and_with_full_rank_it_is_plst():
    X, Y = problem(30)
    model = KernelCPLST(3, ridge=0.0, gamma=1.0).fit(X, Y)
    np.testing.assert_allclose(
        model.components_, PLST(3, ridge=0.0).fit(X, Y).components_, atol=1e-7
    )
    ridged = KernelCPLST(3, ridge=10.0, gamma=1.0).fit(X, Y)
    assert np.abs(ridged.components_ - model.components_).max() > 1e-3


def test_all_codes_are_kernel_ridge_regression_of_all_labels():
    X, Y = problem()
    new = problem(seed=1)[0]
    K, K_new = rbf_kernel(X, gamma=0.2), rbf_kernel(new, X, gamma=0.2)
    ridge = KernelRidge(alpha=0.5, kernel="precomputed").fit(
        reference.centred(K), Y - Y.mean(axis=0)
    )
    scores = ridge.predict(reference.centred_rows(K_new, K)) + Y.mean(axis=0) - 0.5
    model = KernelCPLST(ridge=0.5, gamma=0.2).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(new), scores, atol=1e-9)


def test_the_codes_minimise_the_bound():
    X, Y = problem(80)
    model = KernelCPLST(2, ridge=2.0, gamma=0.1).fit(X, Y)
    errors = model.errors(X, Y)
    K = reference.centred(rbf_kernel(X, gamma=0.1))
    Z = Y - Y.mean(axis=0)
    hat = K @ np.linalg.inv(K + 2.0 * np.eye(80))

    def bound(V):
        return np.sum((hat @ Z @ V.T - Z @ V.T) ** 2) + np.sum((Z - Z @ V.T @ V) ** 2)

    assert errors.bound == pytest.approx(bound(model.components_), rel=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(100):
        V = np.linalg.qr(rng.standard_normal((5, 2)))[0].T
        assert errors.bound <= bound(V) + 1e-9
    assert errors.bound < bound(PLST(2, ridge=0.0).fit(X, Y).components_) + 1e-12


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans", "leverage"])
def test_every_row_a_landmark_is_the_exact_method(landmarks):
    X, Y = problem()
    new = problem(seed=1)[0]
    exact = KernelCPLST(3, gamma=0.2).fit(X, Y)
    model = KernelCPLST(3, gamma=0.2, n_landmarks=60, landmarks=landmarks, random_state=0)
    model.fit(X, Y)
    np.testing.assert_allclose(model.components_, exact.components_, atol=1e-9)
    np.testing.assert_allclose(
        model.decision_function(new), exact.decision_function(new), atol=1e-8
    )
    assert model.nystroem_error_ < 1e-9


def test_another_regressor_learns_the_same_codes():
    X, Y = problem()
    given = KernelCPLST(3, gamma=0.2, regressor=KernelRidge(alpha=1.0, kernel="rbf", gamma=0.2))
    given.fit(X, Y)
    own = KernelCPLST(3, gamma=0.2).fit(X, Y)
    np.testing.assert_array_equal(given.components_, own.components_)
    with pytest.raises(AttributeError, match="dual_components_ belongs to the kernel ridge"):
        given.dual_components_  # noqa: B018
    assert own.dual_components_.shape == (3, 60)


def test_folds_of_a_given_kernel():
    X, Y = problem()
    np.testing.assert_allclose(
        cross_val_score(KernelCPLST(kernel="precomputed"), rbf_kernel(X, gamma=0.1), Y, cv=3),
        cross_val_score(KernelCPLST(gamma=0.1), X, Y, cv=3),
    )


def test_constant_labels_and_no_codes():
    X, Y = problem(20)
    none = KernelCPLST(0).fit(X, Y)
    np.testing.assert_array_equal(none.predict(X), np.tile(Y.mean(axis=0) > 0.5, (20, 1)))
    Y = np.zeros_like(Y)
    Y[:, 1] = 1
    np.testing.assert_array_equal(KernelCPLST().fit(X, Y).predict(X), Y)


def test_an_indefinite_kernel_is_refused():
    X, Y = problem()
    with pytest.raises(ValueError, match="is indefinite"):
        KernelCPLST(kernel="precomputed").fit(-rbf_kernel(X), Y)
