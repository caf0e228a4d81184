"""Each function that has a second form for arrays on a device, against the form of the host."""

import numpy as np
import pytest

from labelspan.arrays import (
    add_to_diagonal,
    orthonormal,
    regular_factor,
    smallest_pairs,
    solve_triangular,
    to_host,
)
from labelspan.gate import Labels
from labelspan.linalg import (
    as_rows,
    by_solution,
    inverse_root,
    leading_pencil,
    leading_sum,
    narrow,
    row_space,
)
from labelspan.moments import ColumnSpreads, Moments, Root
from tests.comparison import sine


@pytest.fixture
def spd(rng):
    A = rng.standard_normal((20, 5))
    return A.T @ A


def same(found, expected):
    scale = np.abs(expected).max() if np.size(expected) else 1.0
    np.testing.assert_allclose(to_host(found), expected, atol=1e-12 * scale)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("needs", [{}, {"xx": False}, {"tt": False}], ids=str)
def test_moments_of_blocks(place, rng, weighted, needs):
    X, T, w = rng.standard_normal((40, 5)) + 3, rng.standard_normal((40, 3)), rng.random(40)
    w = w if weighted else None

    def blocks(put):
        return [
            Moments.of(put(X[rows]), put(T[rows]), None if w is None else put(w[rows]), **needs)
            for rows in (slice(0, 15), slice(15, 40))
        ]

    host, there = (sum(found[1:], found[0]) for found in (blocks(np.asarray), blocks(place.put)))
    assert there.weight == pytest.approx(host.weight)
    for name in ("x_mean", "t_mean", "xt", "xx", "tt"):
        expected = getattr(host, name)
        if expected is None:
            assert getattr(there, name) is None
        else:
            same(getattr(there, name), expected)
    if weighted or "xx" not in needs:
        same(there.squares, host.squares)
    # Of rows without weights, some of each block say how far it spreads.
    np.testing.assert_allclose(to_host(there.squares), host.squares, rtol=0.5)


@pytest.mark.parametrize("weighted", [False, True])
def test_factors_of_blocks(place, rng, weighted):
    X, T, w = rng.standard_normal((30, 4)) + 1, rng.standard_normal((30, 2)), rng.random(30)
    host, there = (
        Root.of(*(put(A[:12]) for A in (X, T, w)[: 2 + weighted]))
        + Root.of(*(put(A[12:]) for A in (X, T, w)[: 2 + weighted]))
        for put in (np.asarray, place.put)
    )
    R = to_host(there.R)
    same(R.T @ R, host.R.T @ host.R)
    same(there.x_mean, host.x_mean)
    same(there.t_mean, host.t_mean)
    assert there.weight == pytest.approx(host.weight)


def test_a_glance_at_rows(place, rng):
    X = rng.standard_normal((50, 3)) + np.array([0.0, 5.0, 100.0])
    found = ColumnSpreads.at(place.put(X))
    same(found.mean, X.mean(axis=0))
    same(found.variance, X.var(axis=0))
    # The third mean is far above its spread.
    assert (found.near, found.varies) == (False, True)
    X[:, 1] = 7.0
    X[:, 2] = 0.0
    constant = ColumnSpreads.at(place.put(X))
    assert to_host(constant.mean)[1] == 7.0
    assert (constant.near, constant.varies) == (False, False)
    X[:, 1] = 0.0
    assert ColumnSpreads.at(place.put(X)).near
    # Spreads whose squares leave single precision.
    for unit in (1e-15, 1e15):
        assert not ColumnSpreads.at(place.put(unit * X)).near


def test_eigenpairs(place, spd, rng):
    values, vectors = smallest_pairs(place.put(spd), 0)
    same(values, np.linalg.eigvalsh(spd))
    V = to_host(vectors)
    same(spd @ V, V * values)
    host = leading_sum(spd.copy(), 2)
    there = leading_sum(place.put(spd), 2)
    same(there.values[:2], host.values)
    assert there.total == pytest.approx(np.trace(spd))
    assert sine(to_host(there.vectors), host.vectors) < 1e-10
    A = spd + np.diag(np.arange(5.0))
    pencil, expected = leading_pencil(place.put(A), place.put(spd), 3), leading_pencil(A, spd, 3)
    same(pencil.values[:3], expected.values[:3])
    assert sine(to_host(pencil.vectors), expected.vectors) < 1e-9
    Q = np.linalg.qr(rng.standard_normal((5, 3)))[0]
    same(orthonormal(place.put(-Q)), -Q)
    rows = as_rows(place.put(Q))
    assert place.holds(rows)
    same(rows, Q.T)


def test_factors_and_roots(place, spd, rng):
    B = rng.standard_normal((5, 2))
    same(add_to_diagonal(place.put(2 * spd), 3.0), 2 * spd + 3 * np.eye(5))
    L = regular_factor(place.put(spd), 2.0, 3.0)
    same(np.tril(to_host(L)), np.linalg.cholesky(2 * spd + 3 * np.eye(5)))
    lower = np.tril(to_host(L))
    same(solve_triangular(L, place.put(B)), np.linalg.solve(lower, B))
    same(solve_triangular(L, place.put(B), transposed=True), np.linalg.solve(lower.T, B))
    spd[4] = spd[:, 4] = 0.0
    assert regular_factor(place.put(spd), 1.0, 0.0) is None
    K = to_host(inverse_root(place.put(spd), 0.0))
    assert K.shape == (5, 4)
    same(K @ K.T, np.linalg.pinv(spd))
    K = to_host(inverse_root(place.put(spd), 0.5))
    same(K @ K.T, np.linalg.inv(spd + 0.5 * np.eye(5)))


def test_a_row_space_on_a_device(place, rng):
    X, T = rng.standard_normal((20, 3)), rng.standard_normal((20, 2))
    for dependent in (False, True):
        X[:, 2] = X[:, 0] if dependent else X[:, 2]
        moments = Moments.of(place.put(X), place.put(T))
        xx, xt, V = row_space(moments)
        assert (V is not None) == dependent
        same(xx if V is None else V @ xx @ V.T, to_host(moments.xx))
        same(xt if V is None else V @ xt, to_host(moments.xt))


def test_a_solution_is_whitened(place, spd, rng):
    F = rng.standard_normal((5, 3))
    F[:, 2] = F[:, 0]
    P = np.linalg.solve(spd, F)
    W, back, _ = by_solution(place.put(P), place.put(F.T @ P), 3)
    assert W.shape == (2, 3)
    same(to_host(W).T @ to_host(W), F.T @ P)
    E = to_host(back(place.put(np.eye(2))))
    same(E.T @ spd @ E, np.eye(2))


@pytest.mark.parametrize("ridge_free", [False, True])
@pytest.mark.parametrize("centre", [False, True])
def test_coordinates_of_wide_rows(place, rng, ridge_free, centre):
    X, w = rng.standard_normal((6, 15)) + 1, rng.random(6)
    X[3] = X[4]
    host = narrow(X, w, ridge_free=ridge_free, centre=centre)
    there = narrow(place.put(X), place.put(w), ridge_free=ridge_free, centre=centre)
    same(there.mean, host.mean)
    Z, r = to_host(there.Z), 5 - centre
    assert Z.shape == (6, r)
    same(Z @ Z.T, host.Z @ host.Z.T)
    V = to_host(there.lift(place.put(np.eye(r))))
    same(V.T @ V, np.eye(r))
    same((X - host.mean) @ V, Z)
    same(there.project(place.put(X)), Z)
    constant = narrow(place.put(np.full((3, 5), 2.0)), ridge_free=ridge_free)
    assert constant.Z.shape == (3, 1)
    assert not to_host(constant.Z).any()


def test_numbers_of_classes(place):
    one_hot, second = np.eye(3)[[2, 0, 1, 0]], np.array([[0.0], [1.0], [1.0]])
    assert Labels(place.put(one_hot)).codes.tolist() == [2, 0, 1, 0]
    assert Labels(place.put(second)).codes.tolist() == [0, 1, 1]
    assert Labels(second).codes.tolist() == [0, 1, 1]
