"""The path over C, and the label correlation."""

import matplotlib
import numpy as np
import pytest

from labelspan.ranking import (
    CLaRankSVM,
    LaRankSVM,
    label_correlation,
    ranking_path,
)
from tests.ranking.problems import small, thousand, with_bias
from tests.reference import ranking as reference

matplotlib.use("Agg")


@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_the_path_holds_the_solutions_of_single_fits(mu):
    X, Y, _, _ = small(0)
    Cs = [10.0, 0.01, 1.0]
    path = ranking_path(X, Y, Cs, mu=mu, tol=1e-7, max_iter=100_000, random_state=0)
    np.testing.assert_array_equal(path.Cs, [0.01, 1.0, 10.0])
    for i, C in enumerate(path.Cs):
        single = CLaRankSVM(C=C, mu=mu, tol=1e-7, max_iter=100_000, random_state=0).fit(X, Y)
        assert path.primal_objectives[i] == pytest.approx(single.primal_objective_, rel=1e-6)
        assert path.dual_objectives[i] <= path.primal_objectives[i]
        np.testing.assert_allclose(path.coefs[i], single.coef_, atol=5e-3)
        np.testing.assert_allclose(path.scores(X)[i], X @ path.coefs[i].T + path.intercepts[i])


def test_a_warm_start_saves_sweeps(dataset):
    X, Y, _, _ = thousand("yeast", dataset)
    Cs = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0]
    path = ranking_path(X, Y, Cs, tol=1e-4, random_state=0)
    cold = [LaRankSVM(C=C, tol=1e-4, random_state=0).fit(X, Y).n_iter_ for C in Cs]
    assert path.n_iters[1:].sum() < sum(cold[1:])


def test_the_path_leads_to_a_large_cost():
    pytest.importorskip("cvxpy")
    X, Y, _, _ = small(0)
    best, _ = reference.larank_optimum(with_bias(X), Y, 1e6)
    path = ranking_path(X, Y, 10.0 ** np.arange(-2, 7), random_state=0)
    assert path.primal_objectives[-1] == pytest.approx(best, rel=2e-3)
    assert path.dual_objectives[-1] <= best * (1 + 1e-6)


@pytest.mark.parametrize("Cs", [[], [1.0, 0.0], [np.nan], [-1.0]])
def test_bad_costs(Cs):
    with pytest.raises(ValueError, match="must hold positive numbers"):
        ranking_path(np.eye(2), np.eye(2), Cs)


def test_a_path_needs_two_labels():
    with pytest.raises(ValueError, match="y has 1 label"):
        ranking_path(np.eye(2), [[0], [1]], [1.0])


def test_label_correlation_is_pearson_s():
    rng = np.random.default_rng(0)
    Y = (rng.random((40, 5)) < 0.4).astype(int)
    np.testing.assert_allclose(label_correlation(Y), np.corrcoef(Y.T), atol=1e-12)
    Y[:, 1] = 1
    assert not label_correlation(Y)[1].any()
