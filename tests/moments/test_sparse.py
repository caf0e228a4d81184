"""Sparse matrices times blocks of vectors: the compiled loop adds as SciPy does."""

import numpy as np
import pytest
from scipy import sparse

from labelspan.moments import Moments, _sparse, row_edges, times_block


@pytest.fixture
def compiled(monkeypatch, limit):
    calls, loop = [], _sparse.add_products
    limit("sparse worth", 0)
    monkeypatch.setattr(_sparse, "add_products", lambda *args: calls.append(1) or loop(*args))
    return calls


def ragged(rng, index=np.int32):
    """Rows with 0 to 11 entries of very different size."""
    heights = rng.permutation(np.repeat(np.arange(12), 5))
    dense = np.zeros((60, 40))
    for row, height in zip(dense, heights, strict=True):
        row[rng.choice(40, height, replace=False)] = 10.0 ** rng.uniform(-8, 8, height)
    A = sparse.csr_array(dense)
    A.indices, A.indptr = A.indices.astype(index), A.indptr.astype(index)
    return A


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_product_is_that_of_scipy_to_the_last_bit(
    index, n_threads, order, rng, compiled, use_threads
):
    use_threads(n_threads)
    A, V = ragged(rng, index), np.asarray(rng.standard_normal((40, 17)), order=order)
    np.testing.assert_array_equal(times_block(A, V), A @ V)
    assert len(compiled) == n_threads


def test_other_forms_are_left_to_scipy(rng, compiled):
    A, V = ragged(rng), rng.standard_normal((40, 17))
    for B, W in (
        (A.tocsc(), V),
        (A.astype(np.float32), V),
        (A.toarray(), V),
        (A, V[:, :3]),
        (A, V[:, 0]),
    ):
        np.testing.assert_array_equal(times_block(B, W), B @ W)
    assert not compiled


def test_small_products_do_not_load_the_compiler(rng, compiled, limit):
    A, V = ragged(rng), rng.standard_normal((40, 17))
    limit("sparse worth", A.nnz * 17 + 1)
    times_block(A, V)
    assert not compiled
    limit("sparse worth", A.nnz * 17)
    times_block(A, V)
    assert compiled


def test_threads_get_about_equally_many_entries():
    ends = np.cumsum([0, 100, 1, 1, 1, 1, 96, 0, 0])
    assert row_edges(ends, 2) == [0, 1, 8]
    assert row_edges(ends, 1) == [0, 8]
    # More threads than rows with entries: some get nothing.
    assert row_edges(np.array([0, 5]), 3) == [0, 1, 1, 1]


@pytest.mark.parametrize("density", [0.02, 0.6])
@pytest.mark.parametrize("sparse_labels", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_denser_than_pays_have_the_same_sums(density, sparse_labels, weighted, rng, limit):
    """Against the dense rows; blocks of few rows, the last one shorter."""
    limit("dense block entries", 40 * 7)
    X = sparse.random_array((60, 40), density=density, random_state=rng, format="csr")
    T = (rng.random((60, 5)) < density).astype(float)
    weights = rng.uniform(0.5, 2.0, 60) if weighted else None
    made_dense = []
    labels = sparse.csr_array(T) if sparse_labels else T
    with pytest.MonkeyPatch.context() as patch:
        toarray = sparse.csr_array.toarray
        patch.setattr(
            sparse.csr_array, "toarray", lambda A: made_dense.append(A.shape) or toarray(A)
        )
        found = Moments.of(X, labels, weights, tt=True)
    # Blocks only where they pay.
    assert ((7, 40) in made_dense) == (density > 0.5)
    expected = Moments.of(X.toarray(), T, weights, tt=True)
    for name in ("xx", "xt", "tt"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)
