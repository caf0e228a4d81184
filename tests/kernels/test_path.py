"""Models of a path against models that were fitted one by one, and the certificate of both."""

import gc
import weakref
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import ParameterGrid

import labelspan.kernels._shifted as module
import labelspan.kernels._statistics as statistics
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
from labelspan.kernels._path import NOT_SHARED
from labelspan.kernels._shifted import PathSolver, expected_steps, krylov

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


def centred(Y):
    return Y - Y.mean(axis=0)


GRIDS = [
    (KernelCPLST(gamma=0.2), {"ridge": RIDGES}),
    (KernelLabelCCA(2, gamma=0.2), {"ridge": RIDGES, "label_ridge": [0.1, 10.0]}),
    (KernelMDDM(2, constraint="feature", gamma=0.2), {"mu": [0.1, 0.5, 0.9, 0.97]}),
    (KernelMDDM(2, constraint="feature", gamma=0.2), {"mu": [0.0, 0.5, 0.9]}),
    (KernelMDDM(None, constraint="feature", gamma=0.2), {"mu": [0.5, 0.9], "n_components": [1, 2]}),
    (KernelSharedSubspaceClassifier(1, gamma=0.2), {"alpha": [0.01, 0.1], "beta": [0.001, 0.01]}),
]
FITTED = ("eigenvalues_", "offset_", "objective_", "dual_components_", "intercept_", "components_")


@pytest.mark.parametrize(("estimator", "grid"), GRIDS)
@pytest.mark.parametrize("extra", [{}, {"n_landmarks": 60}])
def test_a_path_is_the_models_fitted_one_by_one(estimator, grid, extra):
    X, Y = problem()
    estimator = clone(estimator).set_params(**extra, random_state=0)
    path = kernel_path(estimator, X, Y, grid, tol=1e-11)
    assert not hasattr(estimator, "n_features_in_")
    assert path.params == tuple(ParameterGrid(grid))
    assert (0 < path.residual <= 1e-11) == (not extra)
    for point, model in zip(path.params, path.estimators, strict=True):
        alone = clone(estimator).set_params(**point).fit(X, Y)
        for name in FITTED:
            if hasattr(alone, name):
                expected = getattr(alone, name)
                size = np.abs(expected).max()
                assert_allclose(getattr(model, name), expected, atol=1e-8 * size, err_msg=name)
        assert model.get_params() == alone.get_params()
        assert vars(model).keys() == vars(alone).keys()


def counted(monkeypatch, where, name):
    """Calls of a function from now on."""
    calls = []
    true = getattr(where, name)
    monkeypatch.setattr(
        where, name, lambda *args, **options: calls.append(args) or true(*args, **options)
    )
    return calls


@pytest.mark.filterwarnings("ignore:Without a ridge the features")
def test_one_factor_serves_the_grid(monkeypatch):
    X, Y = problem()
    shared, direct = counted(monkeypatch, module, "factor"), counted(monkeypatch, module, "solve")
    grams = counted(monkeypatch, statistics, "gram")
    kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": RIDGES})
    assert (len(shared), len(direct), len(grams)) == (1, 0, 1)
    # Without a ridge, or with one below rounding, eigenvectors are needed in any case.
    path = kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": [0.0, 1e-14, *RIDGES]}, tol=1e-9)
    assert (len(shared), len(direct), len(grams)) == (2, 2, 2)
    assert shared[0][1] == shared[1][1] == pytest.approx(np.sqrt(0.2))
    alone = KernelCPLST(gamma=0.2, ridge=0.0).fit(X, Y)
    assert_allclose(path.estimators[0].decision_function(X), alone.decision_function(X), atol=1e-8)


def test_models_with_the_same_ridge_share_its_factor(monkeypatch):
    X, Y = problem(n=120, q=20)
    direct = counted(monkeypatch, module, "solve")
    grid = {"ridge": RIDGES, "label_ridge": [0.1, 1.0], "n_components": [1, 2, 3]}
    path = kernel_path(KernelLabelCCA(gamma=0.2), X, Y, grid)
    assert len(path.estimators) == 30
    assert len(direct) == 5
    kernel_path(
        KernelSharedSubspaceClassifier(), X, Y, {"alpha": [0.1, 0.2], "beta": [0.1, 0.2, 0.3]}
    )
    # 0.1, 0.2, 0.3 and 0.4, 0.5, up to the rounding of sums.
    assert 10 <= len(direct) <= 12


def test_passes_over_the_rows_are_shared(monkeypatch):
    X, Y = problem()
    features = counted(monkeypatch, statistics, "nystroem")
    some = KernelMDDM(2, constraint="feature", n_landmarks=50)
    path = kernel_path(some, X, Y, {"mu": [0.0, 0.3, 0.9]})
    assert len(features) == 1
    for model in path.estimators[1:]:
        assert_array_equal(model.landmark_indices_, path.estimators[0].landmark_indices_)
        assert model.landmark_indices_ is not path.estimators[0].landmark_indices_
    products = counted(monkeypatch, statistics, "products")
    kernel_path(KernelMDDM(gamma=0.2), X, Y, {"n_components": [1, 2]})
    assert len(products) == 1


def factored(K, sigma):
    A = K.copy().T
    module.factor(A, sigma)
    return A


@pytest.mark.parametrize("spread", [1.0001, 10.0, 1e4])
@pytest.mark.parametrize("gamma", [0.02, 0.2, 2.0])
def test_the_space_is_orthonormal_and_holds_the_solutions(spread, gamma):
    X, Y = problem()
    K, T = kernel(X, gamma), centred(Y)
    ends = (0.1, 0.1 * spread)
    middle = np.sqrt(ends[0] * ends[1])
    space = krylov(factored(K, middle), middle, T, ends, (0, 150), 1e-9)
    assert_allclose(space.W.T @ space.W, np.eye(space.W.shape[1]), atol=1e-12)
    M = np.linalg.inv(K / middle + np.eye(len(K)))
    assert_allclose(space.H, space.W.T @ M @ space.W, atol=1e-10)
    for ridge in ends:
        P = space.images(space.coordinates(ridge, T))
        true = np.linalg.norm(T - K @ P - ridge * P, axis=0) / np.linalg.norm(T, axis=0)
        assert true.max() <= 1e-9
        # The attributes of the space are correct.
        for factor in (0.5, 2.0):
            tol = factor * true.max()
            if true.max() > 1e-13:
                assert space.is_solved(ridge, T, tol) == (factor > 1)


@pytest.mark.parametrize("ridge", RIDGES)
def test_every_end_is_looked_at(ridge, monkeypatch):
    """Whichever end is the slower one, both are within the tolerance."""
    X, Y = problem()
    direct = counted(monkeypatch, module, "solve")
    for ends in ([ridge / 30, ridge], [ridge, 30 * ridge]):
        solver = PathSolver(kernel(X), centred(Y), [*ends, ridge * 1.01], 1e-8)
        for rho in solver.ridges:
            P, KP = solver(rho)
            assert_allclose(KP, solver.K @ P, atol=1e-10)
            left = np.linalg.norm(solver.T - KP - rho * P, axis=0)
            assert np.all(left <= 1e-8 * np.linalg.norm(solver.T, axis=0))
        assert not direct


def test_the_residual_is_the_largest_of_all_labels_and_ridges():
    """A rare label is as well solved as a frequent one."""
    X, Y = problem(n=900, q=3)
    Y[:, 2] = 0
    Y[7, 2] = 1
    K, T = kernel(X), centred(Y)
    solver = PathSolver(K, T, RIDGES, 1e-4)
    true = []
    for ridge in RIDGES:
        P, _ = solver(ridge)
        left = np.linalg.norm(T - K @ P - ridge * P, axis=0)
        true.append((left / np.linalg.norm(T, axis=0)).max())
    assert solver.residual == pytest.approx(max(true), rel=1e-6)
    assert 1e-8 < solver.residual <= 1e-4
    # Not the last one, because that would not distinguish the largest from the latest.
    assert np.argmax(true) != len(true) - 1


def test_what_misses_the_tolerance_has_a_factor(monkeypatch):
    X, Y = problem()
    direct = counted(monkeypatch, module, "solve")
    solver = PathSolver(kernel(X), centred(Y), RIDGES, 1e-8)
    # Was not announced.
    solver(0.3)
    assert len(direct) == 1
    solver(0.3)
    assert len(direct) == 1
    # A space that is too small for the ends of the grid.
    small = krylov(factored(kernel(X), 0.4), 0.4, centred(Y), (0.3, 0.5), (0, 99), 1e-8)
    monkeypatch.setattr(PathSolver, "space", property(lambda self: small))
    solver = PathSolver(kernel(X), centred(Y), RIDGES, 1e-8)
    for ridge in RIDGES:
        expected = solve(kernel(X), 1.0, ridge, centred(Y))[0]
        assert_allclose(solver(ridge)[0], expected, atol=1e-6)
    assert 1 < len(direct) <= 6
    assert solver.residual <= 1e-8


def test_large_ridges_lose_no_digits():
    X, Y = problem()
    model = KernelLabelCCA(2, gamma=0.2, label_ridge=0.1)
    path = kernel_path(model, X, Y, {"ridge": [1e11, 1e12, 1e13]}, tol=1e-9)
    for model in path.estimators:
        alone = clone(model).fit(X, Y)
        assert_allclose(model.transform(X), alone.transform(X), rtol=1e-6, atol=1e-12)
        reference = clone(model).set_params(ridge=1e7).fit(X, Y).transform(X)
        # Far beyond the spectrum only the scale changes with the ridge.
        ratio = model.transform(X) / reference
        assert_allclose(ratio / np.median(ratio), 1.0, rtol=1e-4)


def test_constant_features_give_what_a_fit_gives():
    X, Y = problem()
    ones = np.ones_like(X)
    path = kernel_path(KernelCPLST(), ones, Y, {"ridge": RIDGES})
    assert [model.n_components_ for model in path.estimators] == [0] * 5
    with pytest.raises(ValueError, match="no direction to keep"):
        kernel_path(KernelLabelCCA(), ones, Y, {"ridge": RIDGES})


@pytest.mark.parametrize("estimator", [KernelCPLST(), KernelMDDM(None, constraint="feature")])
def test_a_kernel_of_low_rank_is_cut(estimator):
    X, Y = problem(D=2, q=5)
    model = clone(estimator).set_params(kernel="linear")
    name = "ridge" if isinstance(estimator, KernelCPLST) else "mu"
    values = RIDGES if name == "ridge" else [0.02, 0.1, 0.5, 0.9, 0.98]
    path = kernel_path(model, X, Y, {name: values})
    for point, one in zip(path.params, path.estimators, strict=True):
        assert one.n_components_ == clone(model).set_params(**point).fit(X, Y).n_components_ == 2


def test_the_kernel_is_given_back(monkeypatch):
    X, Y = problem()
    K = kernel(X)
    before = K.copy()
    solver = PathSolver(K, centred(Y), RIDGES, 1e-9)
    assert solver.space is not None
    assert_array_equal(K, before)
    # After an error in the middle, too.
    monkeypatch.setattr(module, "krylov", lambda *args: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        PathSolver(K, centred(Y), RIDGES, 1e-9)(1.0)
    assert_array_equal(K, before)


def test_nothing_but_the_models_is_kept(monkeypatch):
    X, Y = problem()
    seen = []
    true = statistics.gram

    def watched(*args):
        made = true(*args)
        seen.append(weakref.ref(made.K))
        return made

    monkeypatch.setattr(statistics, "gram", watched)
    gc.disable()
    try:
        path = kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": RIDGES})
        assert [ref() for ref in seen] == [None]
    finally:
        gc.enable()
    alone = KernelCPLST(gamma=0.2, ridge=1.0).fit(X, Y)
    assert all(vars(model).keys() == vars(alone).keys() for model in path.estimators)


@pytest.mark.parametrize("case", ["duplicate", "constant", "none", "few distinct rows"])
def test_deficient_right_sides(case):
    X, Y = problem()
    T = centred(Y)
    columns = 2
    if case == "duplicate":
        T = T[:, [0, 1, 0]]
    elif case == "constant":
        T[:, 1], columns = 0, 1
    elif case == "none":
        T[:] = 0
    else:
        X = X[np.arange(len(X)) % 7]
    K = kernel(X)
    solver = PathSolver(K, T, RIDGES, 1e-9)
    space = solver.space
    assert (space is None) == (case == "none")
    if space is not None:
        assert space.first == columns
        # Of seven distinct rows and what is orthogonal to them, M has eight eigenspaces.
        assert case != "few distinct rows" or space.W.shape[1] <= 8 * columns
    for ridge in RIDGES:
        for ours, expected in zip(solver(ridge), solve(K, 1.0, ridge, T), strict=True):
            assert_allclose(ours, expected, atol=1e-7 * max(np.abs(expected).max(), 1e-300))


def test_many_labels_have_a_factor_a_ridge():
    X, Y = problem(n=120, q=20)
    assert PathSolver(kernel(X), centred(Y), RIDGES, 1e-6).space is None
    path = kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": RIDGES})
    assert path.residual < 1e-12
    alone = KernelCPLST(gamma=0.2, ridge=0.1).fit(X, Y)
    assert_allclose(path.estimators[1].decision_function(X), alone.decision_function(X))


def test_a_basis_that_grows_too_long_is_given_up():
    X, Y = problem()
    K = kernel(X)
    assert krylov(factored(K, 0.4), 0.4, centred(Y), (0.02, 10.0), (0, 5), 1e-9) is None


def test_wider_grids_need_more_steps():
    steps = [expected_steps([0.1, 0.1 * spread], 1e-6) for spread in (1 + 1e-15, 2, 10, 100)]
    assert np.all(np.isfinite(steps))
    assert np.all(np.diff(steps) > 0)
    assert expected_steps([0.1, 10.0], 1e-9) > steps[-1]


def test_a_path_over_a_linear_kernel_is_the_linear_method():
    X, Y = problem()
    grid = {"mu": [0.3, 0.8]}
    estimator = KernelMDDM(2, constraint="feature", kernel="linear")
    path = kernel_path(estimator, X, Y, grid, tol=1e-10)
    for mu, model in zip(grid["mu"], path.estimators, strict=True):
        linear = MDDM(2, constraint="feature", mu=mu).fit(X, Y).transform(X)
        ours = model.transform(X)
        signs = np.sign(np.sum(ours * linear, axis=0))
        assert_allclose(ours * signs, linear, atol=1e-7)


@pytest.mark.parametrize("ridges", [[1e155, 1e156], [1e-170, 1e-169]])
def test_ridges_of_any_size(ridges):
    X, Y = problem()
    K = kernel(X) * (1e-170 if ridges[0] < 1 else 1.0)
    solver = PathSolver(K, centred(Y), ridges, 1e-6)
    for ridge in ridges:
        expected = solve(K, 1.0, ridge, centred(Y))[0]
        assert_allclose(solver(ridge)[0], expected, atol=1e-5 * np.abs(expected).max())


def exact_path(*args):
    return kernel_path(*args, tol=1e-11)


def test_sparse_rows_and_precomputed_kernels():
    X, Y = problem()
    grid = {"ridge": [0.1, 1.0]}
    expected = [m.decision_function(X) for m in exact_path(KernelCPLST(), X, Y, grid).estimators]
    rows = exact_path(KernelCPLST(), sparse.csr_array(X), sparse.csr_array(Y), grid)
    K = rbf_kernel(X, gamma=1 / 6)
    given = exact_path(KernelCPLST(kernel="precomputed"), K, Y, grid)
    for values, row, one in zip(expected, rows.estimators, given.estimators, strict=True):
        assert_allclose(row.decision_function(sparse.csr_array(X)), values, atol=1e-8)
        assert_allclose(one.decision_function(K), values, atol=1e-8)


def test_the_kernel_of_float32_rows_is_float64(monkeypatch):
    """The first ridge, for which float32 would suffice, does not determine the precision."""
    X, Y = problem()
    grams = []
    true = statistics.gram
    monkeypatch.setattr(statistics, "gram", lambda *args: grams.append(true(*args)) or grams[-1])
    single = X.astype(np.float32)
    path = kernel_path(KernelCPLST(), single, Y, {"ridge": [100.0, 0.001]})
    assert [made.K.dtype for made in grams] == [np.float64]
    assert path.estimators[0].decision_function(single).dtype == np.float32


def test_a_kernel_that_is_not_definite_enough_is_refused_with_its_ridge():
    X, Y = problem(600, 1, 2)
    K = rbf_kernel(X, gamma=0.05).astype(np.float32)
    least = np.linalg.eigvalsh(K.astype(float))[0]
    assert least < 0
    with pytest.raises(ValueError, match="The kernel with a ridge of"):
        kernel_path(KernelCPLST(kernel="precomputed"), K, Y, {"ridge": [-least / 2, 1e-4, 1e-3]})


@pytest.mark.parametrize("name", sorted(NOT_SHARED))
def test_parameters_that_change_the_kernel_are_refused(name):
    X, Y = problem(60)
    with pytest.raises(ValueError, match=f"The grid varies '{name}', which changes the kernel"):
        kernel_path(KernelMDDM(), X, Y, {name: [1], "mu": [0.5]})


@pytest.mark.parametrize("tol", [0, 1.0, np.inf, np.nan, "1e-6", None, True])
def test_tolerances_that_are_none(tol):
    X, Y = problem(60)
    with pytest.raises(ValueError, match=r"tol=.*; allowed are numbers between 0 and 1"):
        kernel_path(KernelCPLST(), X, Y, {"ridge": [1.0]}, tol=tol)


def test_refusals():
    X, Y = problem(60)
    with pytest.raises(TypeError, match=r"kernel_path takes KernelMDDM.*got KernelCPLSTCV"):
        kernel_path(KernelCPLSTCV(), X, Y, {"ridge": [1.0]})
    for grid in ([{"ridge": [1.0]}], None, "ridge"):
        with pytest.raises(TypeError, match="pass a dict of candidates by the name"):
            kernel_path(KernelCPLST(), X, Y, grid)
    with pytest.raises(ValueError, match="'ridge' parameter of KernelCPLST must be"):
        kernel_path(KernelCPLST(), X, Y, {"ridge": [1.0, "much"]})
    with pytest.raises(ValueError, match="Invalid parameter 'mu'"):
        kernel_path(KernelCPLST(), X, Y, {"mu": [1.0]})
    with pytest.raises(ValueError, match="NaN"):
        kernel_path(KernelCPLST(), np.where(X > 2, np.nan, X), Y, {"ridge": [1.0, 2.0]})


def residual_of(T, P, KP, ridge):
    return (np.linalg.norm(T - KP - ridge * P, axis=0) / np.linalg.norm(T, axis=0)).max()


def test_the_residual_counts_factors_and_nothing_without_a_ridge():
    X, Y = problem(n=120, q=20)
    K, T = kernel(X), centred(Y)
    each = {ridge: residual_of(T, *solve(K, 1.0, ridge, T), ridge) for ridge in RIDGES}
    solver = PathSolver(K, T, RIDGES, 1e-6)
    worst_first = sorted(RIDGES, key=each.get, reverse=True)
    true = [residual_of(T, *solver(ridge), ridge) for ridge in worst_first]
    assert solver.residual == pytest.approx(max(true), rel=1e-9, abs=0)
    assert 0 < true[-1] < max(true)
    # Labels outside the range of a kernel without a ridge are not a failure of the solver.
    linear = kernel_path(KernelCPLST(kernel="linear"), *problem(), {"ridge": [0.0, 0.1, 1.0]})
    assert linear.residual <= 1e-6


def test_a_factor_that_fails_gives_the_kernel_back_and_names_its_own_ridge():
    X, Y = problem()
    K = kernel(X)
    v = centred(Y)[:, 0] / np.linalg.norm(centred(Y)[:, 0])
    K -= (v @ K @ v + 0.5) * np.outer(v, v)
    before = K.copy()
    least = np.linalg.eigvalsh(K)[0]
    # With the middle of the grid it is not definite, with the upper end it is.
    solver = PathSolver(K, centred(Y), [0.1 * -least, -least, -4 * least], 1e-6)
    P, KP = solver(-4 * least)
    assert_array_equal(K, before)
    assert residual_of(solver.T, P, KP, -4 * least) < 1e-9
    with pytest.raises(ValueError, match=f"with a ridge of {-0.1 * least:.3g} is not"):
        solver(0.1 * -least)


@pytest.mark.parametrize(("n", "q", "kept"), [(120, 20, 3), (30, 40, 2)])
def test_few_solutions_by_factors_are_kept(n, q, kept):
    X, Y = problem(n=n, q=q)
    solver = PathSolver(kernel(X), centred(Y), RIDGES, 1e-6)
    for ridge in RIDGES:
        P, _ = solver(ridge)
        assert_allclose(P, solve(kernel(X), 1.0, ridge, solver.T)[0])
    assert list(solver._by_factor) == RIDGES[-kept:]


def test_more_solutions_than_rows_are_not_stored():
    X, Y = problem(q=8)
    ridges = np.linspace(1.0, 2.0, 75).tolist()
    assert PathSolver(kernel(X), centred(Y), ridges, 1e-6).space is not None
    assert PathSolver(kernel(X), centred(Y), [*ridges, 2.1], 1e-6).space is None


def test_what_is_not_shared_is_every_parameter_of_the_kernel_and_its_labels():
    """An explicit list, because the refusals above only cover what the set contains."""
    of_kernel = {"kernel", "gamma", "degree", "coef0", "kernel_params"}
    of_rows = {"n_landmarks", "landmarks", "random_state", "label_kernel", "constraint"}
    assert of_kernel | of_rows == NOT_SHARED


def test_nested_parameters_are_those_of_each_model():
    X, Y = problem(60)
    estimator = KernelCPLST(1, regressor=Ridge(alpha=7.0), gamma=0.2)
    path = kernel_path(estimator, X, Y, {"ridge": [0.1, 1.0], "regressor__alpha": [0.5, 50.0]})
    assert estimator.regressor.alpha == 7.0
    for point, model in zip(path.params, path.estimators, strict=True):
        assert model.regressor.alpha == point["regressor__alpha"]
        assert_allclose(
            model.decision_function(X),
            clone(estimator).set_params(**point).fit(X, Y).decision_function(X),
        )


def test_ridges_that_touch():
    assert expected_steps([0.1, np.nextafter(0.1, 1.0)], 1e-6) > 0


@pytest.mark.parametrize("ridge", [1e-9, 1e-8, 1e-6, 1e-4])
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_the_rank_of_a_kernel_far_above_its_ridge(ridge, scale):
    """Rounding of a product with the kernel is not a direction; anything above it is."""
    X, Y = problem(n=300, q=5, D=2)
    X, ridge = X * scale, ridge * scale**2
    share = {"constraint": "feature", "mu": 1 / (1 + ridge)}
    for model in (
        KernelCPLST(None, ridge=ridge),
        KernelMDDM(None, **share),
        KernelLabelCCA(None, ridge=ridge, label_ridge=0.0),
    ):
        assert model.set_params(kernel="linear").fit(X, Y).n_components_ == 2


def test_a_large_kernel_with_a_small_share_of_the_metric():
    """The ridge is b / a for any size of a and of the kernel."""
    X, Y = problem(n=300, q=3, D=2)
    share = {"constraint": "feature", "mu": 1e-14}
    ours = KernelMDDM(2, kernel="linear", **share).fit(1e6 * X, Y)
    # The same metric up to its scale: (1 - mu) / mu goes down with the square of the features.
    alike = KernelMDDM(2, kernel="linear", constraint="feature", mu=1 / 101).fit(X, Y)
    ratio = ours.eigenvalues_ / alike.eigenvalues_
    assert_allclose(ratio, ratio[0], rtol=1e-8)


def test_the_space_is_grown_for_the_smallest_column():
    X, Y = problem()
    K = kernel(X)
    # The large column is an eigenvector, which the first block solves.
    T = np.column_stack([np.linalg.eigh(K)[1][:, -1], 1e-6 * centred(Y)[:, 0]])
    space = krylov(factored(K, 0.45), 0.45, T, (0.02, 10.0), (0, 150), 1e-6)
    for ridge in (0.02, 10.0):
        P = space.images(space.coordinates(ridge, T))
        assert residual_of(T, P, K @ P, ridge) <= 1e-6


def test_columns_that_are_nearly_alike_are_told_apart():
    X, Y = problem()
    T = centred(Y)
    T = np.column_stack([T, T[:, 0] + 1e-9 * T[:, 1]])
    assert PathSolver(kernel(X), T, RIDGES, 1e-6).space.first == 2
    T[:, 2] = T[:, 0] + 1e-9 * np.random.default_rng(0).standard_normal(len(T))
    assert PathSolver(kernel(X), T, RIDGES, 1e-6).space.first == 3


def test_a_space_that_costs_more_than_the_factors_is_not_grown():
    X, Y = problem(q=8)
    K, T = kernel(X), centred(Y)
    # With two ridges, a space could save only one factor.
    assert PathSolver(K, T, [0.1, 4.0], 1e-6).space is None
    assert PathSolver(K, T, np.geomspace(0.1, 4.0, 75).tolist(), 1e-6).space is not None
    # More columns than a quarter of the rows.
    assert PathSolver(K, T, np.geomspace(0.1, 25.0, 75).tolist(), 1e-6).space is None


@pytest.mark.filterwarnings("ignore:Without a ridge the features")
@pytest.mark.parametrize("ridges", [[1e-3, 1e65], [1e-200, 1e200]])
def test_grids_that_no_space_would_serve(ridges):
    X, Y = problem()
    assert not np.isfinite(expected_steps(ridges, 1e-6))
    path = kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": [ridges[0], 1.0, ridges[1]]})
    alone = KernelCPLST(gamma=0.2, ridge=1.0).fit(X, Y).decision_function(X)
    assert_allclose(path.estimators[1].decision_function(X), alone)


@pytest.mark.parametrize("tol", [5e-324, Fraction(1, 10**6)])
def test_odd_tolerances(tol):
    X, Y = problem()
    path = kernel_path(KernelCPLST(gamma=0.2), X, Y, {"ridge": RIDGES}, tol=tol)
    assert path.residual <= 1e-6


def test_a_float32_matrix_is_factorised_in_place_and_given_back():
    X, Y = problem(300)
    K, T = kernel(X).astype(np.float32), centred(Y)
    before = K.copy()
    P, KP = solve(K, 1.0, 1.0, T)
    # The upper triangle is kept, the lower one is its mirror image.
    np.testing.assert_allclose(K, before, atol=1e-6)
    assert P.dtype == KP.dtype == np.float64
    np.testing.assert_allclose(KP + P, T, atol=1e-5)
