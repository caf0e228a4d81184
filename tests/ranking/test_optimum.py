"""LaRank and CLaRank against a general convex solver, and their certificates."""

import numpy as np
import pytest

from labelspan.ranking import CLaRankSVM, Covariance, LaRankSVM, best_weights
from tests.ranking.problems import small, thousand, with_bias
from tests.reference import ranking as reference

pytest.importorskip("cvxpy")


@pytest.mark.parametrize("seed", range(20))
def test_larank_attains_the_optimum_and_brackets_it(seed):
    X, Y, C, _ = small(seed)
    best, W = reference.larank_optimum(with_bias(X), Y, C)
    model = LaRankSVM(C=C, tol=1e-6, max_iter=100_000, random_state=0).fit(X, Y)
    assert model.primal_objective_ == pytest.approx(best, rel=1e-5)
    assert model.dual_objective_ <= best * (1 + 1e-7)
    assert model.primal_objective_ >= best * (1 - 1e-7)
    ours = np.vstack([model.coef_.T, model.intercept_])
    assert model.primal_objective_ == pytest.approx(reference.primal(ours, with_bias(X), Y, C))
    # The objective is strongly convex: |W - W*|^2 <= 2 (P - P*).
    assert ((ours - W) ** 2).sum() <= 2.1e-5 * best


@pytest.mark.parametrize("seed", range(20))
def test_clarank_attains_the_optimum_of_the_semidefinite_program(seed):
    X, Y, C, mu = small(seed)
    best, _, _ = reference.clarank_optimum(with_bias(X), Y, C, mu)
    model = CLaRankSVM(C=C, mu=mu, tol=3e-6, max_iter=100_000, random_state=0).fit(X, Y)
    assert model.primal_objective_ == pytest.approx(best, rel=1e-5)
    assert model.dual_objective_ <= best * (1 + 1e-6)
    assert model.primal_objective_ >= best * (1 - 1e-6)
    W, D = np.vstack([model.coef_.T, model.intercept_]), model.label_covariance_
    value = reference.primal(W, with_bias(X), Y, C, mu, D)
    assert model.primal_objective_ == pytest.approx(value, rel=1e-6)
    root = reference.square_root(W.T @ W)
    np.testing.assert_allclose(D, root / np.trace(root), atol=1e-7)
    assert np.linalg.eigvalsh(D)[0] >= -1e-12
    assert np.trace(D) == pytest.approx(1.0)
    assert np.all(np.diff(model.objectives_) <= 0)


def test_the_dual_at_the_current_covariance_is_no_bound():
    """Why the bound minimises over D: with D = I / q it exceeds the optimum."""
    X, Y, _, _ = small(3)
    best, _, _ = reference.clarank_optimum(with_bias(X), Y, 1.0, 1.0)
    isotropic = Covariance.isotropic(4).coupling(1.0)
    root = reference.square_root(isotropic)
    # With R^-1 = c I the problem is LaRank on sqrt(c) x; its optimum is max_alpha f(alpha, I / q).
    value, _ = reference.larank_optimum(with_bias(X) * root[0, 0], Y, 1.0)
    assert value > best * 1.01


@pytest.mark.parametrize("mu", [0.01, 1.0, 30.0])
def test_the_waterfilled_covariance_beats_every_other(mu):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((9, 5)) * [3.0, 2.0, 1.0, 0.1, 0.0]
    gram = A.T @ A
    best = (gram * Covariance.waterfill(gram, mu).coupling(mu)).sum()
    for _ in range(300):
        B = rng.standard_normal((5, 5)) * rng.random(5) ** 4
        D = Covariance.minimiser(gram).matrix() + rng.random() * B @ B.T
        D /= np.trace(D)
        assert np.trace(D @ np.linalg.inv(D + mu * np.eye(5)) @ gram) <= best * (1 + 1e-12)


def test_best_weights_satisfy_the_optimality_conditions():
    rng = np.random.default_rng(1)
    for n_kept in (1, 3, 9):
        norms = rng.exponential(size=10) ** 2
        weights = best_weights(norms, n_kept)
        assert weights.sum() == pytest.approx(n_kept)
        inside = weights < 1
        assert np.ptp(norms[inside] / weights[inside]) < 1e-9
        assert np.all(norms[~inside] >= (norms[inside] / weights[inside]).max() * (1 - 1e-12))
    np.testing.assert_array_equal(best_weights(np.array([0.0, 2.0, 0.0]), 2), [1.0, 1.0, 0.0])


def test_without_correlation_clarank_is_larank():
    X, Y, C, _ = small(5)
    plain = LaRankSVM(C=C, random_state=0).fit(X, Y)
    correlated = CLaRankSVM(C=C, mu=0.0, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(plain.coef_, correlated.coef_)
    assert plain.dual_objective_ == correlated.dual_objective_


@pytest.mark.parametrize("mu", [0.0, 1.0, 10.0])
def test_a_tight_gap_on_yeast(mu, dataset):
    X, Y, _, _ = thousand("yeast", dataset)
    model = CLaRankSVM(C=1.0, mu=mu, tol=1e-4, random_state=0).fit(X, Y)
    assert 0 <= model.primal_objective_ - model.dual_objective_ <= 1e-4 * model.primal_objective_
    assert np.all(np.diff(model.objectives_) <= 0)


@pytest.mark.reproduce
@pytest.mark.parametrize("name", ["scene", "yeast", "enron", "arts"])
def test_a_tight_gap_on_benchmark_data(name, dataset):
    X, Y, _, _ = thousand(name, dataset)
    for mu in (0.0, 0.1, 1.0, 10.0):
        model = CLaRankSVM(mu=mu, tol=1e-4, max_iter=3000, random_state=0).fit(X, Y)
        gap = 1 - model.dual_objective_ / model.primal_objective_
        print(f"{name} mu={mu}: gap {gap:.1e} after {model.n_iter_} sweeps")
        assert gap <= 1e-4
        assert np.all(np.diff(model.objectives_) <= 0)


@pytest.mark.parametrize("mu", [1e-6, 1.0, 1e6, 1e12, 1e16, 1e30])
def test_the_label_covariance_has_trace_one_at_any_mu(mu):
    """It is at least the gain with all weight on the leading eigenvector, the best for large mu."""
    A = np.random.default_rng(0).standard_normal((6, 4))
    gram = A.T @ A
    found = Covariance.waterfill(gram, mu)
    assert found.values.min() >= 0
    assert found.values.sum() == pytest.approx(1.0)
    values = np.linalg.eigvalsh(gram)
    coupling = found.coupling(mu)
    gain = np.trace(coupling @ gram)
    assert gain >= values[-1] / (1 + mu) * (1 - 1e-9)
