"""Small exact examples of each function at its limits."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning

from labelspan.arrays import (
    add_to_diagonal,
    orthonormal,
    regular_factor,
    smallest_pairs,
    with_columns_divided,
)
from labelspan.gate import NoDirectionError
from labelspan.linalg import (
    EPS,
    _lanczos,
    as_rows,
    block_lanczos,
    by_solution,
    centre_both,
    check_psd,
    choose_solver,
    column_steps,
    conjugate_gradients,
    fix_signs,
    graded_basis,
    is_graded,
    leading,
    leading_operator,
    leading_sum,
    n_directions,
    narrow,
    partial_least_squares,
    rank,
    regress,
    route_of,
    row_space,
    scaled_svd,
    solve_products,
    squares,
    too_large,
    warn_if_any_label_fits,
)
from labelspan.linalg._block_cg import block_cg, solve_rows, thin_qr
from labelspan.linalg._graded import LeastNorm, graded_root, jacobi, unit_pivots
from labelspan.linalg._lanczos import by_ranges
from labelspan.linalg._leading import warn_of_rounding
from labelspan.linalg._least_norm import Gathered, Triangle, in_range, null_basis, upper_factor
from labelspan.linalg._narrow import is_weak, reduced
from labelspan.linalg._whiten import is_regular
from labelspan.linalg.masked import MaskedSystem
from labelspan.linalg.masked._cg import rough_solve
from labelspan.linalg.masked._ridge import direct_is_cheaper, patterns
from labelspan.moments import Moments, Products, Root, Rows, Sample, summarise
from tests.comparison import sine
from tests.reference.extraction import available


def spd(rng, side, condition=10.0):
    Q = linalg.qr(rng.standard_normal((side, side)))[0]
    return (Q * np.geomspace(1, condition, side)) @ Q.T


def test_the_rank_cut_is_strict():
    assert rank(np.array([1.0, 4 * EPS]), 4) == 1
    assert rank(np.array([1.0, 4 * EPS * (1 + EPS)]), 4) == 2
    assert rank(np.array([-1.0, -2.0]), 4) == 0


def test_as_many_directions_as_there_are_is_no_warning():
    assert n_directions(np.array([2.0, 1.0]), 3.0, 2) == 2
    assert n_directions(np.array([2.0, 1.0]), 9.0, 0.9) == 2
    with pytest.warns(UserWarning, match="n_components=3 is more than the 2 directions"):
        assert n_directions(np.array([2.0, 1.0]), 3.0, 3) == 2
    with pytest.raises(NoDirectionError):
        n_directions(np.array([]), 1.0, None)


def test_the_first_of_the_largest_entries_decides_where_cubes_cancel():
    rows = np.array([[-0.5, 1.0, -1.0, 0.5], [0.5, -1.0 + 1e-9, 1.0, -0.5]])
    expected = rows * [[1.0], [-1.0]]
    np.testing.assert_array_equal(fix_signs(rows.copy()), expected)
    # Cubes that do not cancel decide, even if entries of that sign are small.
    row = np.array([[1.0, -0.9, -0.9]])
    np.testing.assert_array_equal(fix_signs(row.copy()), -row)
    zeros = np.zeros((2, 3))
    np.testing.assert_array_equal(fix_signs(zeros.copy()), zeros)


def test_rows_of_vectors_are_their_own_array():
    vectors = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    rows = as_rows(vectors)
    np.testing.assert_array_equal(rows, vectors.T)
    assert rows.flags.c_contiguous
    assert not np.shares_memory(rows, vectors)


def test_a_label_matrix_at_the_edge_of_what_is_allowed():
    assert check_psd(np.zeros((3, 3)), 3, "B").shape == (3, 0)
    for unit in (1e-30, 1.0, 1e30):
        assert check_psd(unit * np.diag([4.0, 1.0, 0.0]), 3, "B").shape == (3, 2)
    assert check_psd(np.diag([1.0, 1e-17]), 2, "B").shape == (2, 1)
    # The largest eigenvalue of ones is 10: -5e-10 is half of its rounding.
    ones = np.ones((10, 10))
    assert check_psd(ones - 5e-10 * (np.eye(10) - ones / 10), 10, "B").shape == (10, 1)
    B = np.diag([4.0, 1.0, 0.0])
    R = check_psd(B, 3, "B")
    np.testing.assert_allclose(R @ R.T, B, atol=1e-14)
    # Rounding of 1e-10 of the largest entry is allowed, more is not.
    B[0, 1] = 3e-10
    check_psd(B, 3, "B")
    B[0, 1] = 5e-10
    with pytest.raises(ValueError, match=r"not symmetric \(largest difference .* 5e-10\)"):
        check_psd(B, 3, "B")
    check_psd(np.diag([4.0, -3e-10]), 2, "B")
    with pytest.raises(ValueError, match=r"smallest eigenvalue is -5e-10, allowed are"):
        check_psd(np.diag([4.0, -5e-10]), 2, "B")
    with pytest.raises(ValueError, match=r"shape \(2, 2\); expected \(3, 3\)"):
        check_psd(np.eye(2), 3, "B")


def test_row_space(rng):
    X, T = rng.standard_normal((20, 4)), rng.standard_normal((20, 2))
    full = Moments.of(X, T)
    assert row_space(full)[2] is None
    X[:, 3] = X[:, 0] - X[:, 1]
    moments = Moments.of(X, T)
    xx, xt, V = row_space(moments)
    assert V.shape == (4, 3)
    np.testing.assert_allclose(V @ xx @ V.T, moments.xx, atol=1e-12)
    np.testing.assert_allclose(V @ xt, moments.xt, atol=1e-12)
    with pytest.raises(NoDirectionError):
        row_space(Moments.of(np.ones((5, 2)), T[:5]))


@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (4, 0)])
def test_jacobi_of_any_shape(rng, shape):
    A = rng.standard_normal(shape) * np.geomspace(1, 1e-9, shape[0])[:, None]
    U, s, V = jacobi(A)
    assert (U.shape, s.shape) == (shape, (shape[1],))
    np.testing.assert_allclose((U * s) @ V.T, A, atol=1e-14)
    np.testing.assert_allclose(U.T @ U, np.eye(shape[1]), atol=1e-13)
    np.testing.assert_allclose(s, linalg.svdvals(A) if shape[1] else [], atol=1e-14)


def test_scaled_singular_values_without_null_directions(rng):
    T, scales = rng.standard_normal((6, 2)), np.geomspace(1, 1e-8, 6)
    T = np.column_stack([T, T[:, 0]])
    U, s, V = scaled_svd(scales, T)
    assert len(s) == 2
    np.testing.assert_allclose((U * s) @ V.T, scales[:, None] * T, atol=1e-14)
    nothing = scaled_svd(scales, np.zeros((6, 3)))
    assert [A.shape for A in nothing] == [(6, 0), (0,), (3, 0)]
    # The squares of its singular values are cut.
    for small, kept in ((1e-6, 2), (1e-10, 1)):
        found = scaled_svd(np.ones(2), np.diag([1.0, small]))[1]
        np.testing.assert_allclose(found, [1.0, small][:kept])


def test_least_norm_of_rows_of_any_scale(rng):
    A, C = rng.standard_normal((7, 3)), rng.standard_normal((3, 2))
    A *= np.geomspace(1e-6, 1, 7)[:, None]
    factor = LeastNorm.of(A)
    np.testing.assert_allclose(factor.solve(C), linalg.pinv(A.T) @ C, rtol=1e-9)
    np.testing.assert_allclose(in_range(A)(C), linalg.pinv(A.T) @ C, rtol=1e-9)
    even = rng.standard_normal((7, 3))
    np.testing.assert_allclose(in_range(even)(C), linalg.pinv(even.T) @ C, rtol=1e-9)
    Q = factor.lift(np.eye(3))
    np.testing.assert_allclose(Q.T @ Q, np.eye(3), atol=1e-14)
    np.testing.assert_allclose((Q @ factor.T)[:, np.argsort(factor.pivots)], A, atol=1e-14)
    X = rng.standard_normal((4, 7))
    np.testing.assert_allclose(factor.project(X), X @ Q, atol=1e-14)
    basis = graded_basis(A)
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.tril(basis.T @ A, -1), 0, atol=1e-13)


def test_roots_of_scatters(rng):
    A = rng.standard_normal((9, 4)) * [1, 1e3, 1e-3, 1]
    A[:, 3] = A[:, 0]
    G = A.T @ A
    R = graded_root(G, np.sqrt(np.diag(G)))
    assert R.shape == (3, 4)
    np.testing.assert_allclose(R.T @ R, G, rtol=1e-12, atol=1e-13)
    N = null_basis(*_cholesky(G))
    np.testing.assert_allclose(G @ N, 0, atol=1e-9)
    assert N.shape == (4, 1)


def _cholesky(G):
    factor, order, r, _ = linalg.lapack.dpstrf(G, tol=1e-8, lower=1)
    return np.tril(factor)[:, :r], order - 1


def test_upper_factor_of_columns_that_vary(rng):
    A = rng.standard_normal((9, 3))
    xx = np.zeros((4, 4))
    xx[np.ix_([0, 2, 3], [0, 2, 3])] = A.T @ A
    R = upper_factor(xx)
    np.testing.assert_allclose(R.T @ R, xx, atol=1e-13)
    np.testing.assert_array_equal(np.tril(R[:, [0, 2, 3]], -1), 0)
    assert not upper_factor(np.zeros((2, 2))).any()
    assert upper_factor(np.ones((2, 2))) is None


@pytest.mark.parametrize("rows", [4, 5])
def test_a_block_needs_more_rows_than_columns_to_be_safe(rng, rows):
    block = Gathered.of(rng.standard_normal((rows, 4)), np.ones((rows, 1)), tt=False)
    assert (block.safe is None) == (rows == 4)
    assert isinstance(block.joined(), Triangle)
    assert block.kind == ("gathered", False)


def test_a_ridge_on_the_diagonal(rng):
    xx = spd(rng, 4)
    np.testing.assert_allclose(add_to_diagonal(2 * xx, 3.0), 2 * xx + 3 * np.eye(4))
    L = np.tril(regular_factor(xx, 2.0, 3.0))
    np.testing.assert_allclose(L @ L.T, 2 * xx + 3 * np.eye(4), rtol=1e-13)
    # For two nearly equal columns the second pivot is 1 - r^2 in any units.
    for r, safe in ((1 - 1e-7, True), (1 - 1e-9, False)):
        near = np.array([[1.0, r], [r, 1.0]]) * np.outer([1.0, 1e5], [1.0, 1e5])
        assert (regular_factor(near, 1.0, 0.0) is not None) == safe
        assert (regular_factor(near, 3.0, 0.0) is not None) == safe
    # Pivots are shares of the diagonal that the rounding came with, if one is given.
    assert regular_factor(np.eye(2), 1.0, 0.0, np.full(2, 0.9e8)) is not None
    assert regular_factor(np.eye(2), 1.0, 0.0, np.full(2, 1.1e8)) is None
    assert regular_factor(-np.eye(2), 1.0, 0.0) is None


@pytest.mark.parametrize("b", [0.0, 0.7])
@pytest.mark.parametrize("dependent", [False, True])
def test_a_root_is_whitened_as_the_moments_are(rng, b, dependent):
    X, T = rng.standard_normal((30, 4)), rng.standard_normal((30, 3))
    X[:, 3] = X[:, 0] - X[:, 1] if dependent else X[:, 3]
    xx, xt = Moments.of(X, T).xx, Moments.of(X, T).xt
    K = rng.standard_normal((3, 2))
    pairs = leading(Root.of(X, T), K, 2, a=0.3, b=b)
    metric = 0.3 * xx + b * np.eye(4)
    F = xt @ K
    expected = linalg.eigvalsh(F.T @ linalg.pinvh(metric) @ F)[::-1]
    np.testing.assert_allclose(pairs.values, expected, rtol=1e-9)
    np.testing.assert_allclose(pairs.vectors.T @ metric @ pairs.vectors, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(
        F @ (F.T @ pairs.vectors), metric @ pairs.vectors * expected, atol=1e-9
    )


def test_regular_roots(rng):
    X = rng.standard_normal((30, 3)) * [1e-6, 1.0, 1e6]
    assert is_regular(Root.of(X, np.empty((30, 0))))
    assert not is_regular(Root.of(X[:3], np.empty((3, 0))))
    X[:, 2] = X[:, 1] * (1 + 1e-15)
    assert not is_regular(Root.of(X, np.empty((30, 0))))


def test_whitening_by_a_solution(rng):
    B, F = spd(rng, 6), rng.standard_normal((6, 3))
    F[:, 2] = F[:, 0] + F[:, 1]
    P = np.linalg.solve(B, F)
    W, back, _ = by_solution(P, F.T @ P, 3)
    assert W.shape == (2, 3)
    np.testing.assert_allclose(W.T @ W, F.T @ P, atol=1e-12)
    E = back(np.eye(2))
    np.testing.assert_allclose(E.T @ B @ E, np.eye(2), atol=1e-10)
    np.testing.assert_allclose(E.T @ F, W, atol=1e-12)


def test_orthonormal_keeps_the_directions_of_columns(rng):
    V = linalg.qr(rng.standard_normal((6, 3)), mode="economic")[0]
    np.testing.assert_allclose(orthonormal(V + 1e-9), V, atol=1e-8)
    np.testing.assert_allclose(orthonormal(-V), -V, atol=1e-14)


def test_smallest_pairs_and_all_of_them(rng):
    G = spd(rng, 5)
    values, vectors = smallest_pairs(G.copy(), 2)
    np.testing.assert_allclose(values, linalg.eigvalsh(G)[:2])
    np.testing.assert_allclose(G @ vectors, vectors * values, atol=1e-13)
    assert len(smallest_pairs(G.copy(), 0)[0]) == 5


def test_totals_are_traces(rng):
    G = spd(rng, 8)
    for n_components in (3, 8, None, 0.5):
        assert leading_sum(G.copy(), n_components).total == pytest.approx(np.trace(G))
    some = leading_operator((8, lambda v: G @ v), 7, total=3.0)
    assert (some.total, some.vectors.shape) == (3.0, (8, 7))
    np.testing.assert_allclose(some.values, linalg.eigvalsh(G)[:0:-1], rtol=1e-12)
    # A share of the sum of all eigenvalues.
    pairs = leading_sum(np.diag([5.0, 3.0, 1.0, 1.0]), 0.85)
    np.testing.assert_allclose(pairs.values, [5, 3, 1, 1])
    assert pairs.vectors.shape == (4, 3)


def test_eigenpairs_from_one_range_of_scales_after_the_other(rng):
    scales = np.array([1e6, 1e6, 1.0, 1.0, 1e-6, 1e-6])
    unit = spd(rng, 6, 3.0)
    G = unit * np.outer(scales, scales)
    found, V = by_ranges(6, lambda v: G @ v, 4, scales)
    assert len(found) == 4
    U, s, _ = jacobi(scales[:, None] * linalg.cholesky(unit, lower=True))
    np.testing.assert_allclose(found, s[:4] ** 2, rtol=1e-8)
    assert sine(V, U[:, :4]) < 1e-8
    # In its own unit a coordinate is 1e6 times as large, and so is the rounding of ARPACK in it.
    assert sine(V / scales[:, None], U[:, :4] / scales[:, None]) < 1e-2


def test_rounding_of_a_difference_is_told_below_eight_digits():
    warn_of_rounding(np.array([1.0, 1.1e8 * EPS]))
    with pytest.warns(UserWarning, match=r"Along column 1 .* only 2.0e-08"):
        warn_of_rounding(np.array([1.0, 0.9e8 * EPS]))


def test_coordinates_of_wide_rows(rng):
    X = rng.standard_normal((6, 15)) + 1.0
    weights = rng.random(6)
    for form in (np.asarray, sparse.csr_array):
        for ridge_free in (True, False):
            wide = narrow(form(X), weights, ridge_free=ridge_free)
            mean = weights @ X / weights.sum()
            np.testing.assert_allclose(wide.mean, mean)
            others = rng.standard_normal((4, 15))
            V = wide.lift(np.eye(wide.Z.shape[1]))
            np.testing.assert_allclose(wide.project(form(others)), (others - mean) @ V, atol=1e-10)
            np.testing.assert_allclose(wide.Z, (X - mean) @ V, atol=1e-10)
            plain = narrow(form(X), ridge_free=ridge_free, centre=False)
            assert plain.Z.shape == (6, 6)
            assert not plain.mean.any()
            np.testing.assert_allclose(plain.Z @ plain.Z.T, X @ X.T, rtol=1e-10)
            np.testing.assert_allclose(
                plain.project(form(others)), others @ plain.lift(np.eye(6)), atol=1e-10
            )
            constant = narrow(form(np.ones((3, 5))), ridge_free=ridge_free)
            assert constant.Z.shape == (3, 1)
            assert not constant.Z.any()


def test_a_reduction_is_weak_if_a_direction_may_be_lost(rng):
    wide = narrow(rng.standard_normal((5, 9)), ridge_free=False)
    assert wide.Z.shape == (5, 4)
    assert not is_weak(wide, True)
    assert is_weak(wide, False)
    # The duals of directions of size s are 1 / s.
    for smallest, weak in ((0.9e-4, True), (1.1e-4, False)):
        rows = np.eye(3, 9) * np.array([[1.0], [1e-2], [smallest]])
        assert is_weak(reduced(rows, True, None), False) == weak


def test_columns_of_wide_rows(rng):
    X = np.where(rng.random((6, 4)) < 0.5, rng.standard_normal((6, 4)), 0.0)
    scales = np.array([1.0, 2.0, 4.0, 8.0])
    np.testing.assert_allclose(squares(sparse.csr_array(X), True), 6 * X.var(axis=0), atol=1e-14)
    np.testing.assert_allclose(squares(sparse.csr_array(X), False), np.sum(X**2, axis=0))
    np.testing.assert_allclose(squares(X, True), np.sum(X**2, axis=0))
    np.testing.assert_array_equal(with_columns_divided(X, scales), X / scales)
    np.testing.assert_array_equal(
        with_columns_divided(sparse.csr_array(X), scales).toarray(), X / scales
    )
    K, shares = X @ X.T, np.arange(1.0, 7.0) / 21
    for given, mean in ((None, X.mean(axis=0)), (shares, shares @ X)):
        np.testing.assert_allclose(centre_both(K, given), (X - mean) @ (X - mean).T, atol=1e-13)


def test_gradients_of_columns_that_vanish(rng, limit):
    assert not block_cg(lambda V: V, np.zeros((4, 2))).any()
    limit("gradient iterations", 1)
    B = np.column_stack([np.zeros(3), [1.0, 1.0, 0.0]])
    A = np.diag([1.0, 3.0, 1.0])
    # One step from 0 along B: x = b'b / b'A b b, and what is left of b is 1/2 (1, -1, 0).
    with pytest.warns(ConvergenceWarning, match=r"after 1 iterations at .* of 5\.0e-01 \(tol"):
        X = block_cg(lambda V: A @ V, B)
    np.testing.assert_allclose(X, np.column_stack([np.zeros(3), [0.5, 0.5, 0.0]]))


@pytest.mark.parametrize("smallest", [0.5, 1e-3, 1e-5, 1e-7])
def test_thin_qr_is_triangular(rng, smallest):
    A = linalg.qr(rng.standard_normal((9, 3)), mode="economic")[0] * [1.0, smallest, 1.0]
    A = A @ linalg.qr(rng.standard_normal((3, 3)))[0]
    Q, R = thin_qr(A)
    np.testing.assert_allclose(Q.T @ Q, np.eye(3), atol=1e-14 if smallest < 0.1 else 1e-11)
    np.testing.assert_allclose(Q @ R, A, atol=1e-15)
    np.testing.assert_allclose(np.tril(R, -1), 0, atol=1e-16)


@pytest.mark.parametrize("unit", [1e-12, 1e6])
def test_solvers_do_not_see_the_unit(rng, unit):
    A, B = spd(rng, 9, 100.0), rng.standard_normal((9, 2))
    B[:, 1] *= 1e-7
    np.testing.assert_allclose(block_cg(lambda V: A @ V, unit * B), unit * np.linalg.solve(A, B))
    for smallest in (1e-4, 1e-9):
        A = rng.standard_normal((40, 4))
        A[:, 3] = A[:, 0] + smallest * A[:, 3]
        Q, R = thin_qr(unit * A)
        np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-11)
        np.testing.assert_allclose(Q @ R, unit * A, atol=1e-13 * unit)
    U, V = (linalg.qr(rng.standard_normal((50, 50)))[0][:, :8] for _ in range(2))
    factor = unit * (U * np.geomspace(1, 3e-7, 8)) @ V[:8, :8]
    vectors = leading(Moments(50.0, np.zeros(50), np.zeros(8), factor), None, None).vectors
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=1e-12)


@pytest.mark.parametrize("unit", [1e-13, 1.0, 1e13])
def test_block_lanczos_does_not_see_the_unit(rng, unit, limit):
    limit("Lanczos block", 2)
    Q = linalg.qr(rng.standard_normal((40, 40)))[0]
    values = unit * np.geomspace(1, 1e-3, 40)
    found, U = block_lanczos(lambda V: (Q * values) @ (Q.T @ V), 40, 3, 1e-10, 0)
    np.testing.assert_allclose(found, values[:3], rtol=1e-13)
    assert sine(U, Q[:, :3]) < 1e-8
    # After four directions the space is exhausted, and new directions extend it.
    few = np.where(np.arange(40) < 4, values, 0.0)
    found, U = block_lanczos(lambda V: (Q * few) @ (Q.T @ V), 40, 5, 1e-10, 0)
    np.testing.assert_allclose(found, few[:5], atol=1e-13 * unit)
    assert sine(U[:, :4], Q[:, :4]) < 1e-8
    np.testing.assert_allclose(U.T @ U, np.eye(5), atol=1e-12)


def test_directions_by_products_are_those_of_the_moments(rng, monkeypatch):
    X, T = rng.standard_normal((30, 6)), rng.standard_normal((30, 5))
    moments, products = Moments.of(X, T), Products.of(Sample(sparse.csr_array(X), T))
    given = []
    solve = _lanczos.solve_products
    monkeypatch.setattr(_lanczos, "solve_products", lambda *a: given.append(a[-1]) or solve(*a))
    for K in (None, rng.standard_normal((5, 4))):
        for a, b in ((0.0, 2.0), (0.5, 2.0)):
            found = leading(products, K, 3, a=a, b=b)
            expected = leading(moments, K, 3, a=a, b=b)
            np.testing.assert_allclose(found.values, expected.values[:3], rtol=1e-9)
            assert sine(found.vectors, expected.vectors) < 1e-7
            metric = a * moments.xx + b * np.eye(6)
            gram = found.vectors.T @ metric @ found.vectors
            np.testing.assert_allclose(gram, np.eye(3), atol=1e-8)
            known = a == 0 and K is None
            assert found.total == (pytest.approx(np.sum(moments.xt**2) / b) if known else None)
    # The error of inner solutions is a hundredth of that of the directions.
    assert set(given) == {_lanczos.TOLERANCE / 100}


def test_without_a_ridge_products_find_the_solution_of_least_norm(rng):
    X, T = rng.standard_normal((30, 3)), rng.standard_normal((30, 1))
    X = np.column_stack([X, 2 * X[:, 0]])
    products = Products.of(Sample(sparse.csr_array(X), T))
    moments = Moments.of(X, T)
    found = solve_products(products, moments.xt, 2.0, 0.0)
    np.testing.assert_allclose(found, linalg.pinvh(2 * moments.xx) @ moments.xt, atol=1e-9)


def test_nearly_dependent_columns_keep_their_digits_without_a_ridge(rng):
    X, T = rng.standard_normal((60, 4)), rng.standard_normal((60, 2))
    X[:, 1] = X[:, 0] + 1e-6 * X[:, 1]
    centred, labels = X - X.mean(axis=0), T - T.mean(axis=0)
    expected = linalg.lstsq(centred, labels)[0]
    found = regress(X, T, 0.0).coefficients()
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_no_column_has_no_scale():
    assert not is_graded(np.zeros(0))
    assert is_graded(np.array([1.0, 1001.0**2]))
    assert not is_graded(np.array([1.0, 999.0**2]))
    np.testing.assert_array_equal(unit_pivots(np.diag([2.0, 3.0]), np.array([4.0, 0.0])), [1, 9])


@pytest.mark.parametrize("shape", [(12, 30), (30, 12)])
@pytest.mark.parametrize("apart", [1.0, 1e5])
def test_systems_solved_by_products(rng, shape, apart):
    X = np.where(rng.random(shape) < 0.5, rng.standard_normal(shape), 0.0)
    X[:, 0] *= apart
    T, w = rng.standard_normal((shape[0], 2)), rng.random(shape[0])
    moments = Moments.of(X, T, w)
    expected = np.linalg.solve(2 * moments.xx + 3 * np.eye(shape[1]), moments.xt)
    rows = Rows.of(sparse.csr_array(X), T, w)
    np.testing.assert_allclose(solve_rows(rows, rows.T, 2.0, 3.0), expected, atol=1e-8)
    products = Products.of(Sample(sparse.csr_array(X), T, weights=w))
    found = solve_products(products, moments.xt, 2.0, 3.0)
    np.testing.assert_allclose(found, expected, atol=1e-8)
    if apart == 1 and shape[0] > shape[1]:
        free = solve_products(products, moments.xt, 2.0, 0.0)
        np.testing.assert_allclose(free, np.linalg.solve(2 * moments.xx, moments.xt), atol=1e-7)


def test_steps_of_systems_of_their_own(rng):
    A, B = np.array([spd(rng, 6, c) for c in (1.0, 5.0, 50.0)]), rng.standard_normal((6, 3))
    used = []

    def apply(V, labels):
        used.append(len(labels))
        return np.einsum("kij,jk->ik", A[labels], V)

    expected = np.linalg.solve(A, B.T[:, :, None])[:, :, 0].T
    energy = np.zeros(3)
    X, n_steps, left = column_steps(apply, lambda R: R.copy(), B, 1e-12, 50, energy=energy)
    np.testing.assert_allclose(X, expected, rtol=1e-9)
    np.testing.assert_allclose(energy, np.einsum("ij,ij->j", X, B), rtol=1e-9)
    assert len(left) == 0
    # The identity takes a step, and drops out when the last two have gained nothing.
    assert used[0] == 3
    assert used[-1] < 3
    assert n_steps == len(used)
    by_residual = column_steps(
        apply, lambda R: R.copy(), B, 1e-3, 50, energy=np.zeros(3), by_residual=True
    )
    residual = np.linalg.norm(np.einsum("kij,jk->ik", A, by_residual.X) - B, axis=0)
    assert (residual <= 1e-3 * np.linalg.norm(B, axis=0)).all()
    assert residual.max() > 1e-9
    assert by_residual.n_steps < n_steps
    nothing = column_steps(apply, lambda R: R.copy(), 0 * B, 1e-9, 5, energy=np.zeros(3))
    assert (nothing.n_steps, nothing.X.any()) == (0, False)


def test_steps_that_do_not_suffice_state_their_error(rng):
    A, b = np.diag([1.0, 3.0]), np.array([[1.0], [1.0]])
    # One step: x = (1/2, 1/2), of energy b'x = 1; the whole solution has 4/3.
    with pytest.warns(ConvergenceWarning, match=r"left 1 label\(s\) .* up to 1\.\de\+00 after 1 "):
        X = conjugate_gradients(lambda V, _: A @ V, lambda R: R.copy(), b, max_steps=1)
    np.testing.assert_allclose(X, [[0.5], [0.5]])
    # Steps by a rough operator are corrected with the right one.
    A = spd(rng, 8, 30.0)
    b = rng.standard_normal((8, 2))
    rough = conjugate_gradients(
        lambda V, _: A @ V,
        lambda R: R.copy(),
        b,
        rough=lambda V, _: (A.astype(np.float32) @ V.astype(np.float32)).astype(float),
    )
    np.testing.assert_allclose(rough, np.linalg.solve(A, b), rtol=1e-6, atol=1e-9)


def test_rough_solutions_are_near_the_right_ones(rng):
    units = np.geomspace(1e-30, 1e30, 5)[:, None]
    L = linalg.cholesky(spd(rng, 5), lower=True)
    R = rng.standard_normal((5, 3))
    R[:, 2] = 0.0
    expected = linalg.cho_solve((L, True), R)
    found = rough_solve(units * L)(units * R) * units
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())


@pytest.fixture
def holes(rng):
    X = rng.standard_normal((40, 5)) * [1e-3, 1.0, 1.0, 1e3, 1.0] + 2.0
    T = (rng.random((40, 4)) < 0.5).astype(float)
    T[rng.random(T.shape) < 0.3] = np.nan
    T[:, 3] = np.where(np.isnan(T[:, 0]), np.nan, 1 - T[:, 0])
    return X, T, rng.random(40)


def test_labels_with_the_same_holes(holes):
    assert [group.tolist() for group in patterns(holes[1])] == [[0, 3], [1], [2]]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_system_of_each_label(holes, form, rng):
    X, T, w = holes
    route = route_of(form(X), T, w, advice="")
    system = MaskedSystem.of(route, 0.7, scatter=True)
    V = rng.standard_normal((5, 4))
    expected, right = np.empty_like(V), np.empty_like(V)
    for k in range(4):
        rows = ~np.isnan(T[:, k])
        mean = np.average(X[rows], axis=0, weights=w[rows])
        Xk = X[rows] - mean
        expected[:, k] = Xk.T @ (w[rows] * (Xk @ V[:, k])) + 0.7 * V[:, k]
        right[:, k] = Xk.T @ (w[rows] * T[rows, k])
        np.testing.assert_allclose(system.centres[:, k], mean - np.average(X, axis=0, weights=w))
        assert system.weight[k] == pytest.approx(w[rows].sum())
    np.testing.assert_allclose(system.right, right, atol=1e-9)
    labels = np.arange(4)
    np.testing.assert_allclose(system.apply(V, labels), expected, rtol=1e-8)
    some = np.array([3, 1])
    np.testing.assert_allclose(system.apply(V[:, some], some), expected[:, some], rtol=1e-8)
    scale = np.sqrt(np.abs(expected)).max(axis=1, keepdims=True)
    found = system.rough()(V, labels)
    assert (np.abs(found - expected) <= 1e-4 * scale * scale.max()).all()
    assert system.residual(np.zeros_like(right)) == pytest.approx(1.0)


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_a_ridge_near_rounding_leaves_few_rows_to_a_rank_cut(rng, unit):
    X, T = unit * rng.standard_normal((5, 5)), (rng.random((5, 2)) < 0.5).astype(float)
    T[0, 0] = np.nan
    for ridge, solved in ((1e-10, False), (1e-4, True)):
        route = route_of(X, T, advice="")
        system = MaskedSystem.of(route, unit**2 * ridge, scatter=True)
        assert (system.solve() is not None) == solved


def test_operations_decide_how_labels_with_holes_are_solved():
    def cheaper(n_rows, n_features, n_labels, n_patterns, observed, density=None):
        T = np.full((n_rows, n_labels), np.nan)
        T[:observed] = 0.0
        X = np.broadcast_to(0.0, (n_rows, n_features))
        if density is not None:
            X = sparse.csr_array(np.ones((n_rows, 1))) @ sparse.csr_array(
                np.arange(n_features)[None, :] < density
            )
        return direct_is_cheaper(Sample(X, T), n_patterns)

    # n = 300, D = 30, q = 6: a pattern costs 300 * 30^2 + 30^3 / 3, 40 steps of all labels
    # 40 * 6 * (2 * 9000 + 900); that is 16.3 patterns, or 81.4 of 200 steps if few rows are left.
    assert cheaper(300, 30, 6, 16, 45)
    assert not cheaper(300, 30, 6, 17, 45)
    assert cheaper(300, 30, 6, 81, 44)
    assert not cheaper(300, 30, 6, 82, 44)
    # Three entries per row: 900 * 3 + 9000 against 240 * (1800 + 900), 55.4 patterns.
    assert cheaper(300, 30, 6, 55, 45, density=3)
    assert not cheaper(300, 30, 6, 56, 45, density=3)


def test_solver_table_at_its_edges():
    sides = {"streamed": False, "sparse": True}
    assert choose_solver(3001, 3001, **sides) == "krylov"
    assert choose_solver(3000, 9000, **sides) == "rows"
    assert choose_solver(3000, 3000, **sides) == "scatter"
    assert choose_solver(50, 50, **sides, ridge_free=True) == "root"
    assert choose_solver(9000, 9000, **sides, ridge_free=True) == "root"
    assert choose_solver(9000, 9001, **sides, ridge_free=True) == "rows"
    # 2^30 bytes of labels fit, one more label does not.
    few = {**sides, "few": True, "scatter": False}
    assert choose_solver(10, 2**17, n_labels=2**10, **few) == "thin"
    assert choose_solver(10, 2**17, n_labels=2**10 + 1, **few) == "products"
    assert not too_large(2**17, 2**10)
    assert too_large(2**17, 2**10 + 1)
    assert too_large(1, 1, 10**6)


def test_features_of_nearly_full_rank_are_told(recwarn):
    # 90 percent of 10 degrees of freedom.
    warn_if_any_label_fits(11, 8, None)
    warn_if_any_label_fits(12, 9, None)
    with pytest.warns(UserWarning, match=r"features nearly fit .* rank is 9\. .* Set ridge > 0\."):
        warn_if_any_label_fits(11, 9, None)
    with pytest.warns(UserWarning, match=r"features fit any .* Set mu > 0, e\.g\. 0\.3\."):
        warn_if_any_label_fits(11, 10, lambda: 30.0, "mu")


def test_partial_least_squares_of_two_directions():
    """T is 2 x1 + x2 for orthonormal columns: w = (2, 1) / sqrt 5 explains it at once."""
    xt = np.array([[2.0], [1.0]])
    one = partial_least_squares(lambda r: r, xt, 1)
    np.testing.assert_allclose(np.abs(one.R[:, 0]), np.array([2, 1]) / np.sqrt(5))
    np.testing.assert_allclose(one.R @ one.C.T, xt)
    np.testing.assert_allclose(one.values, [5.0])
    with pytest.warns(UserWarning, match="n_components=2 is more than the 1 directions"):
        assert partial_least_squares(lambda r: r, xt, 2).R.shape == (2, 1)
    with pytest.warns(UserWarning, match="n_components=1 is more than the 0 directions"):
        partial_least_squares(np.zeros_like, xt, 1)
    with pytest.warns(UserWarning, match="n_components=1 is more than the 0 directions"):
        none = partial_least_squares(lambda r: r, 0 * xt, 1)
    assert (none.R.shape, none.C.shape) == ((2, 0), (1, 0))


@pytest.mark.parametrize("shape", [(7, 3), (3, 7)])
def test_partial_least_squares_in_any_coordinates(rng, shape):
    """Coordinates E of a metric M = E'E give the directions that E maps to."""
    n_features, n_labels = shape
    X, T = rng.standard_normal((30, n_features)), rng.standard_normal((30, n_labels))
    moments = Moments.of(X, T)
    plain = partial_least_squares(lambda r: moments.xx @ r, moments.xt, 3)
    E = rng.standard_normal((n_features, n_features))
    # x = E u: xx r = E u for r = E v, so u = E^-1 xx E v.
    metric = E.T @ E
    found = partial_least_squares(
        lambda v: np.linalg.solve(E, moments.xx @ (E @ v)),
        np.linalg.solve(E, moments.xt),
        3,
        lambda V: metric @ V,
    )
    np.testing.assert_allclose(found.values, plain.values, rtol=1e-8)
    assert sine(E @ found.R, plain.R) < 1e-7
    np.testing.assert_allclose(E @ found.R @ found.C.T, plain.R @ plain.C.T, atol=1e-8)
    scores = (X - X.mean(axis=0)) @ plain.R
    gram = scores.T @ scores
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-9)


def test_partial_least_squares_stops_at_rounding(rng):
    # A second direction of 1e-9 is a squared covariance of 1e-18, far above rounding squared.
    both = partial_least_squares(lambda r: r, np.diag([1.0, 1e-9]), 2)
    np.testing.assert_allclose(both.values, [1, 1e-18])
    # A product with a metric leaves eps of it: of one label, a second direction is nothing else.
    E, xt = rng.standard_normal((6, 6)), rng.standard_normal((6, 1))
    metric = E.T @ E
    inverse = np.linalg.inv(E)
    with pytest.warns(UserWarning, match="more than the 1 directions"):
        partial_least_squares(lambda v: inverse @ (E @ v), inverse @ xt, 2, lambda V: metric @ V)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("dependent", [False, True])
def test_least_norm_of_labels_with_holes(holes, signed, dependent):
    X, T, w = holes
    X[:, 4] = X[:, 1] - X[:, 2] if dependent else X[:, 4]
    found = regress(X, T, 0.0, weights=w, signed=signed, tt=True)
    xx, xt = available(X, 2 * T - 1 if signed else T, w)
    units = np.sqrt(np.diag(xx))
    inverse = linalg.pinvh(xx / np.outer(units, units), rtol=1e-10) / np.outer(units, units)
    fitted = xx @ found.coefficients()
    np.testing.assert_allclose(fitted, xx @ inverse @ xt, atol=1e-8 * np.abs(xt).max())
    np.testing.assert_allclose(found.x_mean, np.average(X, axis=0, weights=w))
    means = np.ma.average(np.ma.masked_invalid(T), axis=0, weights=w)
    np.testing.assert_allclose(found.t_mean, 2 * means - 1 if signed else means)


def test_several_ridges_of_one_decomposition(rng):
    X, T = rng.standard_normal((20, 3)), rng.standard_normal((20, 2))
    centred, labels = X - X.mean(axis=0), T - T.mean(axis=0)
    found = regress(X, T, 0.0, 2.0, tt=True)
    assert found.tt_clipped == 0
    np.testing.assert_allclose(found.tt, labels.T @ labels)
    for i, ridge in enumerate((0.0, 2.0)):
        A, xt = centred.T @ centred + ridge * np.eye(3), centred.T @ labels
        np.testing.assert_allclose(found.coefficients(i=i), np.linalg.solve(A, xt), atol=1e-12)
        np.testing.assert_allclose(found.explained(i), xt.T @ np.linalg.solve(A, xt), atol=1e-12)


def test_features_that_do_not_vary_have_no_coefficients(rng):
    found = regress(np.full((9, 2), 3.0), rng.standard_normal((9, 2)), 0.0)
    np.testing.assert_array_equal(found.coefficients(), np.zeros((2, 2)))


@pytest.mark.parametrize("signed", [False, True])
def test_means_of_signed_labels(rng, signed):
    X, T = rng.standard_normal((20, 3)), (rng.random((20, 2)) < 0.4).astype(float)
    for ridge in (0.0, 1.0):
        found = regress(X, T, ridge, signed=signed, tt=True)
        target = 2 * T - 1 if signed else T
        np.testing.assert_allclose(found.t_mean, target.mean(axis=0), atol=1e-14)
        centred, labels = X - X.mean(axis=0), target - target.mean(axis=0)
        expected = np.linalg.solve(centred.T @ centred + ridge * np.eye(3), centred.T @ labels)
        np.testing.assert_allclose(found.coefficients(), expected, atol=1e-12)
        np.testing.assert_allclose(found.tt, labels.T @ labels, atol=1e-12)


def test_sums_about_zero_of_every_route(rng):
    X, T = rng.standard_normal((9, 3)) + 5, rng.standard_normal((9, 2)) + 1
    for solver in ("scatter", "root"):
        found = summarise(Sample(X, T, solver), tt=True, centre=False)
        assert not found.x_mean.any()
        assert not found.t_mean.any()
        np.testing.assert_allclose(found.tt, T.T @ T)
        np.testing.assert_allclose(found.squares, np.sum(X**2, axis=0))
    rows = summarise(Sample(sparse.csr_array(X), T, "krylov"), tt=True, centre=False)
    np.testing.assert_allclose(rows.tt, T.T @ T)
    np.testing.assert_allclose(rows.operator.matmat(np.eye(3)), X)
    assert not rows.x_mean.any()
