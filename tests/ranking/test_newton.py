"""Newton steps on the dual: the optimum where sweeps are slow, the same result elsewhere."""

import numpy as np
import pytest
from scipy import sparse

from labelspan.ranking import CLaRankSVM, DualState, LaRankSVM, Pairs, as_rows, solve_fixed
from labelspan.ranking._fit import to_go
from labelspan.ranking._newton import Proximal, newton, pairs_inside
from labelspan.selection import CMLFS, MLFS
from tests.ranking.problems import small, thousand, with_bias
from tests.reference import ranking as reference


def begin(X, Y, C):
    rng = np.random.default_rng(0)
    return DualState(as_rows(X), Pairs.of(Y, None, rng), C, X.shape[1], Y.shape[1], rng)


def weigh(dual, seed=0):
    """Uneven feature weights and a label coupling that loses a direction."""
    rng = np.random.default_rng(seed)
    dual.set_weights(rng.random(len(dual.weights)) + 0.1)
    root = rng.standard_normal((dual.A.shape[1], dual.A.shape[1] - 1))
    dual.set_coupling(root @ root.T)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("C", [1e-6, 1e6])
def test_the_optimum_of_overlapping_labels_at_extreme_costs(seed, C):
    pytest.importorskip("cvxpy")
    X, Y, _, _ = small(seed, n_samples=60)
    best, _ = reference.larank_optimum(with_bias(X), Y, C)
    model = LaRankSVM(C=C, tol=1e-6, random_state=0).fit(X, Y)
    assert model.primal_objective_ == pytest.approx(best, rel=1e-5)
    assert model.dual_objective_ <= best * (1 + 1e-6)
    ours = np.vstack([model.coef_.T, model.intercept_])
    value = reference.primal(ours, with_bias(X), Y, C)
    assert model.primal_objective_ == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "model", [CLaRankSVM(1e6), MLFS(3, C=1e6), CMLFS(3, C=1e6)], ids=lambda m: type(m).__name__
)
def test_the_others_are_certified_at_an_extreme_cost(seed, model):
    """No warning (they are errors), and a gap within tol between true bounds."""
    X, Y, _, _ = small(seed, n_samples=60)
    model.set_params(random_state=0).fit(X, Y)
    gap = 1 - model.dual_objective_ / model.primal_objective_
    assert -1e-9 <= gap <= model.tol
    W = np.vstack([model.coef_.T, model.intercept_])
    omega = np.append(getattr(model, "feature_weights_", np.ones(X.shape[1])), 1.0)
    mu, D = getattr(model, "mu", 0.0), model.label_covariance_
    value = reference.primal(W, with_bias(X), Y, 1e6, mu, D, omega)
    assert model.primal_objective_ == pytest.approx(value, rel=1e-5)


def test_mlfs_attains_the_optimum_of_the_relaxation_at_an_extreme_cost():
    pytest.importorskip("cvxpy")
    X, Y, _, _ = small(1, n_samples=60)
    best, _, _ = reference.mlfs_optimum(with_bias(X), Y, 1e5, 3)
    model = MLFS(3, C=1e5, random_state=0).fit(X, Y)
    assert best * (1 - 1e-6) <= model.primal_objective_ <= best * (1 + 1e-3)
    assert model.dual_objective_ <= best * (1 + 1e-6)


@pytest.mark.parametrize("max_direct", [0, 1500])
@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_newton_steps_and_sweeps_meet(coupled, convert, max_direct, limit):
    limit("direct Newton side", max_direct)
    X, Y, _, _ = small(2)
    swept, stepped = begin(convert(X), Y, 1.0), begin(convert(X), Y, 1.0)
    if coupled:
        weigh(swept)
        weigh(stepped)
    by_sweeps = solve_fixed(swept, 1e-9, 100_000)
    by_steps = newton(stepped, 1e-9, 1000)
    assert stepped.n_sweeps < 60
    assert by_steps.primal == pytest.approx(by_sweeps.primal, rel=1e-8)
    np.testing.assert_allclose(stepped.coefficients(), swept.coefficients(), atol=1e-3)
    # The stored state is consistent: A = X'beta of alpha, and alpha within the box.
    np.testing.assert_allclose(stepped.A, stepped.product(stepped.rows, X.shape[1]), atol=1e-9)
    upper = np.repeat(stepped.upper, stepped.pairs.counts)
    assert np.all((stepped.alpha >= 0) & (stepped.alpha <= upper))


def test_the_linear_system_is_the_derivative_of_the_equation():
    """B - A(B) changes by (I + sigma Z_J'Z_J) dB, which both solvers invert."""
    X, Y, _, _ = small(4)
    dual = begin(X, Y, 1.0)
    weigh(dual)
    dual.ascend(3)
    step = Proximal(dual, 0.05)
    direction = np.random.default_rng(0).standard_normal(dual.A.shape)
    product = step.product(direction)
    J = pairs_inside(dual.pairs, dual.upper, step.alpha)
    np.testing.assert_allclose(step.solve_directly(product, J), direction, atol=1e-9)
    # In the inner product a direction that the coupling loses does not count.
    wrong = (step.solve(product) - direction) @ dual.coupling
    assert np.linalg.norm(wrong) <= 0.1 * np.linalg.norm(direction @ dual.coupling)
    before, tiny = step.B - step.A, 1e-7
    step.move(step.B + tiny * direction)
    np.testing.assert_allclose((step.B - step.A - before) / tiny, product, atol=1e-5)


def test_out_of_steps_the_last_whole_one_stands():
    X, Y, _, _ = small(0, n_samples=60)
    dual = begin(X, Y, 1e6)
    start = dual.values()
    values = newton(dual, 1e-12, 2)
    assert dual.n_sweeps == 2
    assert values.dual >= start.dual
    np.testing.assert_allclose(dual.A, dual.product(dual.rows, X.shape[1]), atol=1e-6)


def test_the_forecast_of_sweeps():
    assert to_go([(0, 1.0), (50, 1.0), (100, 0.1)], 0.01) == pytest.approx(50.0)
    assert to_go([(0, 1.0), (50, 0.1), (100, 0.2)], 0.01) == np.inf
    assert to_go([(0, 1.0), (50, 0.1), (100, 0.01)], 0.01) == 0.0


@pytest.mark.reproduce
@pytest.mark.parametrize("name", ["scene", "yeast", "enron", "arts"])
def test_a_tight_gap_at_every_cost_within_the_default_limit(name, dataset):
    X, Y, _, _ = thousand(name, dataset)
    for C in (0.1, 1.0, 10.0, 100.0):
        model = LaRankSVM(C=C, tol=1e-4, random_state=0).fit(X, Y)
        gap = 1 - model.dual_objective_ / model.primal_objective_
        print(f"{name} C={C}: gap {gap:.1e} after {model.n_iter_} sweeps and Newton steps")
        assert gap <= 1e-4
