"""KernelMDDM, KernelHSL, KernelLabelCCA: transcriptions, linear classes, landmarks, refusals."""

from functools import partial

import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import labelspan as ls
from labelspan.classifiers import MultiOutputRidge
from labelspan.kernels import (
    KernelHSL,
    KernelLabelCCA,
    KernelMDDM,
    KernelPLS,
    KernelSharedSubspaceClassifier,
)
from labelspan.kernels import _map as kernel_map_module
from tests.comparison import assert_same_subspaces, assert_same_values
from tests.kernels.problems import KERNELS, inputs, matrix, midpoints, problem, up_to_sign
from tests.reference import kernels as reference
from tests.reference.extraction import label_rbf

METHODS = {
    "mddm-p": (KernelMDDM(None), reference.mddm, ls.MDDM(None)),
    "mddm-f": (
        KernelMDDM(None, constraint="feature", mu=0.3),
        lambda K, Y: reference.mddm(K, Y, "feature", 0.3),
        ls.MDDM(None, constraint="feature", mu=0.3),
    ),
    "mddm-f-auto": (
        KernelMDDM(None, constraint="feature"),
        lambda K, Y: reference.mddm(K, Y, "feature", "auto"),
        ls.MDDM(None, constraint="feature"),
    ),
    "mddm-p-rbf": (
        KernelMDDM(None, label_correlation="rbf", label_width=10.0),
        lambda K, Y: reference.mddm(K, Y, B=label_rbf(Y, 10.0)),
        ls.MDDM(None, label_correlation="rbf", label_width=10.0),
    ),
    **{
        f"hsl-{expansion}": (
            KernelHSL(None, expansion=expansion),
            partial(reference.hsl, expansion=expansion),
            ls.HSL(None, expansion=expansion),
        )
        for expansion in ("clique", "star", "zhou")
    },
    "label-cca": (
        KernelLabelCCA(None),
        reference.label_cca,
        ls.LabelCCA(None),
    ),
    "label-cca-5": (
        KernelLabelCCA(None, ridge=5.0, label_ridge=0.0),
        lambda K, Y: reference.label_cca(K, Y, 5.0, 1e-9),
        ls.LabelCCA(None, ridge=5.0, label_ridge=0.0),
    ),
}
LANDMARKS = ["uniform", "kmeans", "leverage"]


def longer(model, n):
    """Directions of n rows relative to P'BP = I: projections have a variance of about 1."""
    if not isinstance(model, KernelMDDM):
        return np.sqrt(n)
    return 1.0 if model.constraint == "projection" else np.sqrt(n * model.mu_)


def check_against_transcription(method, kernel, X, Y, X_new):
    estimator, transcription, _ = METHODS[method]
    K, K_new = matrix(kernel, X, X), matrix(kernel, X_new, X)
    values, vectors = transcription(K, Y)
    model = clone(estimator).set_params(**KERNELS[kernel]).fit(inputs(kernel, X, X), Y)
    # A dense problem of 2417 rows leaves 1e-8 of rounding where the rank of the labels has ended.
    rounded = np.where(np.abs(values) > 1e-8 * values[0], values, 0.0)
    assert_same_values(model.eigenvalues_, rounded)
    # Projections, not coefficients: those are unique only on the range of the kernel.
    for rows, centred in (
        (X, reference.centred(K)),
        (X_new, reference.centred_rows(K_new, K)),
    ):
        ours = model.transform(inputs(kernel, rows, X))
        theirs = longer(model, len(X)) * (centred @ vectors[:, : ours.shape[1]])
        assert_same_subspaces(ours, theirs, values)
        apart = -np.diff(values[: ours.shape[1] + 1]) > 1e-3 * values[0]
        simple = apart & np.concatenate([[True], apart[:-1]])
        assert simple.any()
        scale = np.abs(theirs[:, simple]).max()
        np.testing.assert_allclose(
            up_to_sign(ours, theirs)[:, simple] / scale, theirs[:, simple] / scale, atol=1e-8
        )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_equals_transcription_on_emotions(method, kernel, dataset):
    data = dataset("emotions")
    X = StandardScaler().fit_transform(data.X) / 4
    check_against_transcription(
        method, kernel, X[data.train], data.Y[data.train], X[data.test][:100]
    )


@pytest.mark.parametrize("method", ["mddm-p", "mddm-f", "label-cca"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_equals_transcription_on_yeast(method, kernel, dataset):
    data = dataset("yeast")
    X, Y = data.X[:500], data.Y[:500]
    check_against_transcription(method, kernel, X, Y, data.X[2000:2100])


@pytest.mark.reproduce
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_equals_transcription_on_the_whole_of_yeast(method, kernel, dataset):
    data = dataset("yeast")
    check_against_transcription(method, kernel, data.X, data.Y, midpoints(data.X))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_linear_kernel_is_the_linear_class(method, form):
    kernel, _, linear = METHODS[method]
    X, Y = problem()
    new = problem(seed=1)[0]
    model = clone(kernel).set_params(kernel="linear").fit(form(X), Y)
    linear = clone(linear).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, linear.eigenvalues_, rtol=1e-10)
    for rows in (X, new):
        ours, theirs = model.transform(form(rows)), linear.transform(rows)
        np.testing.assert_allclose(up_to_sign(ours, theirs), theirs, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_constraint_and_the_eigenvalue_equation_hold(method):
    X, Y = problem()
    model = clone(METHODS[method][0]).set_params(gamma=0.2).fit(X, Y)
    Q, C = reference.centred(rbf_kernel(X, gamma=0.2)), model.dual_components_.T
    np.testing.assert_allclose(Q @ C, model.transform(X), atol=1e-10)
    if hasattr(model, "mu_"):
        B = model.mu_ * Q @ Q + (1 - model.mu_) * Q
    else:
        B = Q @ Q + model.ridge_ * Q
    B = B / longer(model, len(X)) ** 2
    np.testing.assert_allclose(C.T @ B @ C, np.eye(C.shape[1]), atol=1e-9)


@pytest.mark.parametrize(
    ("constraint", "mu"), [("projection", "auto"), ("feature", 0.5), ("feature", "auto")]
)
def test_label_kernels_as_matrix_factor_and_function(constraint, mu):
    X, Y = problem()
    L = rbf_kernel(Y, gamma=0.5)
    values, vectors = reference.mddm(rbf_kernel(X, gamma=0.2), Y, constraint, mu, L=L)
    model = KernelMDDM(None, constraint=constraint, mu=mu, gamma=0.2, label_kernel=L).fit(X, Y)
    assert_same_values(model.eigenvalues_, values)
    theirs = reference.centred(rbf_kernel(X, gamma=0.2)) @ vectors
    assert_same_subspaces(model.transform(X), theirs, values, gap=1e-3)
    by_function = clone(model).set_params(label_kernel=lambda Y: rbf_kernel(Y, gamma=0.5))
    np.testing.assert_allclose(by_function.fit(X, Y).eigenvalues_, model.eigenvalues_, rtol=1e-9)
    factor = Y @ np.diag([1.0, 2.0, 3.0, 4.0, 5.0])
    given = clone(model).set_params(label_kernel=factor).fit(X, Y)
    correlated = clone(model).set_params(
        label_kernel=None, label_correlation=np.diag([1.0, 4.0, 9.0, 16.0, 25.0])
    )
    np.testing.assert_allclose(given.transform(X), correlated.fit(X, Y).transform(X), atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("landmarks", LANDMARKS)
def test_every_row_a_landmark_is_the_exact_method(method, landmarks):
    X, Y = problem()
    exact = clone(METHODS[method][0]).set_params(gamma=0.2).fit(X, Y)
    all_rows = clone(exact).set_params(n_landmarks=60, landmarks=landmarks, random_state=0)
    all_rows.fit(X, Y)
    np.testing.assert_allclose(all_rows.eigenvalues_, exact.eigenvalues_, rtol=1e-8)
    new = problem(seed=1)[0]
    for rows in (X, new):
        theirs = exact.transform(rows)
        np.testing.assert_allclose(up_to_sign(all_rows.transform(rows), theirs), theirs, atol=1e-7)
    assert all_rows.nystroem_error_ < 1e-9


@pytest.mark.parametrize("landmarks", LANDMARKS)
def test_landmarks_approximate_and_say_how_well(landmarks):
    X, Y = problem(400)
    exact = KernelMDDM(None, gamma=0.05).fit(X, Y)
    errors = []
    for m in (20, 80):
        model = KernelMDDM(
            None, gamma=0.05, n_landmarks=m, landmarks=landmarks, random_state=0
        ).fit(X, Y)
        assert len(np.unique(model.landmark_indices_)) == m
        assert model.dual_components_.shape[1] == m
        # A Nystroem kernel is below the exact one, and so is its dependence.
        assert model.hsic_ <= exact.hsic_ * (1 + 1e-9)
        errors.append(model.nystroem_error_)
        K = rbf_kernel(X, gamma=0.05)
        C = K[:, model.landmark_indices_]
        W = K[np.ix_(model.landmark_indices_, model.landmark_indices_)]
        gap = reference.centred(K - C @ np.linalg.pinv(W, hermitian=True) @ C.T)
        true = np.linalg.norm(gap) / np.linalg.norm(reference.centred(K))
        assert model.nystroem_error_ == pytest.approx(true, rel=1e-5)
    assert errors[1] < errors[0] < 1
    assert model.hsic_ > 0.95 * exact.hsic_


def test_leverage_finds_the_rows_that_uniform_choice_misses():
    rng = np.random.default_rng(0)
    # A cluster and twelve outliers; uniform landmarks miss most outliers.
    X = np.vstack([0.1 * rng.standard_normal((600, 3)), 10 * rng.standard_normal((12, 3))])
    Y = np.zeros((612, 2), dtype=int)
    Y[600:, 0] = 1
    Y[:300, 1] = 1
    found = {}
    for landmarks in ("uniform", "leverage"):
        model = KernelMDDM(gamma=0.5, n_landmarks=60, landmarks=landmarks, random_state=0)
        found[landmarks] = np.sum(model.fit(X, Y).landmark_indices_ >= 600)
    assert found["uniform"] <= 4
    assert found["leverage"] >= 11


def test_landmarks_of_a_precomputed_kernel():
    X, Y = problem(100)
    K = rbf_kernel(X, gamma=0.1)
    for landmarks in ("uniform", "leverage"):
        model = KernelMDDM(3, gamma=0.1, n_landmarks=30, landmarks=landmarks, random_state=0)
        given = clone(model).set_params(kernel="precomputed").fit(K, Y)
        model.fit(X, Y)
        np.testing.assert_array_equal(given.landmark_indices_, model.landmark_indices_)
        np.testing.assert_allclose(given.transform(K), model.transform(X), atol=1e-8)
    with pytest.raises(ValueError, match=r"landmarks='kmeans' needs the rows themselves"):
        given.set_params(landmarks="kmeans").fit(K, Y)


def test_more_landmarks_than_rows_are_capped():
    X, Y = problem()
    with pytest.warns(UserWarning, match="n_landmarks=100 is more than the 60 training rows"):
        model = KernelMDDM(3, n_landmarks=100, random_state=0).fit(X, Y)
    assert len(model.landmark_indices_) == 60


def test_blocks_respect_the_memory_budget_and_change_nothing(monkeypatch):
    X, Y = problem(300)
    whole = KernelMDDM(3, gamma=0.1).fit(X, Y)
    heights = []
    true_values = kernel_map_module.KernelMap.values

    def spied(self, A):
        K = true_values(self, A)
        heights.append(K.nbytes)
        return K

    monkeypatch.setattr(kernel_map_module.KernelMap, "values", spied)
    with config_context(working_memory=0.2):
        blocked = KernelMDDM(3, gamma=0.1).fit(X, Y)
        projected = blocked.transform(X)
    assert len(heights) > 10
    assert max(heights) * kernel_map_module.ARRAYS_A_BLOCK <= 0.2 * 2**20
    np.testing.assert_allclose(projected, whole.transform(X), atol=1e-10)


def test_shifted_rows_change_nothing():
    X, Y = problem()
    for kernel in ("linear", "rbf", "laplacian"):
        model = KernelMDDM(3, kernel=kernel, gamma=0.1).fit(X, Y)
        far = KernelMDDM(3, kernel=kernel, gamma=0.1).fit(X + 1e6, Y)
        np.testing.assert_allclose(far.transform(X + 1e6), model.transform(X), atol=1e-7)


@pytest.mark.parametrize("name", ["poly", "cosine", "laplacian", "chi2", "additive_chi2"])
def test_kernels_of_scikit_learn_and_functions(name):
    X, Y = problem()
    X = np.abs(X)
    parameters = {"gamma": 0.01, "coef0": 0.5, "degree": 2}
    model = KernelMDDM(3, kernel=name, **parameters).fit(X, Y)
    K = pairwise_kernels(X, metric=name, filter_params=True, **parameters)
    given = KernelMDDM(3, kernel="precomputed").fit(K, Y)
    np.testing.assert_allclose(model.transform(X), given.transform(K), atol=1e-9)


def cubed(a, b, scale=1.0):
    return (1.0 + scale * a @ b) ** 3


def test_a_function_with_its_parameters():
    X, Y = problem()
    model = KernelMDDM(3, kernel=cubed, kernel_params={"scale": 0.1}).fit(X, Y)
    poly = KernelMDDM(3, kernel="poly", gamma=0.1, degree=3, coef0=1.0).fit(X, Y)
    np.testing.assert_allclose(model.transform(X), poly.transform(X), rtol=1e-6, atol=1e-6)


def test_gamma_defaults_to_one_over_the_features():
    X, Y = problem()
    default, stated = KernelMDDM(3).fit(X, Y), KernelMDDM(3, gamma=1 / 8).fit(X, Y)
    np.testing.assert_array_equal(default.transform(X), stated.transform(X))
    far = KernelMDDM(3, gamma=0.5).fit(X, Y)
    assert np.abs(far.transform(X) - default.transform(X)).max() > 0.01


def test_float32_with_and_without_landmarks():
    X, Y = problem()
    double = KernelMDDM(3, gamma=0.1).fit(X, Y)
    for n_landmarks in (None, 60):
        single = KernelMDDM(3, gamma=0.1, n_landmarks=n_landmarks, random_state=0)
        projected = single.fit(X.astype(np.float32), Y).transform(X.astype(np.float32))
        assert projected.dtype == single.dual_components_.dtype == np.float32
        expected = double.transform(X)
        np.testing.assert_allclose(up_to_sign(projected, expected), expected, atol=1e-4)


def test_the_fitted_model_does_not_follow_the_callers_array():
    X, Y = problem()
    for kernel in ("rbf", "poly"):
        model = KernelMDDM(3, kernel=kernel).fit(X.copy(), Y)
        changing = X.copy()
        other = KernelMDDM(3, kernel=kernel).fit(changing, Y)
        changing[:] = 0.0
        np.testing.assert_array_equal(other.transform(X), model.transform(X))
    K = rbf_kernel(X)
    before = K.copy()
    KernelLabelCCA(kernel="precomputed").fit(K, Y)
    np.testing.assert_array_equal(K, before)


def test_two_rows_and_duplicated_rows():
    X, Y = problem()
    model = KernelLabelCCA(None).fit(X[:2], [[1, 0], [0, 1]])
    assert model.transform(X[:2]).shape == (2, 1)
    assert model.transform(X[:2])[0] == pytest.approx(-model.transform(X[:2])[1])
    twice = KernelMDDM(2, gamma=0.1).fit(np.vstack([X, X]), np.vstack([Y, Y]))
    once = KernelMDDM(2, gamma=0.1).fit(X, Y)
    np.testing.assert_allclose(twice.transform(X), once.transform(X), atol=1e-9)


def test_pipelines_and_searches():
    X, Y = problem(120)
    Y = Y[:, :4]
    pipeline = make_pipeline(StandardScaler(), KernelMDDM(3), MultiOutputRidge(0.1))
    search = GridSearchCV(pipeline, {"kernelmddm__gamma": [1e-4, 0.1]}, cv=3).fit(X, Y)
    assert search.best_params_["kernelmddm__gamma"] in (1e-4, 0.1)
    # The pairwise tag makes cross-validation split both axes of a precomputed kernel.
    precomputed = make_pipeline(KernelMDDM(3, kernel="precomputed"), MultiOutputRidge(0.1))
    given = make_pipeline(KernelMDDM(3, gamma=0.1), MultiOutputRidge(0.1))
    np.testing.assert_allclose(
        cross_val_score(precomputed, rbf_kernel(X, gamma=0.1), Y, cv=3),
        cross_val_score(given, X, Y, cv=3),
    )


def test_without_any_ridge_the_correlations_are_all_one():
    X, Y = problem(30)
    with pytest.warns(UserWarning, match=r"fit any label on the 30 training.*rank is 29"):
        KernelLabelCCA(None, ridge=0.0, label_ridge=0.0, gamma=1.0).fit(X, Y)
    # A linear kernel is rank-deficient, so the pseudo-inverse gives the linear class.
    model = KernelLabelCCA(None, ridge=0.0, label_ridge=0.0, kernel="linear").fit(X, Y)
    linear = ls.LabelCCA(None, ridge=0.0, label_ridge=0.0).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, linear.eigenvalues_, rtol=1e-9)


def indefinite(K):
    values, U = np.linalg.eigh(K)
    values[-3] = -0.2
    return (U * values) @ U.T


REFUSED = [
    ({}, lambda X: indefinite(rbf_kernel(X)), "'precomputed' is indefinite: after centring, the"),
    ({}, lambda X: rbf_kernel(X) + np.eye(60, k=1), r"not symmetric \(largest difference .* 1\)"),
    ({}, lambda X: rbf_kernel(X, X[:50]), r"has shape \(60, 50\); expected a square matrix"),
    ({}, lambda X: np.where(rbf_kernel(X) == 1, np.nan, 0), "Input X contains NaN"),
    ({"kernel": "rbf"}, lambda X: np.where(X > 4, np.inf, X), "Input X contains infinity"),
    ({"kernel": "rbf", "gamma": 0}, None, r"'gamma' parameter of KernelMDDM must be a float in"),
    ({"kernel": "rbf", "gamma": -1.0}, None, r"'gamma' parameter of KernelMDDM must be"),
    ({"kernel": "other"}, None, "'kernel' parameter of KernelMDDM must be a str among"),
    ({"kernel": "sigmoid", "gamma": 0.02, "coef0": 0.5}, None, "'sigmoid' is indefinite"),
    ({"kernel": lambda a, b: -a @ b}, None, "lambda> is indefinite"),
    ({"kernel": "poly", "degree": 400}, None, "'poly' with .* gave values that are not finite"),
    ({"kernel": "rbf", "n_landmarks": 0}, None, "'n_landmarks' parameter of KernelMDDM must"),
    ({"kernel": "rbf", "label_kernel": np.eye(59)}, None, r"label_kernel has shape \(59, 59\)"),
    ({"kernel": "rbf", "label_kernel": -np.eye(60)}, None, "label_kernel is indefinite: its .* -1"),
    (
        {"kernel": "rbf", "label_kernel": np.eye(60, k=1)},
        None,
        "label_kernel is not symmetric",
    ),
    (
        {"kernel": "rbf", "label_kernel": np.ones((60, 2)), "label_correlation": "rbf"},
        None,
        "label_correlation and label_kernel are both set",
    ),
]


@pytest.mark.parametrize(("parameters", "make", "message"), REFUSED)
@pytest.mark.parametrize("constraint", ["projection", "feature"])
@pytest.mark.filterwarnings("ignore:overflow")
def test_refusals(parameters, make, message, constraint):
    X, Y = problem()
    model = KernelMDDM(constraint=constraint, **{"kernel": "precomputed", **parameters})
    with pytest.raises(ValueError, match=message):
        model.fit(X if make is None else make(X), Y)


def test_indefinite_landmarks_are_refused():
    X, Y = problem()
    model = KernelMDDM(kernel="precomputed", n_landmarks=59, random_state=0)
    with pytest.raises(ValueError, match="is indefinite"):
        model.fit(indefinite(rbf_kernel(X)), Y)


def test_wrong_shapes_and_dask_at_transform():
    X, Y = problem()
    model = KernelMDDM(kernel="precomputed").fit(rbf_kernel(X), Y)
    with pytest.raises(ValueError, match="X has 50 features, but KernelMDDM is expecting 60"):
        model.transform(rbf_kernel(X, X[:50]))
    with pytest.raises(ValueError, match="X has 7 features, but KernelMDDM is expecting 8"):
        KernelMDDM().fit(X, Y).transform(X[:, :7])
    with pytest.raises(ValueError, match="NaN"):
        model.transform(np.full((2, 60), np.nan))
    with pytest.raises(TypeError, match="KernelMDDM needs all rows in memory"):
        KernelMDDM().fit(da.from_array(X), Y)


def test_minus_squared_distances_are_a_kernel_once_centred():
    X, Y = problem()
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    model = KernelMDDM(3, kernel="precomputed").fit(-0.5 * distances, Y)
    linear = ls.MDDM(3).fit(X, Y)
    theirs = linear.transform(X)
    np.testing.assert_allclose(
        up_to_sign(model.transform(-0.5 * distances), theirs), theirs, atol=1e-9
    )


def test_sparse_precomputed_kernels_are_dense_ones():
    X, Y = problem()
    K = rbf_kernel(X, gamma=0.2)
    dense = KernelMDDM(3, kernel="precomputed").fit(K, Y)
    given = KernelMDDM(3, kernel="precomputed").fit(sparse.csr_array(K), Y)
    np.testing.assert_array_equal(given.transform(sparse.csr_array(K)), dense.transform(K))


def test_a_ridge_below_the_rounding_of_a_float32_kernel_is_refused():
    X, Y = problem()
    values, U = np.linalg.eigh(reference.centred(rbf_kernel(X, gamma=0.01)))
    # Allowed in a kernel of this precision, but not with a smaller ridge. (The vector of ones
    # has the smallest eigenvalue, and centring would remove it.)
    values[1] = -5e-7 * values.sum()
    K = ((U * values) @ U.T).astype(np.float32)
    KernelLabelCCA(kernel="precomputed", ridge=0.1).fit(K, Y)
    with pytest.raises(ValueError, match=r"with a ridge of 1e-07 is not positive definite"):
        KernelLabelCCA(kernel="precomputed", ridge=1e-7).fit(K, Y)


@pytest.mark.parametrize("scale", [1e-9, 1e-7, 1.0, 1e6])
def test_a_kernel_far_below_its_ridge_loses_no_digits(scale):
    X, Y = problem()
    X = X * scale
    ours = KernelMDDM(3, constraint="feature", mu=0.5, kernel="linear").fit(X, Y).transform(X)
    linear = ls.MDDM(3, constraint="feature", mu=0.5).fit(X, Y).transform(X)
    size = np.abs(linear).max()
    np.testing.assert_allclose(up_to_sign(ours, linear) / size, linear / size, atol=1e-7)


@pytest.mark.parametrize(
    "model",
    [
        KernelPLS(3, gamma=0.3),
        KernelMDDM(3, gamma=0.3),
        KernelHSL(3, gamma=0.3),
        KernelLabelCCA(3, gamma=0.3),
        KernelSharedSubspaceClassifier(2, gamma=0.3),
    ],
)
def test_weights_and_copies_have_the_same_signs(model):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((12, 4))
        Y = (X @ rng.standard_normal((4, 4)) + 0.5 * rng.standard_normal((12, 4)) > 0).astype(int)
        w = rng.integers(1, 6, 12)
        weighted = clone(model).fit(X, Y, sample_weight=w).transform(X)
        copies = clone(model).fit(np.repeat(X, w, axis=0), np.repeat(Y, w, axis=0)).transform(X)
        assert (np.sum(weighted * copies, axis=0) > 0).all()
