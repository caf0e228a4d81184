"""MDDM with more directions than labels, and with label kernels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

import labelspan as ls
from tests.comparison import assert_same_subspaces, assert_same_values, sine
from tests.laws.law import sample
from tests.reference import extraction as reference

CONSTRAINTS = [
    {},
    {"constraint": "feature", "mu": 0.5},
    {"constraint": "feature"},
    {"constraint": "feature", "mu": 1.0},
]
quiet = pytest.mark.filterwarnings("ignore:Without a ridge", "ignore:n_components=")


def metric(model, X):
    """B of the model, in which its directions are orthonormal."""
    if model.constraint == "projection":
        return np.eye(X.shape[1])
    xx = np.cov(X.T, bias=True) * len(X)
    return (xx + (1 - model.mu_) / model.mu_ * np.eye(len(xx))) / len(X)


@quiet
@pytest.mark.parametrize("how", ["variance", "random"])
@pytest.mark.parametrize("settings", CONSTRAINTS)
@pytest.mark.parametrize("data", ["yeast", "scene", "wide"])
def test_the_first_directions_stay_and_all_are_orthonormal(data, settings, how, training):
    X, Y = training("scene" if data == "wide" else data)
    X, Y = (X[:150], Y[:150]) if data == "wide" else (X[:400, :103], Y[:400])
    plain = ls.MDDM(40, **settings).fit(X, Y)
    model = ls.MDDM(40, complete=how, random_state=0, **settings).fit(X, Y)
    r = plain.n_components_
    assert (r, model.n_components_) == (np.linalg.matrix_rank(Y - Y.mean(axis=0)), 40)
    if plain.solver_ in (model.solver_, "thin") and data != "wide":
        assert_array_equal(model.components_[:r], plain.components_)
    else:
        assert_allclose(model.components_[:r], plain.components_, atol=1e-9)
    assert_allclose(model.eigenvalues_, plain.eigenvalues_, rtol=1e-12)
    P = model.components_
    assert_allclose(P @ metric(model, X) @ P.T, np.eye(40), atol=1e-10)
    assert_array_equal(model.explained_dependence_ratio_[r:], 0)
    # Nothing of the dependence is left for them.
    left = P[r:] @ (X - X.mean(axis=0)).T @ Y
    assert np.abs(left).max() < 1e-8 * np.abs(P[:r] @ X.T @ Y).max()


@quiet
@pytest.mark.parametrize("settings", CONSTRAINTS[:3])
@pytest.mark.parametrize("data", ["emotions", "yeast"])
def test_variance_equals_the_transcription(data, settings, training):
    X, Y = training(data)
    X, Y = X[:500], Y[:500, :10]
    model = ls.MDDM(10**6, complete="variance", **settings).fit(X, Y)
    r = len(model.eigenvalues_)
    B = metric(model, X)
    values, vectors = reference.completed(X, model.components_[:r].T, B)
    # In the paper's length v'(mu xx + (1 - mu) I)v = 1.
    shorter = len(X) * model.mu_ if model.mu_ else 1.0
    assert_same_values(model.completion_eigenvalues_, values / shorter)
    assert_same_subspaces(model.components_[r:].T, vectors, values)
    assert model.n_components_ == np.linalg.matrix_rank(X - X.mean(axis=0))


def test_without_a_ridge_the_limit_of_a_small_one_is_taken():
    X, Y, _ = sample()
    free = ls.MDDM(6, constraint="feature", mu=1.0, complete="variance").fit(X, Y)
    near = clone(free).set_params(mu=1 - 1e-6).fit(X, Y)
    assert_allclose(free.components_, near.components_, atol=1e-5)


@pytest.mark.parametrize("settings", CONSTRAINTS[:3])
def test_random_directions_are_the_orthonormalised_draws(settings, training):
    X, Y = (A[:500] for A in training("emotions"))
    model = ls.MDDM(20, complete="random", random_state=3, **settings).fit(X, Y)
    r, B = len(model.eigenvalues_), metric(model, X)
    P = list(model.components_[:r])
    for v in np.random.RandomState(3).standard_normal((X.shape[1], 20 - r)).T:
        v = v - sum((p @ B @ v) * p for p in P)
        P.append(v / np.sqrt(v @ B @ v))
    signs = np.sign(np.sum(np.array(P) * model.components_, axis=1))
    assert_allclose(model.components_, np.array(P) * signs[:, None], atol=1e-9)


def test_the_rank_of_the_features_is_the_limit_and_is_told():
    X, Y, _ = sample()
    with pytest.warns(UserWarning, match="n_components=9 is more than the rank of X, 6; 6 "):
        model = ls.MDDM(9, complete="variance").fit(X, Y)
    assert model.n_components_ == 6
    # Fewer than there are: nothing to add.
    assert ls.MDDM(2, complete="variance").fit(X, Y).completion_eigenvalues_.size == 0
    assert ls.MDDM(None, complete="variance").fit(X, Y).n_components_ == 4


def test_chunks_give_the_same_directions():
    X, Y, _ = sample()
    for how in ("variance", "random"):
        model = ls.MDDM(6, complete=how, random_state=0)
        whole, parts = clone(model).fit(X, Y), clone(model)
        for rows in np.array_split(np.arange(len(X)), 3):
            parts.partial_fit(X[rows], Y[rows])
        assert_allclose(parts.components_, whole.components_, atol=1e-10)
        in_csr = clone(model).fit(sparse.csr_array(X), Y)
        assert_allclose(in_csr.components_, whole.components_, atol=1e-10)


KERNELS = {
    "linear": lambda Y: Y @ Y.T,
    "polynomial": polynomial_kernel,
    "rbf": lambda Y: rbf_kernel(Y, gamma=1 / (2 * 1.3**2)),
}


@quiet
@pytest.mark.parametrize("settings", CONSTRAINTS[:3])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_label_kernel_by_name_as_function_and_as_matrix(kernel, settings, training):
    X, Y = training("emotions")
    L = KERNELS[kernel](Y)
    values, vectors = reference.mddm(X, Y, L=L, **settings)
    for given in (kernel, KERNELS[kernel], L):
        model = ls.MDDM(None, label_kernel=given, label_width=1.3, **settings).fit(X, Y)
        assert_same_values(model.eigenvalues_, values)
        assert_same_subspaces(model.components_.T, vectors, values)
    kernelised = ls.KernelMDDM(
        None, kernel="linear", label_kernel=kernel, label_width=1.3, **{"mu": model.mu_} | settings
    )
    if settings:
        kernelised.set_params(mu=model.mu_)
    assert_same_values(kernelised.fit(X, Y).eigenvalues_, values)


def test_the_median_width_is_that_of_rows_or_of_labels_that_differ(training):
    X, Y = (A[:100] for A in training("emotions"))

    def median(A):
        d = [np.linalg.norm(a - b) for i, a in enumerate(A) for b in A[:i] if (a != b).any()]
        return np.median(d)

    of_rows = ls.MDDM(3, label_kernel="rbf").fit(X, Y)
    told = ls.MDDM(3, label_kernel="rbf", label_width=median(Y)).fit(X, Y)
    assert_array_equal(of_rows.components_, told.components_)
    of_labels = ls.MDDM(3, label_correlation="rbf", label_width="median").fit(X, Y)
    told = ls.MDDM(3, label_correlation="rbf", label_width=median(Y.T)).fit(X, Y)
    assert_allclose(of_labels.components_, told.components_, atol=1e-12)


def test_a_label_correlation_that_is_the_identity_is_told(training):
    X, Y = training("scene")
    with pytest.warns(UserWarning, match="label_width=1 leaves .* without effect: .*='median'"):
        model = ls.MDDM(4, label_correlation="rbf").fit(X, Y)
    assert sine(model.components_.T, ls.MDDM(4).fit(X, Y).components_.T) < 1e-9


def test_rows_of_no_weight_are_left_out_of_a_given_kernel():
    X, Y, _ = sample()
    w = (np.arange(len(X)) % 3 > 0) * 2.0
    L = rbf_kernel(Y)
    model = ls.MDDM(3, label_kernel=L).fit(X, Y, sample_weight=w)
    kept = w > 0
    fewer = ls.MDDM(3, label_kernel=L[np.ix_(kept, kept)]).fit(X[kept], Y[kept])
    assert_allclose(model.components_, fewer.components_, atol=1e-10)


def test_what_label_kernels_cannot_do_is_refused():
    X, Y, _ = sample()
    with pytest.raises(ValueError, match=r"shape \(3, 3\); expected \(48, 48\)"):
        ls.MDDM(label_kernel=np.eye(3)).fit(X, Y)
    with pytest.raises(ValueError, match="label_correlation and label_kernel are both set"):
        ls.MDDM(label_kernel="rbf", label_correlation="rbf").fit(X, Y)
    with pytest.raises(AttributeError, match="partial_fit"):
        ls.MDDM(label_kernel="rbf").partial_fit(X, Y)
    holes = np.where(np.arange(48)[:, None] % 5 == 0, np.nan, Y)
    with pytest.raises(ValueError, match="not observed"):
        ls.MDDM(label_kernel="rbf").fit(X, holes)
