"""Models of a path against models that were fitted one by one, and the certificate of both."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import ParameterGrid

import labelspan.kernels._shifted as module
from labelspan.extraction import MDDM
from labelspan.kernels import (
    KernelCPLST,
    KernelCPLSTCV,
    KernelLabelCCA,
    KernelMDDM,
    KernelSharedSubspaceClassifier,
    kernel_path,
)
from labelspan.kernels._gram import centre, solve
from labelspan.kernels._shifted import ShiftedSolver, expected_steps

RIDGES = [0.02, 0.1, 0.5, 2.0, 10.0]


def problem(n=600, q=2, D=6, seed=0):
    """Few labels for the rows, so that the Krylov space pays."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D))
    Y = (np.tanh(X) @ rng.standard_normal((D, q)) + rng.standard_normal((n, q)) > 0.5).astype(int)
    return X, Y


def kernel(X, gamma=0.2):
    K = rbf_kernel(X, gamma=gamma)
    centre(K)
    return (K + K.T) / 2


GRIDS = [
    (KernelCPLST(gamma=0.2), {"ridge": RIDGES}),
    (KernelLabelCCA(2, gamma=0.2), {"ridge": RIDGES, "label_ridge": [0.1, 10.0]}),
    (KernelMDDM(2, constraint="feature", gamma=0.2), {"mu": [0.1, 0.5, 0.9, 0.97]}),
    (KernelMDDM(2, constraint="feature", gamma=0.2), {"mu": [0.0, 0.5, 0.9]}),
    (KernelMDDM(None, constraint="feature", gamma=0.2), {"mu": [0.5, 0.9], "n_components": [1, 2]}),
    (KernelSharedSubspaceClassifier(1, gamma=0.2), {"alpha": [0.01, 0.1], "beta": [0.001, 0.01]}),
]


def outcome(model, X):
    """What a model says about rows: projections up to sign, or scores."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    P = model.transform(X)
    return P * np.sign(P[0])


@pytest.mark.parametrize(("estimator", "grid"), GRIDS)
@pytest.mark.parametrize("extra", [{}, {"n_landmarks": 60, "random_state": 0}])
def test_a_path_is_the_models_fitted_one_by_one(estimator, grid, extra):
    X, Y = problem()
    estimator = clone(estimator).set_params(**extra)
    path = kernel_path(estimator, X, Y, grid, tol=1e-10)
    assert path.params == tuple(ParameterGrid(grid))
    assert (path.residual > 0) == (not extra)
    assert path.residual <= 2e-10
    X_new = problem(seed=1)[0]
    for point, model in zip(path.params, path.estimators, strict=True):
        alone = clone(estimator).set_params(**point).fit(X, Y)
        # Not below: an alone fit is a direct solve, with its own rounding.
        assert_allclose(outcome(model, X_new), outcome(alone, X_new), atol=2e-8)
        assert model.get_params() == alone.get_params()
        assert vars(model).keys() == vars(alone).keys()


def test_one_factor_serves_the_grid(monkeypatch):
    X, Y = problem()
    shared, direct = [], []
    true_factor, true_solve = module.factor, module.solve
    monkeypatch.setattr(module, "factor", lambda *args: shared.append(1) or true_factor(*args))
    monkeypatch.setattr(module, "solve", lambda *args: direct.append(1) or true_solve(*args))
    kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": RIDGES})
    assert (len(shared), len(direct)) == (1, 0)
    # Without a ridge the eigenvectors are needed, whatever the others do.
    path = kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": [0.0, *RIDGES]}, tol=1e-9)
    assert (len(shared), len(direct)) == (2, 1)
    alone = KernelCPLST(gamma=0.2, ridge=0.0).fit(X, Y)
    assert_allclose(path.estimators[0].decision_function(X), alone.decision_function(X), atol=1e-8)


@pytest.mark.parametrize("spread", [1.0001, 10.0, 1e4])
def test_the_residual_is_that_of_the_linear_system(spread):
    """The certificate costs no product with K; here K says whether it is true."""
    X, Y = problem()
    K = kernel(X)
    T = Y - Y.mean(axis=0)
    ends = [0.1, 0.1 * spread]
    middle = np.sqrt(ends[0] * ends[1])
    basis = module.krylov(factored(K, middle), middle, T, ends, 99, 1e-9)
    for ridge in ends:
        y = basis.coordinates(ridge, T)
        P, KP = basis.solution(y)
        true = np.linalg.norm(T - K @ P - ridge * P)
        size = np.linalg.norm(T)
        assert true <= 2e-9 * size
        assert basis.residual(ridge, y) == pytest.approx(true, abs=1e-12 * size)
        assert_allclose(KP, K @ P, atol=1e-10)
    assert_allclose(basis.W.T @ basis.W, np.eye(basis.W.shape[1]), atol=1e-12)


def factored(K, sigma):
    A = K.copy().T
    module.factor(A, sigma)
    return A


def test_the_kernel_is_given_back():
    X, Y = problem()
    K = kernel(X)
    before = K.copy()
    solver = ShiftedSolver(K, Y - Y.mean(axis=0), RIDGES, 1e-9)
    assert solver.basis is not None
    np.testing.assert_array_equal(K, before)


@pytest.mark.parametrize("case", ["duplicate", "constant", "none", "few distinct rows"])
def test_deficient_right_sides(case):
    X, Y = problem()
    T = (Y - Y.mean(axis=0)).astype(float)
    if case == "duplicate":
        T = T[:, [0, 1, 0]]
    elif case == "constant":
        T[:, 1] = 0
    elif case == "none":
        T[:] = 0
    else:
        X = X[np.arange(len(X)) % 7]
    K = kernel(X)
    solver = ShiftedSolver(K, T, RIDGES, 1e-9)
    assert (solver.basis is None) == (case == "none")
    # The last one was not announced: the residual tells, and a factor is taken.
    for ridge in (*RIDGES, 1e-3):
        for ours, expected in zip(
            solver(2.0, 2.0 * ridge, T), solve(K, 2.0, 2.0 * ridge, T), strict=True
        ):
            assert_allclose(ours, expected, atol=1e-8 * max(np.abs(expected).max(), 1e-300))


def test_many_labels_have_a_factor_a_ridge():
    X, Y = problem(n=120, q=20)
    assert ShiftedSolver(kernel(X), Y - Y.mean(axis=0), RIDGES, 1e-9).basis is None
    path = kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": RIDGES})
    assert path.residual == 0.0
    alone = KernelCPLST(gamma=0.2, ridge=0.1).fit(X, Y)
    assert_allclose(path.estimators[1].decision_function(X), alone.decision_function(X))


def test_a_basis_that_grows_too_long_is_given_up(monkeypatch):
    """The count of steps is an estimate; where it is wrong, factors are taken."""
    X, Y = problem()
    monkeypatch.setattr(module, "expected_steps", lambda *args: 1.0)
    monkeypatch.setattr(module, "worthwhile_steps", lambda *args: 3)
    solver = ShiftedSolver(kernel(X), Y - Y.mean(axis=0), RIDGES, 1e-9)
    assert solver.basis is None
    np.testing.assert_array_equal(solver.K, kernel(X))


def test_wider_grids_need_more_steps():
    steps = [expected_steps([0.1, 0.1 * spread], 1e-6) for spread in (1 + 1e-15, 2, 10, 100)]
    assert np.all(np.isfinite(steps))
    assert np.all(np.diff(steps) > 0)
    assert expected_steps([0.1, 10.0], 1e-9) > steps[-1]


def test_a_path_over_a_linear_kernel_is_the_linear_method():
    X, Y = problem()
    grid = {"mu": [0.3, 0.8]}
    path = kernel_path(KernelMDDM(2, constraint="feature", kernel="linear"), X, Y, grid, tol=1e-10)
    assert path.residual > 0
    for mu, model in zip(grid["mu"], path.estimators, strict=True):
        linear = MDDM(2, constraint="feature", mu=mu).fit(X, Y)
        assert_allclose(outcome(model, X), outcome(linear, X), atol=1e-7)


def test_the_tolerance_is_kept():
    X, Y = problem()
    found = [kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": RIDGES}, tol=tol) for tol in TOLS]
    for path, tol in zip(found, TOLS, strict=True):
        assert 0 < path.residual <= tol
    # Looser is cheaper, and shows.
    assert found[0].residual > 100 * found[1].residual
    alone = KernelCPLST(gamma=0.2, ridge=RIDGES[0]).fit(X, Y).decision_function(X)
    errors = [np.abs(path.estimators[0].decision_function(X) - alone).max() for path in found]
    assert errors[0] < 1e-4
    assert errors[1] < 1e-8


TOLS = (1e-5, 1e-10)


def exact_path(*args):
    return kernel_path(*args, tol=1e-10)


def test_sparse_rows_and_precomputed_kernels():
    X, Y = problem()
    grid = {"ridge": [0.1, 1.0]}
    expected = [m.decision_function(X) for m in exact_path(KernelCPLST(), X, Y, grid).estimators]
    rows = exact_path(KernelCPLST(), sparse.csr_array(X), sparse.csr_array(Y), grid)
    K = rbf_kernel(X)
    given = exact_path(KernelCPLST(kernel="precomputed"), K, Y, grid)
    for values, row, one in zip(expected, rows.estimators, given.estimators, strict=True):
        assert_allclose(row.decision_function(sparse.csr_array(X)), values, atol=1e-8)
        assert_allclose(one.decision_function(K), values, atol=1e-8)
    # The kernel is float64 whatever the ridges, as no single ridge decides about it.
    single = kernel_path(KernelCPLST(), X.astype(np.float32), Y, grid)
    assert single.estimators[0].decision_function(X.astype(np.float32)).dtype == np.float32
    assert_allclose(
        single.estimators[0].decision_function(X.astype(np.float32)), expected[0], atol=1e-4
    )


def test_refusals():
    X, Y = problem(60)
    with pytest.raises(ValueError, match="The grid varies 'gamma', which changes the kernel"):
        kernel_path(KernelCPLST(), X, Y, {"gamma": [0.1], "ridge": [1.0]})
    with pytest.raises(TypeError, match=r"kernel_path takes KernelMDDM.*got KernelCPLSTCV"):
        kernel_path(KernelCPLSTCV(), X, Y, {"ridge": [1.0]})
    with pytest.raises(ValueError, match="'ridge' parameter of KernelCPLST must be"):
        kernel_path(KernelCPLST(), X, Y, {"ridge": [1.0, "much"]})
    with pytest.raises(ValueError, match="Invalid parameter 'mu'"):
        kernel_path(KernelCPLST(), X, Y, {"mu": [1.0]})
    with pytest.raises(ValueError, match="tol=0; allowed are numbers > 0"):
        kernel_path(KernelCPLST(), X, Y, {"ridge": [1.0]}, tol=0)
    with pytest.raises(ValueError, match="NaN"):
        kernel_path(KernelCPLST(), np.where(X > 2, np.nan, X), Y, {"ridge": [1.0, 2.0]})
