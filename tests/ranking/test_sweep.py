"""The kernel: steps of Algorithm 1, dense as sparse, pairs and their limit."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chisquare
from sklearn.base import clone

from labelspan.ranking import DualState, LaRankSVM, Pairs, _sweep, as_rows, solve_fixed
from tests.ranking.problems import small, with_bias
from tests.reference import ranking as reference


def dual_of(X, Y, C=1.0):
    rng = np.random.default_rng(0)
    return DualState(as_rows(X), Pairs.of(Y, None, rng), C, X.shape[1], Y.shape[1], rng)


def test_one_round_over_an_instance_is_algorithm_1():
    """Literal steps, W recomputed for each; instances in the order of the sweep."""
    X, Y, _, _ = small(0, n_samples=6, n_features=3)
    rng = np.random.default_rng(3)
    B = rng.standard_normal((4, 4))
    coupling = B @ B.T
    dual = dual_of(X, Y, C=2.0)
    dual.passes = 1
    dual.set_coupling(coupling)
    dual.set_weights(np.array([1.0, 1.0, 1.0, 0.0]))  # no bias
    order = [0, 4, 2, 5, 1, 3]
    dual.rng = type(
        "Fixed", (), {"permutation": lambda self, rows: np.array([i for i in order if i in rows])}
    )()
    dual.ascend(1)
    alpha = {}
    expected = np.zeros_like(dual.alpha)
    for i in order:
        pair = dual.pairs.start[i]
        for k in np.flatnonzero(Y[i]):
            for m in np.flatnonzero(Y[i] == 0):
                alpha[i, k, m] = reference.dual_step(alpha, i, k, m, X, Y, 2.0, coupling)
                expected[pair] = alpha[i, k, m]
                pair += 1
    np.testing.assert_allclose(dual.alpha, expected, atol=1e-12)


def test_sweeps_keep_the_product_and_never_lower_the_dual():
    X, Y, _, _ = small(1, n_samples=50)
    dual = dual_of(X, Y)
    before = 0.0
    for _ in range(12):
        dual.ascend(1)
        value = dual.values().dual
        assert value >= before - 1e-12
        before = value
    np.testing.assert_allclose(dual.A, dual.product(dual.rows, 6), atol=1e-12)
    assert dual.alpha.min() >= 0
    assert np.all(dual.alpha <= np.repeat(dual.upper, dual.pairs.counts))


def test_instances_at_rest_are_set_aside_without_changing_the_optimum():
    X, Y, _, _ = small(2, n_samples=200)
    dual = dual_of(X * 3, Y)
    dual.ascend(60)
    assert len(dual._active) < len(dual._usable)
    # The gap is evaluated on all instances, so it shows if one was lost.
    values = solve_fixed(dual, 1e-6, 50_000)
    assert 0 <= values.primal - values.dual <= 1e-6 * values.primal


@pytest.mark.parametrize("weighted", [False, True])
def test_dense_and_sparse_rows_take_the_same_steps(weighted):
    X, Y, _, _ = small(4)
    X[np.abs(X) < 0.7] = 0.0
    duals = [dual_of(X, Y), dual_of(sparse.csr_array(X), Y)]
    for dual in duals:
        if weighted:
            dual.set_weights(np.array([0.0, 0.2, 1.0, 0.5, 0.3, 1.0, 1.0]))
        dual.ascend(5)
    np.testing.assert_allclose(duals[0].alpha, duals[1].alpha, atol=1e-12)
    W = duals[0].coefficients()
    loss = reference.ranking_loss(X @ W[:-1] + W[-1], Y)
    assert duals[0].values().loss == pytest.approx(loss)


def test_rows_of_no_or_all_labels_form_no_pairs():
    Y = np.array([[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 1]])
    pairs = Pairs.of(Y, None, np.random.default_rng(0))
    np.testing.assert_array_equal(pairs.counts, [0, 0, 2, 2])
    np.testing.assert_array_equal(pairs.relevant, [0, 1, 2])
    np.testing.assert_array_equal(pairs.irrelevant, [1, 2, 0])
    np.testing.assert_array_equal(pairs.share, [0, 0, 0.5, 0.5])


def test_too_many_pairs_are_sampled_with_a_warning():
    rng = np.random.default_rng(0)
    Y = (rng.random((40, 30)) < 0.1).astype(int)
    every = Pairs.of(Y, None, np.random.default_rng(1))
    with pytest.warns(UserWarning, match=r"max_pairs is 600.*Raise max_pairs"):
        some = Pairs.of(Y, 600, np.random.default_rng(1))
    with pytest.warns(UserWarning, match="max_pairs"):
        again = Pairs.of(Y, 600, np.random.default_rng(1))
    assert 400 < some.start[-1] <= 600 < every.start[-1]
    np.testing.assert_array_equal(some.irrelevant, again.irrelevant)
    for i in np.flatnonzero(some.counts):
        chosen = some.irrelevant[some.irrelevant_start[i] : some.irrelevant_start[i + 1]]
        assert len(set(chosen)) == len(chosen)
        assert not Y[i, chosen].any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Pairs.of(Y, int(every.start[-1]), np.random.default_rng(1))


def test_sampled_pairs_favour_no_label():
    # Each row has label 2 and lacks five others, of which the budget lets it keep two.
    Y = np.tile([0, 0, 1, 0, 0, 0], (500, 1))
    with pytest.warns(UserWarning, match="max_pairs is 1000"):
        kept = Pairs.of(Y, 1000, np.random.default_rng(0)).irrelevant.reshape(500, 2)
    choices = list(combinations([0, 1, 3, 4, 5], 2))
    drawn = np.bincount([choices.index(tuple(row)) for row in kept], minlength=len(choices))
    assert chisquare(drawn).pvalue > 1e-3


def product(alpha, X, Y):
    """X'beta with beta of Eq. (8), triple by triple."""
    beta = np.zeros(Y.shape)
    for a, (i, k, m, _) in zip(alpha, reference.triples(Y), strict=True):
        beta[i, k] += a
        beta[i, m] -= a
    return with_bias(X).T @ beta


@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("C", [0.01, 0.3, 0.9, 1.1, 2.0, 100.0])
def test_a_new_cost_starts_from_the_best_feasible_multiple(C, coupled):
    X, Y, _, _ = small(5)
    dual = dual_of(X, Y)
    if coupled:
        dual.set_coupling(np.eye(4) - 0.1)
    solve_fixed(dual, 1e-6, 50_000)
    A = product(dual.alpha, X, Y)
    # The old cost is 1: up to C times the old variables none exceeds its bound.
    factors = np.linspace(0, C, 1001)
    energy = np.trace(A @ dual.coupling @ A.T)
    best = (factors * dual.alpha.sum() - factors**2 * energy / 2).max()
    dual.set_cost(C)
    limits = [C * share for *_, share in reference.triples(Y)]
    assert dual.alpha.min() >= 0
    assert np.all(dual.alpha <= np.array(limits) * (1 + 1e-12))
    np.testing.assert_allclose(dual.A, product(dual.alpha, X, Y), atol=1e-12)
    assert dual.values().dual >= best - 1e-9


@pytest.mark.parametrize("C", [1e-5, 1e-3])
def test_where_every_pair_rests_at_its_bound_the_start_is_the_optimum(C):
    # Margins are below 1 at both costs, so that every variable is C times its share.
    X, Y, _, _ = small(5)
    dual = dual_of(X, Y, C=1e-4)
    solve_fixed(dual, 1e-9, 100)
    dual.set_cost(C)
    limits = [C * share for *_, share in reference.triples(Y)]
    np.testing.assert_allclose(dual.alpha, limits)
    values = dual.values()
    assert values.primal == pytest.approx(values.dual, rel=1e-12)


def test_the_order_is_the_random_state_s():
    X, Y, _, _ = small(6)
    first, second, other = (
        LaRankSVM(tol=0.1, random_state=seed).fit(X, Y).coef_ for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - other).max() > 0


def test_fits_run_side_by_side():
    """Kernels release the interpreter lock, and threads do not disturb one another."""
    assert _sweep.sweep.load().targetoptions["nogil"]
    assert _sweep.pair_loss.load().targetoptions["nogil"]
    X, Y, _, _ = small(7, n_samples=200)
    alone = LaRankSVM(tol=1e-5, max_iter=20_000, random_state=0).fit(X, Y).coef_
    with ThreadPoolExecutor(4) as pool:
        model = LaRankSVM(tol=1e-5, max_iter=20_000, random_state=0)
        fits = [pool.submit(clone(model).fit, X, Y) for _ in range(4)]
        for fit in fits:
            np.testing.assert_array_equal(fit.result().coef_, alone)
