"""KernelSharedSubspaceClassifier against its transcription, the linear class and special cases."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

from labelspan.kernels import KernelSharedSubspaceClassifier
from labelspan.subspace import SharedSubspaceClassifier
from tests.kernels.problems import KERNELS, inputs, matrix, midpoints, problem, up_to_sign
from tests.reference import kernels as reference


def check_against_transcription(kernel, X, Y, X_new, alpha, beta, r):
    K, K_new = matrix(kernel, X, X), matrix(kernel, X_new, X)
    A, B = reference.shared_subspace(K, Y, alpha, beta, r)
    model = KernelSharedSubspaceClassifier(r, alpha=alpha, beta=beta, **KERNELS[kernel])
    model.fit(inputs(kernel, X, X), Y)
    expected = reference.shared_objective(K, Y, A, B, alpha, beta)
    assert model.objective_ == pytest.approx(expected, rel=1e-8)
    reached = reference.shared_objective(
        K, Y, model.dual_coef_.T, model.dual_components_.T, alpha, beta
    )
    assert reached == pytest.approx(expected, rel=1e-8)
    Q, mean = reference.centred(K), (2.0 * Y - 1).mean(axis=0)
    ours = model.dual_components_.T
    np.testing.assert_allclose(ours.T @ Q @ ours, np.eye(r), atol=1e-9)
    for rows, centred in ((X, Q), (X_new, reference.centred_rows(K_new, K))):
        scores = model.decision_function(inputs(kernel, rows, X))
        np.testing.assert_allclose(scores, centred @ A + mean, atol=1e-8)
        # The subspace as a whole: inner products of projections.
        projected, theirs = model.transform(inputs(kernel, rows, X)), centred @ B
        scale = np.abs(theirs).max() ** 2
        np.testing.assert_allclose(
            projected @ projected.T / scale, theirs @ theirs.T / scale, atol=1e-8
        )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 0.01), (1.0, 1e-3), (1e-3, 1.0), (0.0, 0.1)])
def test_equals_transcription_on_emotions(kernel, alpha, beta, dataset):
    data = dataset("emotions")
    X = StandardScaler().fit_transform(data.X) / 4
    train, new = data.train, data.test[:100]
    check_against_transcription(kernel, X[train], data.Y[train], X[new], alpha, beta, 3)


@pytest.mark.parametrize("kernel", KERNELS)
def test_equals_transcription_on_yeast(kernel, dataset):
    data = dataset("yeast")
    X, Y = data.X[:500], data.Y[:500]
    check_against_transcription(kernel, X, Y, data.X[2000:2100], 0.1, 0.01, 5)


@pytest.mark.reproduce
@pytest.mark.parametrize("kernel", KERNELS)
def test_equals_transcription_on_the_whole_of_yeast(kernel, dataset):
    data = dataset("yeast")
    check_against_transcription(kernel, data.X, data.Y, midpoints(data.X), 0.1, 0.01, 10)


@pytest.mark.filterwarnings("ignore:Without a ridge the features")
@pytest.mark.parametrize("alpha", [0.0, 0.1, 1e6])
@pytest.mark.parametrize("beta", [0.0, 0.01, 1e6])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("shape", [(60, 8), (20, 30)])
def test_a_linear_kernel_is_the_linear_class(alpha, beta, form, shape):
    X, Y = problem(*shape)
    new = problem(*shape, seed=1)[0]
    linear = SharedSubspaceClassifier(3, alpha=alpha, beta=beta).fit(X, Y)
    model = KernelSharedSubspaceClassifier(3, alpha=alpha, beta=beta, kernel="linear")
    model.fit(form(X), Y)
    assert model.objective_ == pytest.approx(linear.objective_, abs=1e-9)
    for rows in (X, new):
        expected = linear.decision_function(rows)
        np.testing.assert_allclose(model.decision_function(form(rows)), expected, atol=1e-7)
        ours, theirs = model.transform(form(rows)), linear.transform(rows)
        np.testing.assert_allclose(up_to_sign(ours, theirs), theirs, atol=1e-6)


def test_without_alpha_it_is_kernel_ridge_regression():
    X, Y = problem()
    new = problem(seed=1)[0]
    S = 2.0 * Y - 1
    model = KernelSharedSubspaceClassifier(2, alpha=0.0, beta=0.02, gamma=0.2).fit(X, Y)
    K = rbf_kernel(X, gamma=0.2)
    ridge = KernelRidge(alpha=0.02 * 60, kernel="precomputed")
    ridge.fit(reference.centred(K), S - S.mean(axis=0))
    rows = reference.centred_rows(rbf_kernel(new, X, gamma=0.2), K)
    expected = ridge.predict(rows) + S.mean(axis=0)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-10)


def test_no_other_subspace_is_better():
    X, Y = problem()
    K = rbf_kernel(X, gamma=0.2)
    alpha, beta = 0.5, 0.01
    model = KernelSharedSubspaceClassifier(3, alpha=alpha, beta=beta, gamma=0.2).fit(X, Y)
    Q = reference.centred(K)
    T = 2.0 * Y - 1 - (2.0 * Y - 1).mean(axis=0)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1, 10.0):
        C = model.dual_components_.T + size * rng.standard_normal((60, 3))
        B = reference.orthonormalised(C, Q)
        # Eq. (39) for this B, on the range of Q.
        inner = Q @ Q / 60 + (alpha + beta) * Q - alpha * Q @ B @ B.T @ Q
        A = np.linalg.pinv(inner, rcond=1e-12, hermitian=True) @ Q @ T / 60
        assert model.objective_ <= reference.shared_objective(K, Y, A, B, alpha, beta) + 1e-10


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans", "leverage"])
def test_every_row_a_landmark_is_the_exact_method(landmarks):
    X, Y = problem()
    new = problem(seed=1)[0]
    exact = KernelSharedSubspaceClassifier(3, gamma=0.2).fit(X, Y)
    model = KernelSharedSubspaceClassifier(
        3, gamma=0.2, n_landmarks=60, landmarks=landmarks, random_state=0
    ).fit(X, Y)
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-10)
    np.testing.assert_allclose(
        model.decision_function(new), exact.decision_function(new), atol=1e-8
    )
    ours, theirs = model.transform(new), exact.transform(new)
    np.testing.assert_allclose(up_to_sign(ours, theirs), theirs, atol=1e-7)
    assert model.nystroem_error_ < 1e-9


def test_folds_of_a_given_kernel():
    X, Y = problem()
    given = KernelSharedSubspaceClassifier(2, kernel="precomputed")
    rows = KernelSharedSubspaceClassifier(2, gamma=0.1)
    np.testing.assert_allclose(
        cross_val_score(given, rbf_kernel(X, gamma=0.1), Y, cv=3),
        cross_val_score(rows, X, Y, cv=3),
    )


def test_constant_labels_leave_an_empty_subspace_and_the_means():
    X, Y = problem(20)
    Y = np.zeros_like(Y)
    Y[:, 0] = 1
    model = KernelSharedSubspaceClassifier().fit(X, Y)
    assert model.transform(X).shape == (20, 0)
    np.testing.assert_array_equal(model.predict(X), Y)


def test_tiny_problems():
    X, _ = problem(2)
    model = KernelSharedSubspaceClassifier(alpha=0.1, beta=1e-6).fit(X, [[1], [0]])
    np.testing.assert_array_equal(model.predict(X), [[1], [0]])


def test_too_many_components_are_capped():
    X, Y = problem()
    with pytest.warns(UserWarning, match="n_components=9 is more than the 4 directions"):
        model = KernelSharedSubspaceClassifier(9, gamma=0.1).fit(X, Y)
    assert model.n_components_ == 4


def test_an_indefinite_kernel_is_refused():
    X, Y = problem()
    with pytest.raises(ValueError, match="is indefinite"):
        KernelSharedSubspaceClassifier(kernel="precomputed").fit(-rbf_kernel(X), Y)
