"""The weights of MLDA and DMLDA: common properties, arrays of the user, refusals."""

import re
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import labelspan as ls
from labelspan.extraction import _weights
from tests.comparison import assert_same_subspaces, assert_same_values
from tests.laws.test_laws import assert_same_model, problem
from tests.reference import extraction as reference

NAMES = ["binary", "entropy", "correlation", "fuzzy", "dependence"]


def with_empty_rows_and_labels(rng):
    X, Y = problem(rng)
    Y[-7:] = 0
    Y[:, 1] = 0
    return X, Y


@pytest.mark.parametrize("weights", [*NAMES, "array"])
def test_total_scatter_is_within_plus_between(weights, rng):
    X, Y = with_empty_rows_and_labels(rng)
    W = rng.random(Y.shape) if weights == "array" else reference.label_weights(X, Y, weights)
    model = ls.MLDA(None, weights=W if weights == "array" else weights).fit(X, Y)
    w = W.sum(axis=1)
    mean = w @ X / w.sum()
    total = (X - mean).T @ np.diag(w) @ (X - mean)
    # P'(S_w + ridge I)P = I and P'S_b P = diag(eigenvalues); the two metrics sum to S_t + ridge I.
    P = model.components_.T
    found = P.T @ (total + model.ridge * np.eye(len(mean))) @ P
    np.testing.assert_allclose(found, np.diag(1 + model.eigenvalues_), atol=1e-8)
    np.testing.assert_allclose(model.mean_, mean, atol=1e-12)


@pytest.mark.parametrize("weights", NAMES)
@pytest.mark.parametrize("method", [ls.MLDA, ls.DMLDA])
def test_a_name_is_its_array(method, weights, rng):
    X, Y = with_empty_rows_and_labels(rng)
    W = reference.label_weights(X, Y, weights)
    assert W[-7:].max() == 0
    assert W[:, 1].max() == 0
    for X_form in (X, sparse.csr_array(X), X[:9], sparse.csr_array(X[:9])):
        if X_form.shape[0] == 9:
            W = reference.label_weights(X[:9], Y[:9], weights)
        named = method(None, weights=weights).fit(X_form, Y[: X_form.shape[0]])
        given = method(None, weights=W).fit(X_form, Y[: X_form.shape[0]])
        assert_same_model(given, named)


def test_soft_labels_equal_the_transcription(rng):
    X, Y = problem(rng)
    W = np.where(Y, rng.uniform(0.5, 1, Y.shape), rng.uniform(0, 0.1, Y.shape))
    for method, transcription in ((ls.MLDA, reference.mlda), (ls.DMLDA, reference.dmlda)):
        values, vectors = transcription(X, Y, W)
        model = method(None, weights=W.tolist()).fit(X, Y)
        assert_same_values(model.eigenvalues_, values)
        assert_same_subspaces(model.components_.T, vectors, values)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_dependence_never_falls(form, rng):
    X, Y = problem(rng, n=200, n_labels=6)
    Xc = X - X.mean(axis=0)
    steps = [_weights.dependent(form(X), Y.astype(float), n_epochs=n) for n in range(8)]
    dependence = [np.sum((Xc.T @ W) ** 2) for W in steps]
    assert dependence[0] < dependence[1]
    assert (np.diff(dependence) >= -1e-9 * dependence[0]).all()
    np.testing.assert_array_equal(steps[-1], _weights.dependent(X, Y.astype(float)))
    np.testing.assert_array_equal(steps[-1], reference.dependence_weights(X, Y))


def test_each_row_of_a_sweep_raises_the_dependence(rng):
    X, Y = problem(rng, n=60)
    Y = Y[:, :3]
    Xc, Y = X - X.mean(axis=0), Y.astype(float)
    W = _weights.shared(Y)
    G = W.T @ Xc
    before = np.sum(G**2)
    for i in np.flatnonzero(Y.sum(axis=1) > 1):
        _weights.sweep(Xc[[i]], np.array([i]), np.zeros(60), np.ones(60), Y, W, G)
        # The rank-one changes keep G = Xc'W.
        np.testing.assert_allclose(G, W.T @ Xc, atol=1e-10)
        assert np.sum(G**2) > before
        before = np.sum(G**2)


def test_rows_in_blocks_choose_as_in_one(rng, limit):
    X, Y = problem(rng)
    whole = _weights.dependent(X, Y.astype(float))
    limit("dependence bytes", 8 * X.shape[1])
    np.testing.assert_array_equal(_weights.dependent(sparse.csr_array(X), Y.astype(float)), whole)


def test_the_only_row_of_a_label_belongs_to_it(rng):
    X, Y = problem(rng)
    Y[:, 0] = 0
    Y[4] = [1, 1, 1, 0, 0]
    W = _weights.fuzzy(X, Y.astype(float))
    np.testing.assert_array_equal(W[4], [1, 0, 0, 0, 0])
    np.testing.assert_allclose(W.sum(axis=1), Y.any(axis=1), rtol=1e-11)


def test_fuzzy_weights_that_do_not_settle_are_a_warning(rng, limit):
    X, Y = problem(rng)
    limit("fuzzy turns", 2)
    with pytest.warns(ConvergenceWarning, match="still change by .* after 2 iterations; .*entropy"):
        ls.MLDA(2, weights="fuzzy").fit(X, Y)


@pytest.mark.parametrize("weights", ["binary", "entropy"])
@pytest.mark.parametrize("method", [ls.MLDA, ls.DMLDA])
def test_chunks_of_one_label(method, weights, rng):
    X, Y = problem(rng)
    model = method(1, weights=weights)
    whole = clone(model).fit(X, Y[:, 0])
    for rows in (slice(0, 30), slice(30, 33), slice(33, None)):
        model.partial_fit(X[rows], Y[rows, 0])
    assert_same_model(model, whole)


REFUSED = [
    ("softmax", r"'weights' parameter of {name} must be"),
    (np.ones((4, 2)), r"weights has shape \(4, 2\); expected \(90, 5\), one row per row of X"),
    (np.full((90, 5), -0.5), r"weights\[0, 0\] is -0\.5; allowed is {allowed}\. Divide"),
    (np.full((90, 5), np.nan), "Input weights contains NaN"),
]


@pytest.mark.parametrize("method", [ls.MLDA, ls.DMLDA])
@pytest.mark.parametrize(("weights", "message"), REFUSED, ids=["name", "shape", "sign", "nan"])
def test_bad_weights_are_refused(method, weights, message, rng):
    X, Y = problem(rng)
    allowed = "0 or more" if method is ls.MLDA else "0 to 1"
    with pytest.raises(ValueError, match=message.format(name=method.__name__, allowed=allowed)):
        method(weights=weights).fit(X, Y)


def test_weights_above_one_have_no_rest(rng):
    X, Y = problem(rng)
    message = re.escape("weights[0, 0] is 2; allowed is 0 to 1.")
    with pytest.raises(ValueError, match=message):
        ls.DMLDA(weights=np.full(Y.shape, 2.0)).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        ls.MLDA(weights=np.full((len(Y), 1), 2.0)).fit(X, Y[:, 0])
    # With several labels, each counts separately.
    scaled, plain = ls.MLDA(ridge=0.2, weights=2.0 * Y), ls.MLDA(weights="binary")
    np.testing.assert_allclose(
        scaled.fit(X, Y).eigenvalues_, plain.fit(X, Y).eigenvalues_, rtol=1e-10
    )


@pytest.mark.parametrize("weights", ["fuzzy", "dependence", "array"])
def test_lazy_arrays_are_refused_where_all_rows_are_needed(weights, rng):
    dask_array = pytest.importorskip("dask.array")
    X, Y = problem(rng)
    lazy = dask_array.from_array(X, chunks=(30, -1))
    with pytest.raises(TypeError, match=r"X\.compute\(\)"):
        ls.MLDA(weights=Y if weights == "array" else weights).fit(lazy, Y)


@pytest.mark.parametrize("weights", NAMES)
@pytest.mark.parametrize("method", [ls.MLDA, ls.DMLDA])
def test_a_row_of_weight_two_is_two_rows(method, weights, rng):
    X, Y = problem(rng)
    copies = rng.integers(1, 4, len(X))
    repeated = method(weights=weights).fit(
        np.repeat(X, copies, axis=0), np.repeat(Y, copies, axis=0)
    )
    assert_same_model(method(weights=weights).fit(X, Y, sample_weight=copies), repeated)


def test_an_array_of_weights_leaves_no_room_for_sample_weights(rng):
    X, Y = problem(rng)
    with pytest.raises(TypeError, match=r"takes no sample_weight: .*multiply the rows of weights"):
        ls.MLDA(weights=Y).fit(X, Y, sample_weight=np.ones(len(X)))


@pytest.mark.parametrize("method", [ls.MLDA, ls.DMLDA])
@pytest.mark.parametrize("weights", ["binary", "entropy", "correlation"])
def test_sparse_labels_are_never_made_dense(method, weights, rng):
    n, q = 20_000, 400
    X = rng.standard_normal((n, 6))
    Y = sparse.random_array((n, q), density=0.01, random_state=rng, format="csr")
    Y.data[:] = 1.0
    model = method(3, weights=weights)
    model.fit(X[:50], Y[:50])
    tracemalloc.start()
    model.fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * q * 8 / 2
    dense = clone(model).fit(X, Y.toarray())
    np.testing.assert_allclose(model.components_, dense.components_, atol=1e-8)
