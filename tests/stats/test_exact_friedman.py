"""Friedman's test on few data sets: exact p-values against tables, enumeration and SciPy."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats as reference

from labelspan import stats


def agreed(n_datasets, n_methods):
    return np.tile(np.arange(n_methods, 0, -1.0), (n_datasets, 1))


def enumerated(scores):
    """Literal definition: every order of the ranks within every data set, all equally likely."""
    ranks = stats.average_ranks(scores).ranks
    spread = ((ranks.sum(axis=0) - ranks.sum() / ranks.shape[1]) ** 2).sum()
    orders = [list(permutations(row)) for row in ranks]
    sums = np.array([np.sum(chosen, axis=0) for chosen in product(*orders)])
    spreads = ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return np.mean(spreads >= spread - 1e-9)


@pytest.mark.parametrize(
    ("n_datasets", "n_methods", "expected"),
    [(2, 3, 1 / 6), (3, 3, 1 / 36), (2, 4, 1 / 24), (4, 4, 1 / 24**3), (2, 8, 1 / 40320)],
)
def test_full_agreement_has_the_chance_of_that_agreement(n_datasets, n_methods, expected):
    result = stats.friedman(agreed(n_datasets, n_methods))
    assert np.isinf(result.F)
    assert result.p_value == pytest.approx(expected, rel=1e-12)
    assert result.p_value_method == "exact"


@pytest.mark.parametrize(
    ("scores", "chi_square", "expected"),
    [
        # Friedman (1937), table V: three methods, four data sets; four methods, three data sets.
        ([[3, 2, 1], [3, 2, 1], [3, 2, 1], [3, 1, 2]], 6.5, 0.042),
        ([[3, 2, 1], [3, 2, 1], [3, 1, 2], [3, 1, 2]], 6.0, 0.069),
        ([[4, 3, 2, 1], [4, 3, 2, 1], [4, 2, 3, 1]], 8.2, 0.017),
    ],
)
def test_p_values_are_those_of_friedmans_tables(scores, chi_square, expected):
    result = stats.friedman(scores)
    assert result.chi_square == pytest.approx(chi_square)
    assert result.p_value == pytest.approx(expected, abs=0.0006)


@pytest.mark.parametrize("shape", [(2, 3), (5, 3), (3, 4), (2, 5)])
@pytest.mark.parametrize("levels", [2, 3, 100])
def test_exact_p_values_are_those_of_all_orders_with_ties_too(shape, levels):
    rng = np.random.default_rng(levels)
    for _ in range(3):
        scores = rng.integers(levels, size=shape).astype(float)
        result = stats.friedman(scores)
        assert result.p_value == pytest.approx(enumerated(scores), abs=1e-12)
        assert result.p_value_method == "exact"


def test_random_orders_agree_with_the_exact_p_value_and_with_scipy(limit):
    rng = np.random.default_rng(3)
    scores = rng.random((7, 4)) + np.array([0.0, 0.1, 0.2, 0.45])
    exact = stats.friedman(scores)
    limit("exact sums", 0)
    drawn = stats.friedman(scores)
    assert (exact.p_value_method, drawn.p_value_method) == ("exact", "permutation")
    # Four standard errors of a share of 9999 draws.
    error = 4 * np.sqrt(exact.p_value * (1 - exact.p_value) / 9999)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=error)
    assert stats.friedman(scores, random_state=1).p_value != drawn.p_value
    assert stats.friedman(scores).p_value == drawn.p_value
    scipys = reference.permutation_test(
        tuple(scores.T),
        lambda *columns: reference.friedmanchisquare(*columns).statistic,
        permutation_type="samples", alternative="greater", n_resamples=999,
    )  # fmt: skip
    assert scipys.pvalue == pytest.approx(exact.p_value, abs=0.05)


def test_no_order_drawn_is_ever_impossible():
    """The observed order is one of the draws, so the p-value is never 0."""
    result = stats.friedman(agreed(10, 12))
    assert result.p_value_method == "permutation"
    assert result.p_value == 1e-4


def test_many_data_sets_take_the_distribution_of_f():
    scores = np.random.default_rng(0).random((31, 3))
    result = stats.friedman(scores)
    assert (result.p_value, result.p_value_method) == (result.F_p_value, "F")
    near = stats.friedman(scores[:30])
    assert near.p_value_method == "exact"
    assert near.p_value == pytest.approx(near.F_p_value, abs=0.05)


def test_methods_that_tie_everywhere_have_p_value_1():
    for n_datasets in (2, 6, 40):
        assert stats.friedman(np.ones((n_datasets, 3))).p_value == 1


def test_more_methods_than_a_float_has_orders():
    """A search has hundreds of candidates; the factorial of 171 overflows a float."""
    scores = np.random.default_rng(0).random((3, 200))
    result = stats.friedman(scores)
    assert result.p_value_method == "permutation"
    assert result.p_value == pytest.approx(reference.friedmanchisquare(*scores.T).pvalue, abs=0.1)
    assert stats.friedman(agreed(3, 200)).p_value == 1e-4
