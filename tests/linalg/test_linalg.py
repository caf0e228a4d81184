"""The solvers against NumPy on small problems, with certificates."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import labelspan as ls
from labelspan.linalg import (
    choose_solver,
    column_scales,
    fix_signs,
    inverse_root,
    is_graded,
    leading,
    leading_operator,
    leading_pencil,
    leading_sum,
    n_directions,
    narrow,
    rank,
    regress_pooled,
    spectral,
)
from labelspan.linalg._block_cg import block_cg, thin_qr
from labelspan.linalg._graded import jacobi
from labelspan.linalg._least_norm import Gathered
from labelspan.moments import Moments, Root
from tests.comparison import sine
from tests.reference import extraction as reference
from tests.registry import METHODS, name


def spd(rng, side, condition):
    Q = linalg.qr(rng.standard_normal((side, side)))[0]
    return (Q * np.geomspace(1, condition, side)) @ Q.T


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e6])
def test_block_cg_reaches_its_residual(rng, condition):
    A = spd(rng, 60, condition)
    B = rng.standard_normal((60, 5))
    B = np.column_stack([B, B[:, 0] + B[:, 1], np.zeros(60)])  # dependent and zero columns
    X = block_cg(lambda V: A @ V, B)
    residual = np.linalg.norm(A @ X - B, axis=0)
    # The recursion's residual drifts from the true one by eps times the condition number.
    assert (residual <= 1e-8 * np.linalg.norm(B, axis=0) + 1e-12 * condition).all()


def test_block_cg_says_when_it_does_not_converge(rng):
    A = spd(rng, 60, 1e15)
    with pytest.warns(ConvergenceWarning, match="relative residual of .* Raise the ridge"):
        block_cg(lambda V: A @ V, rng.standard_normal((60, 2)))


@pytest.mark.parametrize("smallest", [1.0, 1e-4, 1e-9, 0.0])
def test_thin_qr_is_orthonormal_whatever_the_condition(rng, smallest):
    A = rng.standard_normal((40, 4))
    A[:, 3] = A[:, 0] + smallest * A[:, 3]
    Q, R = thin_qr(A)
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-11)
    np.testing.assert_allclose(Q @ R, A, atol=1e-13)


def test_rank_is_relative():
    assert rank(np.array([1e8, 1.0, 1e-10]), 10) == 2
    assert rank(np.array([1e-20, 1e-22]), 10) == 2
    assert rank(np.array([0.0, -1e-20]), 10) == 0
    assert rank(np.array([]), 10) == 0


def test_share_is_of_the_whole_sum():
    values = np.array([5.0, 3.0, 1.0, 1.0])
    assert n_directions(values, 10.0, 0.5) == 1
    assert n_directions(values, 10.0, 0.51) == 2
    assert n_directions(values, 10.0, 0.8) == 2
    assert n_directions(values, 10.0, 0.999) == 4
    assert n_directions(values, 10.0, None) == 4
    assert n_directions(values, 10.0, 3) == 3
    # Only the first two were computed, the sum is a trace.
    assert n_directions(values[:2], 10.0, 0.8) == 2


def test_signs_do_not_hang_on_rounding():
    V = np.array([[0.6, 0.5], [-0.6, -0.5], [0.1, -0.5], [-0.3, 0.5]])
    V = V.T
    fixed = fix_signs(V.copy())
    # First row: the pair cancels, the rest decides. Second: all cancels, the first entry.
    np.testing.assert_array_equal(fixed[0], -V[0])
    np.testing.assert_array_equal(fixed[1], V[1])
    noisy = V + 1e-15 * np.array([[-1, -1, 1, 1], [0, 0, 0, 0]])
    np.testing.assert_allclose(fix_signs(noisy), fixed, atol=1e-12)
    np.testing.assert_array_equal(fix_signs(-V), fixed)


@pytest.mark.parametrize("shape", [(30, 4), (4, 30)])
@pytest.mark.parametrize("n_components", [2, None])
def test_leading_solves_the_pencil(rng, shape, n_components):
    n_features, n_labels = shape
    X, T = rng.standard_normal((60, n_features)), rng.standard_normal((60, n_labels))
    moments = Moments.of(X, T)
    K = rng.standard_normal((n_labels, n_labels))
    A, B = moments.xt @ K @ K.T @ moments.xt.T, 0.3 * moments.xx + 0.7 * np.eye(n_features)
    pairs = leading(moments, K, n_components, a=0.3, b=0.7)
    values = linalg.eigh(A, B, eigvals_only=True)[::-1][: len(pairs.values)]
    np.testing.assert_allclose(pairs.values, values, rtol=1e-9)
    V = pairs.vectors
    np.testing.assert_allclose(V.T @ B @ V, np.eye(V.shape[1]), atol=1e-10)
    residual = A @ V - B @ V * pairs.values[: V.shape[1]]
    assert np.abs(residual).max() <= 1e-9 * pairs.values[0] * np.abs(B @ V).max()


def test_all_directions_are_orthonormal_even_near_the_rank_cut(rng):
    U, V = (linalg.qr(rng.standard_normal((50, 50)))[0][:, :8] for _ in range(2))
    factor = (U * np.geomspace(1, 3e-7, 8)) @ V[:8, :8]
    moments = Moments(50.0, np.zeros(50), np.zeros(8), factor)
    vectors = leading(moments, None, None).vectors
    assert vectors.shape[1] >= 6
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=1e-12)


def test_leading_sum_number_and_share_agree(rng):
    G = spd(rng, 20, 1e4)
    some, every = leading_sum(G.copy(), 3), leading_sum(G.copy(), None)
    np.testing.assert_allclose(some.values, every.values[:3], rtol=1e-12)
    np.testing.assert_allclose(np.abs(some.vectors.T @ every.vectors[:, :3]), np.eye(3), atol=1e-9)
    lanczos = leading_operator((20, lambda v: G @ v), 3)
    np.testing.assert_allclose(lanczos.values, every.values[:3], rtol=1e-10)
    assert sine(lanczos.vectors, every.vectors[:, :3]) < 1e-9


def test_leading_pencil_is_eigh(rng):
    A, B = spd(rng, 15, 100.0), spd(rng, 15, 50.0)
    pairs = leading_pencil(A, B, None)
    np.testing.assert_allclose(pairs.values, linalg.eigh(A, B, eigvals_only=True)[::-1])
    np.testing.assert_allclose(pairs.vectors.T @ B @ pairs.vectors, np.eye(15), atol=1e-10)


@pytest.mark.parametrize("ridge_free", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_narrow_is_an_isometry(rng, ridge_free, form):
    X = rng.standard_normal((12, 40)) + 2.0
    X[3] = X[4]  # rank 10 after centring
    wide = narrow(form(X), ridge_free=ridge_free)
    Xc = X - X.mean(axis=0)
    assert wide.Z.shape == (12, 10)
    np.testing.assert_allclose(wide.Z @ wide.Z.T, Xc @ Xc.T, atol=1e-10)
    V = wide.lift(np.eye(10))
    np.testing.assert_allclose(V.T @ V, np.eye(10), atol=1e-10)
    np.testing.assert_allclose(Xc @ V, wide.Z, atol=1e-10)
    np.testing.assert_allclose(wide.mean, X.mean(axis=0))


@pytest.mark.parametrize("statistic", [Moments, Root])
def test_spectral_form_serves_every_ridge(rng, statistic):
    X, T = rng.standard_normal((40, 7)), rng.standard_normal((40, 3))
    X[:, 6] = X[:, 0]
    moments, form = Moments.of(X, T), spectral(statistic.of(X, T))
    assert len(form.s) == 6
    for ridge in (0.01, 10.0):
        solved = linalg.solve(moments.xx + ridge * np.eye(7), moments.xt)
        by_form = form.V @ ((form.s / (form.s**2 + ridge))[:, None] * form.UT)
        np.testing.assert_allclose(by_form, solved, atol=1e-10)


def test_inverse_root_leaves_null_directions_out(rng):
    T = rng.standard_normal((30, 3))
    M = np.column_stack([T, T[:, 0]]).T @ np.column_stack([T, T[:, 0]])
    K = inverse_root(M, 0.0)
    assert K.shape == (4, 3)
    np.testing.assert_allclose(K @ K.T, linalg.pinv(M), atol=1e-10)
    K = inverse_root(M, 0.5)
    np.testing.assert_allclose(K @ K.T, linalg.inv(M + 0.5 * np.eye(4)), atol=1e-10)


def test_solver_table():
    dense = {"sparse": False, "streamed": False}
    assert choose_solver(10, 20, **dense, scatter=False) == "thin"
    assert choose_solver(20, 10, **dense) == "scatter"
    assert choose_solver(10, 20, **dense) == "rows"
    assert choose_solver(20, 10, **dense, ridge_free=True) == "root"
    assert choose_solver(10, 20, **dense, ridge_free=True) == "rows"
    assert choose_solver(10, 20, sparse=False, streamed=True) == "scatter"
    assert choose_solver(10, 20, sparse=True, streamed=True, ridge_free=True) == "root"
    assert choose_solver(5000, 9000, sparse=True, streamed=False) == "krylov"
    assert choose_solver(5000, 9000, sparse=True, streamed=False, thin=False) == "rows"
    assert choose_solver(5000, 900, sparse=True, streamed=False) == "scatter"


THIN = [m for m in METHODS if m.thin] + [m for m in METHODS if m.name.startswith("mvmd")]


@pytest.mark.parametrize("method", THIN, ids=name)
@pytest.mark.parametrize("wide", [True, False])
def test_krylov_equals_the_direct_solvers(method, wide, training, limit):
    X, Y = training("yeast")
    X, Y = (X[:80], Y[:80]) if wide else (X[:300], Y[:300])
    X = sparse.csr_array(np.where(np.abs(X) > 0.08, X, 0.0))
    model = clone(method.estimator).set_params(n_components=6).fit(X, Y)
    limit("krylov side", 10)
    krylov = clone(method.estimator).set_params(n_components=6).fit(X, Y)
    assert (model.solver_, krylov.solver_) == ("rows" if wide else "scatter", "krylov")
    shared = min(len(krylov.eigenvalues_), len(model.eigenvalues_))
    np.testing.assert_allclose(krylov.eigenvalues_[:shared], model.eigenvalues_[:shared], rtol=1e-8)
    assert sine(krylov.components_.T, model.components_.T) < 1e-6
    np.testing.assert_allclose(krylov.mean_, model.mean_, atol=1e-12)


@pytest.mark.parametrize("shape", [(3001, 3001), (3400, 3001)])
@pytest.mark.parametrize(
    "model",
    [
        ls.MDDM(None, constraint="feature", mu=0.5),
        ls.HSL(None, expansion="zhou", ridge=0.1),
        ls.OPLS(None, ridge=0.1),
    ],
    ids=["mddm", "hsl", "opls"],
)
def test_krylov_keeps_no_direction_of_rounding(shape, model):
    # The scales of the three directions are 10 apart, so that their products are rounded.
    for seed in range(4):
        rng = np.random.default_rng(seed)
        scores = sparse.random_array((shape[0], 3), density=0.05, random_state=rng, format="csr")
        loadings = sparse.random_array((3, shape[1]), density=0.05, random_state=rng, format="csr")
        X = sparse.csr_array(scores @ sparse.diags_array([1.0, 0.1, 0.01]) @ loadings)
        Y = (rng.random((shape[0], 6)) < 0.3).astype(int)
        krylov = clone(model).fit(X, Y)
        assert krylov.solver_ == "krylov"
        assert len(krylov.eigenvalues_) == krylov.n_components_ == 3
    direct = clone(model).fit(X.toarray(), Y)
    np.testing.assert_allclose(krylov.eigenvalues_, direct.eigenvalues_, rtol=1e-7)


def test_ill_conditioned_x_without_a_ridge_keeps_its_digits(rng):
    # X = U s V' with known factors and cond 1e8: the eigenvalues are those of (U'Y)(U'Y)'.
    n, n_features = 300, 12
    U = linalg.qr(np.column_stack([np.ones(n), rng.standard_normal((n, n_features))]))[0]
    U = U[:, 1 : n_features + 1]
    V = linalg.qr(rng.standard_normal((n_features, n_features)))[0]
    X = (U * np.geomspace(1, 1e-8, n_features)) @ V.T
    Y = (U[:, -4:] + 0.02 * rng.standard_normal((n, 4)) > 0).astype(int)
    W = U.T @ Y
    values, vectors = np.linalg.eigh(W @ W.T)
    model = ls.OPLS(4, ridge=0.0).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:4], rtol=1e-6)
    assert sine(model.transform(X), U @ vectors[:, ::-1][:, :4]) < 1e-6
    for chunked in (ls.OPLS(4, ridge=0.0), ls.MDDM(4, constraint="feature", mu=1.0)):
        for rows in np.array_split(np.arange(n), 5):
            chunked.partial_fit(X[rows], Y[rows])
        assert sine(chunked.transform(X), model.transform(X)) < 1e-6
    # The check can fail: the Gram matrix has lost these directions.
    gram = linalg.eigvalsh(Moments.of(X, Y.astype(float)).xx)
    assert abs(gram[0] / 1e-16 - 1) > 0.1


@pytest.mark.parametrize("ridge", [1e-300, 1e-14, 1e-9])
def test_a_ridge_below_rounding_is_no_crash(rng, ridge):
    X = rng.standard_normal((40, 6))
    X = np.column_stack([X, X[:, 0] + X[:, 1]]) * 1e3
    Y = (X[:, :3] > 0).astype(int)
    exact = ls.OPLS(None, ridge=0.0).fit(X, Y)
    np.testing.assert_allclose(
        ls.OPLS(None, ridge=ridge).fit(X, Y).eigenvalues_, exact.eigenvalues_, rtol=1e-6
    )


def test_a_pencil_that_lost_its_ridge_says_so(rng):
    # The labels explain the features completely, so the within-label scatter is rounding.
    Y = np.eye(3)[rng.integers(0, 3, 40)]
    X = (Y @ rng.standard_normal((3, 2)) + 7) * 1e9
    for model in (ls.DMLDA(ridge=1e-12), ls.MLDA(ridge=1e-12)):
        with pytest.raises(ValueError, match=r"is lost in the rounding .* Raise ridge"):
            model.fit(X, Y)


def test_mlda_of_separated_labels_keeps_its_digits(rng, limit):
    # n < D: between- over within-label scatter is 1e4 and more, and 1 - m of a shortcut as small.
    X = sparse.csr_array(np.where(rng.random((60, 400)) < 0.1, rng.integers(1, 50, (60, 400)), 0))
    y = rng.integers(0, 4, 60)
    values, _ = reference.mlda(X.toarray().astype(float), np.eye(4)[y])
    assert values[0] > 1e4
    direct = ls.MLDA(None).fit(X, y)
    limit("krylov side", 10)
    krylov = ls.MLDA(None).fit(X, y)
    assert krylov.solver_ == "krylov"
    np.testing.assert_allclose(direct.eigenvalues_, values[:3], rtol=1e-7)
    np.testing.assert_allclose(krylov.eigenvalues_, values[:3], rtol=1e-7)
    scale = np.abs(direct.components_).max()
    np.testing.assert_allclose(krylov.components_, direct.components_, atol=1e-6 * scale)


def test_mlsi_keeps_directions_that_the_labels_explain(rng):
    Y = (rng.random((200, 3)) < 0.4).astype(int)
    X = np.column_stack([Y, 100 * rng.standard_normal(200)])
    values, _ = reference.mlsi(X, Y, ridge=1e-4, joint_ridge=1e-4)
    model = ls.MLSI(None, ridge=1e-4, joint_ridge=1e-4).fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-5)
    # Even where the difference is all rounding, nothing is dropped.
    assert ls.MLSI(None, ridge=1e-9, joint_ridge=1e-9).fit(X, Y).n_components_ == 4


@pytest.mark.parametrize("scale", [1e3, 1e5, 1e6])
def test_no_direction_leaks_into_the_null_space(rng, scale):
    X = rng.standard_normal((30, 5)) * scale
    X = np.column_stack([X, X])
    Y = (X[:, :3] > 0).astype(int)
    for model in (
        ls.OPLS(ridge=0.1),
        ls.MDDM(constraint="feature", mu=0.5),
        ls.LabelCCA(ridge=0.1),
        ls.OPLS(),
    ):
        components = model.fit(X, Y).components_
        leak = np.abs(components[:, :5] - components[:, 5:]).max()
        assert leak <= 1e-8 * np.abs(components).max()


def test_signs_of_huge_and_tiny_components(rng):
    V = rng.standard_normal((3, 10))
    fixed = fix_signs(V.copy())
    for scale in (1e-150, 1e150):
        np.testing.assert_allclose(fix_signs(V * scale) / scale, fixed, rtol=1e-12)


def test_canonical_correlations_of_ill_conditioned_x(rng):
    n = 200
    U = linalg.qr(np.column_stack([np.ones(n), rng.standard_normal((n, 6))]))[0][:, 1:7]
    X = (U * np.geomspace(1, 1e-8, 6)) @ linalg.qr(rng.standard_normal((6, 6)))[0]
    Y = (U[:, 3:] + 0.05 * rng.standard_normal((n, 3)) > 0).astype(int)
    Q = linalg.orth(Y - Y.mean(axis=0))
    model = ls.LabelCCA(None, ridge=0.0, label_ridge=0.0).fit(X, Y)
    correlations = linalg.svdvals(Q.T @ U)
    np.testing.assert_allclose(np.sqrt(model.eigenvalues_), correlations, rtol=1e-6)


def test_scales_are_powers_of_two_and_a_constant_has_none():
    squares = np.array([1e-18, 0.0, 9.0, 4e24])
    scales = column_scales(squares)
    np.testing.assert_array_equal(np.frexp(scales)[0], 0.5)
    np.testing.assert_allclose(np.log2(scales[[0, 2, 3]] ** 2 / squares[[0, 2, 3]]), 1, atol=1.01)
    # Constant columns do not count as different scales; equally small units are one unit.
    assert is_graded(squares)
    assert not is_graded(np.array([1e-18, 2e-18, 0.0]))
    assert not is_graded(np.array([0.0, 1e18]))
    np.testing.assert_array_equal(column_scales(np.zeros(2)), 1.0)


def test_jacobi_finds_each_entry_of_the_vectors():
    # Rows of scales far apart: the angle of the vectors is 0.5e-20, to first order.
    A = np.array([[1e10, 0.0], [0.5e-10, 1e-10]])
    U, s, V = jacobi(A[::-1])
    np.testing.assert_allclose((U * s) @ V.T, A[::-1], rtol=1e-14, atol=1e-40)
    np.testing.assert_allclose(s, [1e10, 1e-10], rtol=1e-14)
    np.testing.assert_allclose(np.abs(U), [[0.5e-20, 1.0], [1.0, 0.5e-20]], rtol=1e-14)


def test_conjugate_gradients_that_break_down_warn():
    # Singular to working precision, and the right-hand side is in the null space.
    A = np.diag([1.0, 0.0, 0.0])
    with pytest.warns(ConvergenceWarning, match=r"stopped after 1 iterations at a relative resid"):
        block_cg(lambda V: A @ V, np.array([[0.0], [1.0], [0.0]]))


@pytest.mark.parametrize("bad", [(), (0,), (1, 2), (0, 1, 2)], ids=str)
def test_blocks_without_a_ridge_are_kept_as_their_condition_asks(bad, rng):
    X = rng.standard_normal((90, 5))
    T = rng.standard_normal((90, 2))
    # A constant column in one block; columns that differ by a millionth in the bad ones.
    X[:30, 4] = 3.0
    for i in bad:
        rows = slice(30 * i, 30 * i + 30)
        X[rows, 1] = X[rows, 0] + 1e-6 * X[rows, 1]
    parts = [Gathered.of(X[i : i + 30], T[i : i + 30], tt=True) for i in (0, 30, 60)]
    assert [part.safe is None for part in parts] == [i in bad for i in range(3)]
    total = (parts[0] + parts[1] + parts[2]).moved(np.full(5, 7.0))
    assert total.kind == parts[0].kind
    assert total.weight == 90
    np.testing.assert_allclose(total.x_mean, X.mean(axis=0) + 7.0, rtol=1e-14)
    joined = total.joined()
    centred = X - X.mean(axis=0)
    R = linalg.qr(centred, mode="r")[0][:5]
    np.testing.assert_allclose(np.abs(joined.root.R), np.abs(R), rtol=1e-8, atol=1e-14)
    found = regress_pooled(total, 0.0)
    expected = linalg.lstsq(centred, T - T.mean(axis=0))[0]
    np.testing.assert_allclose(centred @ found.coefficients(), centred @ expected, atol=1e-9)
    np.testing.assert_allclose(found.tt, (T - T.mean(axis=0)).T @ T, atol=1e-12)
