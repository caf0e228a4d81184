"""Every extractor against the literal transcription of its paper, on real data."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.base import clone
from sklearn.decomposition import PCA

import labelspan as ls
from tests.comparison import assert_same_subspaces, assert_same_values
from tests.reference import extraction as reference
from tests.registry import METHODS, name

SETS = ["emotions", "scene", "yeast", "enron", "human-go"]
SPARSE_SETS = {"enron", "human-go"}


# The weights of MLDA and DMLDA are transcribed row by row, so the smaller sets are used.
SMALL_SETS = [data for data in SETS if data != "human-go"]
CASES = [
    pytest.param(data, method, id=f"{data}-{method.name}")
    for method in METHODS
    for data in (SMALL_SETS if "lda-" in method.name else SETS)
    if (data, method.name[-5:]) != ("enron", "fuzzy")
]


@pytest.mark.parametrize(("data", "method"), CASES)
def test_equals_transcription(method, data, training):
    X, Y = training(data)
    values, vectors = method.transcription(X, Y)
    forms = [(X, Y)]
    if data in SPARSE_SETS:
        forms += [(sparse.csr_array(X), sparse.csr_array(Y))]
    for X_form, Y_form in forms:
        model = clone(method.estimator).fit(X_form, Y_form)
        assert_same_values(model.eigenvalues_, values)
        assert_same_subspaces(model.components_.T, vectors, values)


@pytest.mark.parametrize("data", SETS)
def test_lpp_equals_transcription(data, training):
    X, Y = training(data)
    values, vectors = reference.lpp(X, n_neighbors=10)
    for X_form in (X, sparse.csr_array(X)):
        model = ls.LPP(5).fit(X_form, Y)
        np.testing.assert_allclose(model.eigenvalues_, values[:5], rtol=1e-7)
        assert_same_subspaces(model.components_.T, vectors, values, gap=1e-6)


@pytest.mark.parametrize(
    ("method", "directions"),
    [
        (ls.MDDM(), 5),
        (ls.MDDM(constraint="feature", mu=0.5), 6),
        (ls.LabelCCA(ridge=0.1, label_ridge=0.1), 6),
        (ls.MLDA(), 5),
        (ls.MVMD(), 47),
        (ls.MLSI(), 276),
        (ls.DMLDA(), 294),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else str(value),
)
def test_directions_on_scene_are_those_of_the_paper(method, directions, training):
    # Xu 2016, Sec. 7.3, t = 0.999.
    assert method.fit(*training("scene")).n_components_ == directions


def test_pca_on_scene_keeps_the_papers_directions(training):
    X, _ = training("scene")
    spectrum = PCA().fit(X).explained_variance_
    assert reference.kept(spectrum) == 271


def test_empty_label_rows_of_delicious(dataset):
    # Rows without any label: MATLAB's MLDA divides 0 by 0 here.
    data = dataset("delicious")
    empty = np.flatnonzero(data.Y.sum(axis=1) == 0)
    assert len(empty) > 0
    rows = np.concatenate([empty[:20], np.arange(600)])
    X, Y = data.X[rows].toarray(), data.Y[rows].toarray()[:, :60]
    assert (Y.sum(axis=0) == 0).any()
    for method in METHODS:
        values, vectors = method.transcription(X, Y)
        model = clone(method.estimator).fit(data.X[rows], sparse.csr_array(Y))
        assert_same_values(model.eigenvalues_, values)
        assert_same_subspaces(model.components_.T, vectors, values)


@pytest.mark.parametrize("constraint", ["projection", "feature"])
@pytest.mark.parametrize("n_components", [1, 3, 0.9, None])
def test_hsic_is_the_dependence_of_the_projected_features(constraint, n_components, training):
    X, Y = (array[:200] for array in training("yeast"))
    model = ls.MDDM(n_components, constraint=constraint).fit(X, Y)
    assert (model.n_components_ < len(model.eigenvalues_)) == (n_components is not None)
    # tr(HKHL), Eq. (3) without its factor, with K the inner products of the projections.
    H, Z = reference.centring(len(X)), model.transform(X)
    dependence = np.trace(H @ Z @ Z.T @ H @ Y @ Y.T)
    # In the paper's length, P'(mu xx + (1 - mu) I)P = I.
    longer = len(X) * model.mu_ if constraint == "feature" else 1
    np.testing.assert_allclose(model.hsic_, dependence / longer, rtol=1e-8)


@pytest.mark.parametrize(("label_width", "width"), [(None, 1.0), (2.0, 2.0)])
def test_the_label_correlation_has_width_one_unless_told(label_width, width, rng):
    # Labels that differ in one or two rows; labels of real sets are so far apart that a width of 1
    # gives the identity.
    X, Y = rng.standard_normal((6, 4)), np.tril(np.ones((6, 3), dtype=int))
    near, far = np.exp(-1 / (2 * width**2)), np.exp(-2 / (2 * width**2))
    B = np.array([[1, near, far], [near, 1, near], [far, near, 1]])
    values, vectors = reference.mddm(X, Y, B=B)
    model = ls.MDDM(None, label_correlation="rbf", label_width=label_width).fit(X, Y)
    assert_same_values(model.eigenvalues_, values)
    assert_same_subspaces(model.components_.T, vectors, values)


@pytest.mark.reproduce
@pytest.mark.parametrize("method", [m for m in METHODS if "lda-" not in m.name], ids=name)
def test_equals_transcription_on_the_whole_of_human_go(method, dataset):
    data = dataset("human-go")
    X, Y = data.X[data.train], data.Y[data.train]
    # The transcription in an orthonormal basis of the row space: every equation is the same
    # there, and its matrices are 2053 x 2053 instead of 9844 x 9844.
    basis, _ = linalg.qr(X.toarray().T, mode="economic")
    values, vectors = method.transcription(X @ basis, Y.toarray())
    model = clone(method.estimator).fit(X, Y)
    assert_same_values(model.eigenvalues_, values)
    assert_same_subspaces(model.components_.T, basis @ vectors, values)
