"""Properties that hold for every extractor on any data."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from labelspan.extraction import neighbour_graph
from tests.comparison import assert_same_subspaces, assert_same_values, sine
from tests.reference import extraction as reference
from tests.registry import ALL, METHODS, ONE_PASS, RIDGE_FREE, name

EVERY = [*ALL, *RIDGE_FREE]


def problem(rng, n=90, n_features=12, n_labels=5):
    """Features with a mean and unequal scales, labels that depend on them."""
    X = rng.standard_normal((n, n_features)) * np.linspace(0.5, 2.0, n_features) + 1.0
    scores = X @ rng.standard_normal((n_features, n_labels)) + rng.standard_normal((n, n_labels))
    Y = (scores > np.median(scores, axis=0) + 1.0).astype(int)
    return X, Y


def sparse_problem(rng):
    X, Y = problem(rng)
    X[rng.random(X.shape) < 0.6] = 0.0
    return X, Y


def fitted(method, X, Y):
    return clone(method.estimator).fit(X, Y)


def assert_same_model(a, b, tolerance=1e-8):
    """The same eigenvalues and the same directions, signs included."""
    np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, rtol=tolerance)
    scale = np.abs(b.components_).max()
    np.testing.assert_allclose(a.components_, b.components_, atol=tolerance * scale)
    np.testing.assert_allclose(a.mean_, b.mean_, atol=tolerance)


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_row_order_does_not_matter(method, rng):
    X, Y = problem(rng)
    order = rng.permutation(len(X))
    assert_same_model(fitted(method, X[order], Y[order]), fitted(method, X, Y))


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_label_order_does_not_matter(method, rng):
    X, Y = problem(rng)
    order = rng.permutation(Y.shape[1])
    assert_same_model(fitted(method, X, Y[:, order]), fitted(method, X, Y))


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_feature_order_only_moves_the_components(method, rng):
    X, Y = problem(rng)
    order = rng.permutation(X.shape[1])
    moved, plain = fitted(method, X[:, order], Y), fitted(method, X, Y)
    np.testing.assert_allclose(moved.eigenvalues_, plain.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(moved.components_, plain.components_[:, order], atol=1e-7)


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_a_shift_of_x_moves_only_the_mean(method, rng):
    X, Y = problem(rng)
    shift = np.linspace(-3, 3, X.shape[1])
    moved, plain = fitted(method, X + shift, Y), fitted(method, X, Y)
    np.testing.assert_allclose(moved.mean_, plain.mean_ + shift, atol=1e-10)
    np.testing.assert_allclose(moved.components_, plain.components_, atol=1e-8)
    np.testing.assert_allclose(moved.transform(X + shift), plain.transform(X), atol=1e-8)


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_a_mean_of_a_million_spreads_does_not_matter(method, rng):
    X, Y = problem(rng)
    far, near = fitted(method, X + 1e6, Y), fitted(method, X, Y)
    np.testing.assert_allclose(far.eigenvalues_, near.eigenvalues_, rtol=1e-6)
    assert sine(far.components_.T, near.components_.T) < 1e-6


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_sparse_gives_what_dense_gives(method, rng):
    X, Y = sparse_problem(rng)
    dense = fitted(method, X, Y)
    for X_form in (sparse.csr_array(X), sparse.csc_matrix(X), sparse.coo_array(X)):
        for Y_form in (Y, sparse.csr_array(Y), sparse.csr_matrix(Y.astype(bool))):
            model = fitted(method, X_form, Y_form)
            assert_same_model(model, dense)
            np.testing.assert_allclose(model.transform(X_form), dense.transform(X), atol=1e-8)


@pytest.mark.parametrize("method", METHODS, ids=name)
@pytest.mark.parametrize("shape", [(15, 40), (40, 41), (2, 7)])
def test_fewer_rows_than_features(method, shape, rng):
    X, Y = problem(rng, *shape, 4)
    Y[0], Y[1] = [1, 0, 1, 0], [0, 1, 1, 0]
    values, vectors = method.transcription(X, Y)
    for X_form in (X, sparse.csr_array(X)):
        model = fitted(method, X_form, Y)
        assert_same_values(model.eigenvalues_, values)
        assert_same_subspaces(model.components_.T, vectors, values)


@pytest.mark.parametrize("method", RIDGE_FREE, ids=name)
def test_without_a_ridge_equals_the_transcription(method, rng):
    X, Y = problem(rng)
    values, vectors = method.transcription(X, Y)
    model = fitted(method, X, Y)
    assert_same_values(model.eigenvalues_, values)
    assert_same_subspaces(model.components_.T, vectors, values)


@pytest.mark.parametrize("scale", [1e-7, 1e7])
def test_neighbours_do_not_depend_on_the_scale(scale, rng):
    X, _ = problem(rng)
    plain, scaled = neighbour_graph(X, 5), neighbour_graph(X * scale, 5)
    assert (plain != scaled).nnz == 0
    np.testing.assert_array_equal(plain.toarray(), reference.neighbour_graph(X, 5))


@pytest.mark.filterwarnings("ignore:Without a ridge the features fit any label")
@pytest.mark.parametrize("method", RIDGE_FREE, ids=name)
def test_without_a_ridge_wide_sparse_equals_wide_dense(method, rng):
    X, Y = sparse_problem(rng)
    X, Y = X[:9], Y[:9]
    dense, thin = fitted(method, X, Y), fitted(method, sparse.csr_array(X), Y)
    np.testing.assert_allclose(thin.eigenvalues_, dense.eigenvalues_, rtol=1e-8)
    assert sine(thin.components_.T, dense.components_.T) < 1e-7


@pytest.mark.filterwarnings("ignore:Without a ridge the features fit any label")
@pytest.mark.parametrize("n_rows", [90, 9], ids=["tall", "wide"])
@pytest.mark.parametrize("method", EVERY, ids=name)
def test_a_sparse_column_without_zeros_may_have_any_mean(method, n_rows, rng):
    X, Y = sparse_problem(rng)
    X[:, 0] = 1e6
    X[:, 1] = 1e5 + rng.standard_normal(len(X))
    X, Y = X[:n_rows], Y[:n_rows]
    dense, thin = fitted(method, X, Y), fitted(method, sparse.csr_array(X), Y)
    # A graph can have the eigenvalue zero, and LPP with it.
    largest = dense.eigenvalues_[0]
    np.testing.assert_allclose(
        thin.eigenvalues_, dense.eigenvalues_, rtol=1e-7, atol=1e-12 * largest
    )
    assert sine(thin.components_.T, dense.components_.T) < 1e-7
    np.testing.assert_allclose(thin.mean_, dense.mean_, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_chunks", [1, 2, 7, 100])
@pytest.mark.parametrize("method", [*ONE_PASS, *RIDGE_FREE], ids=name)
def test_chunks_give_the_one_shot_fit(method, n_chunks, rng):
    X, Y = problem(rng, n=201)
    whole, pooled = fitted(method, X, Y), clone(method.estimator)
    for rows in np.array_split(np.arange(len(X)), n_chunks):
        pooled.partial_fit(X[rows], Y[rows])
    np.testing.assert_allclose(pooled.eigenvalues_, whole.eigenvalues_, rtol=1e-10)
    np.testing.assert_allclose(pooled.components_, whole.components_, atol=1e-10)


@pytest.mark.parametrize("method", ONE_PASS, ids=name)
def test_sparse_and_dense_chunks_pool(method, rng):
    X, Y = sparse_problem(rng)
    pooled = clone(method.estimator).partial_fit(X[:40], Y[:40])
    pooled.partial_fit(sparse.csr_array(X[40:]), sparse.csr_array(Y[40:]))
    assert_same_model(pooled, fitted(method, X, Y))


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_fit_transform_refit_and_inputs(method, rng):
    X, Y = problem(rng)
    X_before, Y_before = X.copy(), Y.copy()
    model = clone(method.estimator)
    projected = model.fit_transform(X, Y)
    np.testing.assert_allclose(projected, (X - model.mean_) @ model.components_.T, atol=1e-12)
    first = model.components_.copy()
    model.fit(X[::-1] * 2 + 1, Y[::-1])
    model.fit(X, Y)
    np.testing.assert_array_equal(model.components_, first)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(Y, Y_before)


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_float32_is_near_float64(method, rng):
    X, Y = problem(rng)
    single, double = fitted(method, X.astype(np.float32), Y), fitted(method, X, Y)
    assert single.components_.dtype == single.mean_.dtype == np.float32
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.eigenvalues_, double.eigenvalues_, rtol=1e-4)
    np.testing.assert_allclose(single.components_, double.components_, atol=1e-3)


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_the_number_of_threads_does_not_matter(method, rng):
    X, Y = problem(rng, n=400, n_features=60)
    with threadpool_limits(1):
        one = fitted(method, X, Y)
    with threadpool_limits(2):
        two = fitted(method, X, Y)
    assert_same_model(one, two)


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_constant_and_duplicated_features(method, rng):
    X, Y = problem(rng)
    wider = np.column_stack([X, X[:, 0], np.full(len(X), 7.0)])
    model = fitted(method, wider, Y)
    # A constant feature carries nothing, twins share their weight.
    np.testing.assert_allclose(model.components_[:, -1], 0, atol=1e-9)
    np.testing.assert_allclose(model.components_[:, 0], model.components_[:, -2], atol=1e-7)
    if method in METHODS:
        values, vectors = method.transcription(wider, Y)
        assert_same_values(model.eigenvalues_, values)
        assert_same_subspaces(model.components_.T, vectors, values)


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_labels_and_rows_that_are_empty(method, rng):
    X, Y = problem(rng)
    Y[:5] = 0
    Y[:, 2] = 0
    Y[:, 3] = 1
    values, vectors = method.transcription(X, Y)
    model = fitted(method, X, Y)
    assert_same_values(model.eigenvalues_, values)
    assert_same_subspaces(model.components_.T, vectors, values)


@pytest.mark.parametrize("method", [*METHODS, *RIDGE_FREE], ids=name)
def test_one_hot_labels_leave_no_null_direction(method, rng):
    X, _ = problem(rng)
    y = rng.integers(0, 4, len(X))
    one_hot = fitted(method, X, np.eye(4)[y])
    by_class = fitted(method, X, np.array(list("abcd"))[y])
    assert_same_model(by_class, one_hot)
    if method.thin or method.name == "mddm-p":
        # The columns sum to one: rank 3.
        assert one_hot.n_components_ == 3


@pytest.mark.parametrize("method", [*METHODS, *RIDGE_FREE], ids=name)
def test_one_label_in_every_form(method, rng):
    X, Y = problem(rng)
    column = fitted(method, X, Y[:, :1])
    for y in (Y[:, 0], Y[:, 0].astype(bool), np.where(Y[:, 0], "yes", "no"), 2 * Y[:, :1] - 1):
        assert_same_model(fitted(method, X, y), column)


@pytest.mark.parametrize("method", [*METHODS, *RIDGE_FREE], ids=name)
def test_plus_minus_one_is_zero_one(method, rng):
    X, Y = problem(rng)
    assert_same_model(fitted(method, X, 2 * Y - 1), fitted(method, X, Y.astype(bool)))


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_read_only_memory_map(method, rng, tmp_path):
    X, Y = problem(rng)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert_same_model(fitted(method, mapped, Y), fitted(method, X, Y), 1e-12)


@pytest.mark.parametrize("method", EVERY, ids=name)
def test_blocks_do_not_matter(method, rng, limit):
    X, Y = problem(rng)
    whole = fitted(method, X, Y)
    limit("block bytes", 8)
    assert_same_model(fitted(method, X, Y), whole)
    # 4 D^2 entries per block: two blocks of the sparse X, whose rows are doubled.
    limit("block entries", 1)
    twice = np.vstack([X, X]), np.vstack([Y, Y])
    assert_same_model(fitted(method, sparse.csr_array(twice[0]), twice[1]), fitted(method, *twice))
    np.testing.assert_allclose(whole.transform(X), (X - whole.mean_) @ whole.components_.T)
