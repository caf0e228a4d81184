"""How rows are divided into blocks and held: sizes follow the rules of the code."""

import numpy as np
import pytest
from scipy import sparse

from labelspan.gate import is_large
from labelspan.moments import (
    Moments,
    Pool,
    Products,
    Sample,
    _collect,
    add_pooled,
    anchored,
    blocks_of,
    collect,
    collect_parts,
    equal_blocks,
    indicators,
    labelled_rows,
    n_bytes,
    parts_of,
    row_blocks,
    small_indices,
    stacked,
    taken_off,
)


def shape_only(*shape):
    """An array without memory; only its shape is used."""
    return np.broadcast_to(0.0, shape)


def heights(blocks):
    """Heights of slices that follow each other from row 0 on."""
    ends = [0]
    for rows in blocks:
        assert rows.start == ends[-1]
        ends.append(rows.stop)
    return np.diff(ends).tolist()


def seen(sample, **how):
    """Heights of the blocks that a statistic is given."""
    return collect(sample, lambda X, Y, *weights: [X.shape[0]], **how)


def test_blocks_of_about_equal_length():
    assert heights(equal_blocks(10, 3)) == [3, 3, 4]
    assert heights(equal_blocks(10, 2.4)) == [5, 5]
    assert heights(equal_blocks(10, 0.1)) == [10]
    assert heights(equal_blocks(0, 0.0)) == [0]


def test_dense_blocks_have_so_many_bytes_or_are_square():
    # 2^25 bytes are 2^22 numbers.
    assert heights(row_blocks(shape_only(2**20, 64))) == [2**16] * 16
    assert heights(row_blocks(shape_only(100_000, 20_000), tall=True)) == [20_000] * 5
    assert len(heights(row_blocks(shape_only(100_000, 20_000)))) == round(100_000 / 209)
    assert heights(row_blocks(shape_only(3, 2**23))) == [1, 1, 1]
    assert heights(row_blocks(shape_only(10, 0))) == [10]
    # Of ten parts, each has a block of at least twice as many rows as columns.
    assert heights(blocks_of(shape_only(10**6, 1000), 10)) == [20_000] * 50
    assert heights(blocks_of(shape_only(2**20, 64), 2)) == [2**16] * 16
    assert heights(blocks_of(shape_only(10, 0), 2)) == [10]
    assert heights(blocks_of(sparse.csr_array((10**9, 4)), 2)) == [10**9]


def test_sparse_blocks_are_worth_adding_up(rng, limit):
    limit("block entries", 100)
    X = sparse.csr_array(np.ones((400, 10)))
    few, many = np.ones((400, 2)), np.ones((400, 25))
    # An array (D, D) counts four times, or (D, q) if that is larger or the only one.
    assert seen(Sample(X, few)) == [40] * 10
    assert seen(Sample(X, many)) == [100] * 4
    assert seen(Sample(X, few), tall=False) == [10] * 40
    assert seen(Sample(X, many), tall=False) == [100] * 4
    # A statistic that makes blocks dense gets those of dense rows.
    assert seen(Sample(X, few), whole_sparse=False) == [400]
    limit("most walked", 1000)
    walked = Sample(X.toarray(), sparse.csr_array(few))
    assert seen(walked, walked=True) == [100] * 4
    # Without a scatter, 64 rows of X for each label: 1280 numbers, within the limits.
    limit("fewest walked", 800)
    limit("most walked", 4000)
    assert seen(walked, walked=True, tall=False) == [133, 133, 134]
    limit("fewest walked", 2000)
    assert seen(walked, walked=True, tall=False) == [200] * 2


def test_rows_of_labels_are_views_of_them(rng):
    X, T = rng.standard_normal((9, 3)), (rng.random((9, 4)) < 0.5) * 1.0
    sparse_T = sparse.csr_array(T)
    for rows in (slice(0, 9), slice(2, 5), slice(4, 4)):
        block, labels = labelled_rows(X, sparse_T, rows)
        np.testing.assert_array_equal(block, X[rows])
        np.testing.assert_array_equal(labels.toarray(), T[rows])
        assert block.base is X


def test_what_the_compiled_loops_take(rng, limit):
    limit("large X", 24)
    assert is_large(np.ones((8, 3)))
    assert not is_large(np.ones((23, 1)))
    assert not is_large(sparse.csr_array(np.ones((8, 3))))
    X, half = np.ones((4, 2)), np.array([[1.0, 0.0]] * 4)
    assert indicators(X, half).nnz == 4
    assert indicators(X, half, np.ones(4)) is None
    assert indicators(np.asfortranarray(X), half) is None
    assert indicators(sparse.csr_array(X), half) is None
    # More ones than zeros, and other values than ones.
    assert indicators(X, np.array([[1.0, 0.0]] * 3 + [[1.0, 1.0]])) is None
    assert indicators(X, 0.5 * half) is None
    assert indicators(X, sparse.csr_array(2 * half)) is None


@pytest.mark.parametrize(
    ("solver", "shape", "limit"),
    [
        # Rows of as many bytes as the sum has: D x q, D x D, and four times that of QR factors.
        ("thin", (4000, 500), 8 * 4000 * 500),
        ("scatter", (4000, 500), 8 * 4000**2),
        ("root", (2000, 500), 8 * 4 * 2000**2),
        ("scatter", (100, 5000), 2**22),
        ("scatter", (6000, 5), 2**28),
    ],
)
def test_a_pool_holds_as_many_bytes_of_rows_as_its_sum_has(solver, shape, limit):
    assert Pool(solver, shape)._limit == limit


def test_bytes_that_are_held():
    X, Y = np.ones((6, 4)), np.eye(6)
    assert n_bytes(Sample(X, Y)) == 8 * 24 + 8 * 36
    # A value and a column number of 4 bytes.
    assert n_bytes(Sample(X, sparse.csr_array(Y))) == 8 * 24 + 12 * 6
    rows = np.ones(5), np.ones(5, dtype=np.int32), np.arange(7)
    assert n_bytes(Sample(rows, Y)) == 12 * 5 + 8 * 36


def test_parts_of_a_chunk_fit_into_the_cache(rng, limit):
    X, Y, w = rng.standard_normal((8, 4)), np.ones((8, 1)), np.arange(8.0)
    limit("pool bytes", X.nbytes)
    assert parts_of(Sample(X, Y, weights=w))[0].X is X
    limit("pool bytes", X.nbytes - 1)
    limit("block bytes", X.nbytes // 2)
    for weights in (w, None):
        halves = list(parts_of(Sample(X, Y, "thin", weights, True)))
        assert [part.X.shape[0] for part in halves] == [4, 4]
        assert {(part.solver, part.part) for part in halves} == {("thin", True)}
        if weights is None:
            assert halves[1].weights is None
        else:
            np.testing.assert_array_equal(halves[1].weights, [4, 5, 6, 7])


def test_stacked_rows_are_those_of_the_pieces(rng):
    X, w = rng.standard_normal((6, 3)), np.arange(1.0, 3.0)
    Y = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]] * 3, dtype=float)
    cut = [slice(0, 2), slice(2, 4), slice(4, 6)]
    one = stacked((Sample(X[:2], Y[:2]),))
    assert one.X.base is X
    pieces = [Sample(X[c], Y[c], "thin", w if c.start == 2 else None) for c in cut]
    found = stacked(tuple(pieces))
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.Y.toarray(), Y)
    np.testing.assert_array_equal(found.weights, [1, 1, 1, 2, 1, 1])
    assert stacked(tuple(Sample(X[c], Y[c]) for c in cut)).weights is None
    # Labels in both forms: the density of all of them decides.
    sixth = np.eye(6)
    for labels, form in ((Y, sparse.csr_array), (sixth, np.ndarray), (np.ones_like(Y), np.ndarray)):
        mixed = [Sample(X[c], labels[c]) for c in cut]
        mixed[1] = Sample(X[2:4], sparse.csr_array(labels[2:4]))
        found = stacked(tuple(mixed))
        assert isinstance(found.Y, form)
        np.testing.assert_array_equal(sparse.csr_array(found.Y).toarray(), labels)
    rows = [sparse.csr_array(np.where(X[c] > 0, X[c], 0)) for c in cut]
    pieces = [Sample((A.data, A.indices, A.indptr), Y[:2]) for A in rows]
    joined = sparse.csr_array(stacked(tuple(pieces)).X, shape=(6, 3))
    np.testing.assert_array_equal(joined.toarray(), np.where(X > 0, X, 0))


def test_columns_without_zeros_are_moved():
    A = np.array([[5.0, 0.0, 2.0], [6.0, 1.0, 2.0]])
    X, shift = anchored(sparse.csr_array(A))
    np.testing.assert_array_equal(shift, [5, 0, 2])
    np.testing.assert_array_equal(X.toarray(), [[0, 0, 0], [1, 1, 0]])
    X, taken = taken_off(sparse.csr_array(A), np.array([4.0, 3.0, 0.0]))
    np.testing.assert_array_equal(taken, [4, 0, 0])
    np.testing.assert_array_equal(X.toarray(), [[1, 0, 2], [2, 1, 2]])
    empty, shift = anchored(sparse.csr_array((0, 3)))
    assert (empty.shape, shift.tolist()) == ((0, 3), [0, 0, 0])


def test_outer_products_are_added_by_blocks(rng):
    # Of 2^15 numbers: 163 rows, and 163, and 24.
    A, B = rng.standard_normal((2, 350, 200))
    left, right = rng.standard_normal(350), rng.standard_normal(200)
    expected = A + B + np.outer(left, right)
    add_pooled(A, B, left, right)
    np.testing.assert_allclose(A, expected, rtol=1e-14)
    add_pooled(None, B, left, right)
    nothing = np.empty((350, 0))
    add_pooled(nothing, nothing, left, np.empty(0))


def test_squares_of_columns_without_their_scatter(rng):
    X, T, w = rng.standard_normal((30, 4)) + 2, rng.standard_normal((30, 2)), rng.random(30)
    expected = np.diag(Moments.of(X, T, w).xx)
    for A in (X, np.asfortranarray(X), sparse.csr_array(X)):
        thin = Moments.of(A, T, w, xx=False)
        np.testing.assert_allclose(thin.squares, expected, rtol=1e-12)
        pooled = Moments.of(A[:9], T[:9], w[:9], xx=False) + Moments.of(
            A[9:], T[9:], w[9:], xx=False
        )
        np.testing.assert_allclose(pooled.squares, expected, rtol=1e-12)
    bare = Moments(30.0, thin.x_mean, thin.t_mean, thin.xt)
    np.testing.assert_allclose(bare.squares, np.sum(thin.xt**2, axis=1))
    np.testing.assert_allclose(Moments.of(X, T, w).squares, expected)


def test_nothing_and_nothing_are_nothing():
    X, T, w = np.ones((2, 3)), np.ones((2, 1)), np.zeros(2)
    pooled = Moments.of(X, T, w) + Moments.of(X, T, w)
    assert pooled.weight == 0
    assert not pooled.xx.any()
    assert type(Moments.of(X, T).__iadd__(3.0)) is type(NotImplemented)


def test_label_blocks_hold_so_many_entries(limit):
    limit("held entries", 12)
    X, Y = sparse.csr_array(np.eye(6)), sparse.csr_array(np.ones((6, 4)))
    # The product of each row with its labels: 6 times 1 times 4 entries, of 6 times 4.
    assert heights(Products.of(Sample(X, Y))._label_blocks()) == [2, 2]
    one = sparse.csr_array(np.eye(6)[:, :4])
    assert heights(Products.of(Sample(X, one))._label_blocks()) == [4]
    assert heights(Products.of(Sample(X.toarray(), one))._label_blocks()) == [2, 2]


def test_indices_of_32_bits_where_they_suffice():
    A = sparse.csr_array(np.eye(3))
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    small = small_indices(A)
    assert (small.indices.dtype, small.indptr.dtype) == (np.int32, np.int32)
    wide = sparse.csr_array((np.ones(1), np.array([2**31]), np.array([0, 1])), shape=(1, 2**31 + 1))
    assert small_indices(wide).indices.tolist() == [2**31]


def test_rows_of_a_block_that_weigh_nothing_are_left_out():
    X, Y = np.ones((4, 2)), np.eye(4)
    for weights, expected in (([2.0, 0.0, 1.0, 0.0], 2), ([0.0] * 4, 4), (None, 4)):
        weights = None if weights is None else np.array(weights)
        found = _collect.block_statistic(lambda X, Y, *w: X.shape[0], X, Y, weights)
        assert found.statistic == expected


def test_codings_of_blocks_must_agree():
    def block(Y):
        return _collect.block_statistic(lambda X, Y: 1, np.ones((2, 2)), Y)

    zero_one, signed, soft = np.eye(2), 2 * np.eye(2) - 1, 0.5 * np.eye(2)
    assert (block(zero_one) + block(soft)).statistic == 2
    assert (block(signed) + block(signed)).statistic == 2
    assert (block(signed) + block(np.ones((2, 2)))).statistic == 2
    for other in (zero_one, sparse.csr_array(zero_one)):
        with pytest.raises(ValueError, match="y holds both -1 and 0; an indicator matrix"):
            block(signed) + block(other)
    with pytest.raises(ValueError, match="y holds both -1 and numbers between 0 and 1"):
        block(signed) + block(np.full((2, 2), 0.5))


def test_parts_are_summed_over_their_rows(rng, limit):
    X, Y, w = rng.standard_normal((40, 3)), np.ones((40, 1)), rng.random(40)
    parts = np.array([rng.integers(-1, 2, 40), rng.integers(2, 4, 40)])
    limit("part bytes", 1)
    found = collect_parts(X, Y, lambda X, Y, w: w @ X, parts, w)
    assert sorted(found) == [0, 1, 2, 3]
    for part, total in found.items():
        rows = (parts == part).any(axis=0)
        np.testing.assert_allclose(total, w[rows] @ X[rows], atol=1e-12)
