"""Soft labels against the transcriptions, which do not assume 0 and 1."""

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import labelspan as ls
from tests.comparison import assert_same_subspaces, assert_same_values
from tests.laws.test_soft_labels import soft_sample
from tests.reference import kernels, labelspace, subspace
from tests.registry import METHODS, RIDGE_FREE, name

X, Y, X_NEW = soft_sample()
TAKERS = [m for m in [*METHODS, *RIDGE_FREE] if not isinstance(m.estimator, ls.MLDA | ls.DMLDA)]


@pytest.mark.parametrize("method", TAKERS, ids=name)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_extractors_equal_their_transcriptions(method, form):
    values, vectors = method.transcription(X, Y)
    model = clone(method.estimator).fit(form(X), form(Y))
    assert_same_values(model.eigenvalues_, values)
    assert_same_subspaces(model.components_.T, vectors, values)


@pytest.mark.parametrize("ridge", [0.0, 1.0])
@pytest.mark.parametrize("method", ["PLST", "CPLST", "OCCA"])
def test_label_spaces_equal_their_transcriptions(method, ridge):
    _, V = getattr(labelspace, method.lower())(X, Y, ridge)
    model = getattr(ls, method)(2, ridge=ridge).fit(X, Y)
    expected = labelspace.scores(X, Y, V[:2], X_NEW, ridge)
    assert_allclose(model.decision_function(X_NEW) + 0.5, expected, atol=1e-8)
    codes = (Y - Y.mean(axis=0)) @ V[:2].T
    assert_allclose(np.abs(model.encode(Y)), np.abs(codes), atol=1e-8)
    left = (Y - Y.mean(axis=0)) - codes @ V[:2]
    assert model.errors(X, Y).encoding == pytest.approx(np.sum(left**2))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, da.from_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_shared_subspace_equals_its_transcription(fit_intercept, form):
    """The objective, too: squares of soft labels are not 1."""
    model = ls.SharedSubspaceClassifier(2, alpha=0.1, beta=0.01, fit_intercept=fit_intercept)
    model.fit(form(X), form(Y))
    A, T = (subspace.centred(B) if fit_intercept else B for B in (X, 2 * Y - 1))
    Theta, U, V = subspace.shared_subspace(A, T, 0.1, 0.01, 2)
    expected = subspace.objective(A, T, U, V, Theta, 0.1, 0.01)
    assert model.objective_ == pytest.approx(expected, abs=1e-9)
    assert_allclose(model.coef_.T, U, atol=1e-8)


@pytest.mark.parametrize("n_landmarks", [None, 48])
def test_the_kernel_subspace_equals_its_transcription(n_landmarks):
    K = rbf_kernel(X, gamma=0.1)
    A, B = kernels.shared_subspace(K, Y, 0.1, 0.01, 2)
    penalties = {"alpha": 0.1, "beta": 0.01}
    model = ls.KernelSharedSubspaceClassifier(2, **penalties, gamma=0.1, n_landmarks=n_landmarks)
    model.fit(X, Y)
    expected = kernels.shared_objective(K, Y, A, B, 0.1, 0.01)
    assert model.objective_ == pytest.approx(expected, rel=1e-8)
    scores = kernels.centred(K) @ A + (2 * Y - 1).mean(axis=0)
    assert_allclose(model.decision_function(X), scores, atol=1e-7)


def test_kernel_methods_equal_their_transcriptions():
    K = rbf_kernel(X, gamma=0.1)
    for model, (values, vectors) in (
        (ls.KernelMDDM(2, gamma=0.1), kernels.mddm(K, Y)),
        (ls.KernelLabelCCA(2, gamma=0.1), kernels.label_cca(K, Y)),
    ):
        projected = kernels.centred(K) @ vectors[:, :2]
        assert_same_subspaces(model.fit(X, Y).transform(X), projected, values)
    V, A = kernels.cplst(K, Y, 1.0, 2)
    model = ls.KernelCPLST(2, ridge=1.0, gamma=0.1).fit(X, Y)
    scores = kernels.centred(K) @ A @ V + Y.mean(axis=0) - 0.5
    assert_allclose(model.decision_function(X), scores, atol=1e-8)


def test_ridge_sees_a_soft_label_as_two_weighted_rows():
    """A row of share y is a row with the label of weight y and one without of weight 1 - y."""
    ours = ls.MultiOutputRidge(0.1).fit(X, Y[:, :1])
    weights = np.concatenate([Y[:, 0], 1 - Y[:, 0]])
    both = np.repeat([[1], [0]], len(X), axis=0)
    theirs = ls.MultiOutputRidge(0.1).fit(np.vstack([X, X]), both, sample_weight=weights)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-10)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-10)


def test_blocks_do_not_mix_signs_and_shares():
    signed = np.where(Y > 0.5, 1.0, -1.0)
    mixed = da.concatenate([da.from_array(A, chunks=(24, 4)) for A in (signed[:24], Y[24:])])
    with pytest.raises(ValueError, match=r"both -1 and numbers between 0 and 1|both -1 and 0"):
        ls.OPLS(2).fit(da.from_array(X, chunks=(24, 6)), mixed)


def test_repeated_entries_of_sparse_labels_add_up():
    half = sparse.csr_array(Y / 2)
    starts, columns = 2 * half.indptr, np.repeat(half.indices, 2)
    twice = sparse.csr_array((np.repeat(half.data, 2), columns, starts), shape=Y.shape)
    expected = ls.OPLS(2).fit(X, Y).components_
    assert_allclose(ls.OPLS(2).fit(X, twice).components_, expected, atol=1e-12)
    assert twice.nnz == 2 * half.nnz
    twice.data[:2] = 0.9
    with pytest.raises(
        ValueError, match=r"value 1\.8; allowed are 0 and 1, and soft labels between"
    ):
        ls.OPLS(2).fit(X, twice)


def test_soft_labels_that_do_not_vary_leave_no_direction():
    for q in (2, 60):
        half = np.full((len(X), q), 0.3)
        assert ls.PLST(ridge=0.0).fit(X, half).n_components_ == 0
        assert ls.PLST(ridge=0.0).fit(X, sparse.csr_array(half)).n_components_ == 0
