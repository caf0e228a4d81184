"""Rank tests against the worked example of Demsar (2006) and against SciPy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats as reference

from labelspan import stats
from tests.stats.demsar import AUC, NAMES


def test_average_ranks_of_the_worked_example():
    ranks = stats.average_ranks(pd.DataFrame(AUC, columns=NAMES))
    assert ranks.names == NAMES
    assert ranks.average.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    assert ranks.ranks[5].tolist() == [1, 2.5, 4, 2.5]
    assert ranks.ranks[9].tolist() == [2.5] * 4
    reversed_ranks = stats.average_ranks(-AUC, greater_is_better=False)
    np.testing.assert_array_equal(reversed_ranks.ranks, ranks.ranks)


def test_scores_that_are_equal_but_for_rounding_share_their_rank():
    ranks = stats.average_ranks(
        [[0.1 + 0.2, 0.3, 0.5], [0.7, 0.7 + 1e-12, 1e20], [-1e308, 1e308, 0]]
    )
    assert ranks.ranks.tolist() == [[2.5, 2.5, 1], [3, 2, 1], [3, 1, 2]]
    percent = stats.friedman(100 * AUC, tie_correction=True)
    assert percent.chi_square == stats.friedman(AUC, tie_correction=True).chi_square


def test_friedman_of_the_worked_example():
    result = stats.friedman(AUC)
    assert result.chi_square == pytest.approx(9.28, abs=0.005)
    assert pytest.approx(3.69, abs=0.005) == result.F
    assert result.chi_square_df == 3
    assert result.F_df == (3, 39)
    # "The critical value of F(3, 39) for alpha = 0.05 is 2.85, so we reject".
    assert reference.f.isf(0.05, *result.F_df) == pytest.approx(2.85, abs=0.005)
    assert result.F_p_value < 0.05


def test_friedman_with_tie_correction_is_scipys():
    result = stats.friedman(AUC, tie_correction=True)
    expected = reference.friedmanchisquare(*AUC.T)
    assert result.chi_square == pytest.approx(expected.statistic)
    assert result.chi_square_p_value == pytest.approx(expected.pvalue)


def test_friedman_at_both_ends():
    agreed = stats.friedman(np.tile([3.0, 2.0, 1.0], (5, 1)))
    assert agreed.chi_square == pytest.approx(10)  # N (k - 1), its largest value
    assert np.inf == agreed.F
    assert agreed.F_p_value == 0
    for correction in (False, True):
        tied = stats.friedman(np.ones((5, 3)), tie_correction=correction)
        assert (tied.chi_square, tied.F, tied.F_p_value) == (0, 0, 1)


@pytest.mark.parametrize(
    ("k", "n", "alpha", "expected", "digits"),
    [(9, 8, 0.05, 4.25, 2), (4, 14, 0.05, 1.25, 2), (4, 14, 0.10, 1.12, 2)],
)
def test_critical_difference(k, n, alpha, expected, digits):
    assert round(stats.critical_difference(k, n, alpha), digits) == expected


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_values_are_those_of_demsars_table_5(k, q):
    scale = np.sqrt(k * (k + 1) / 6)
    assert stats.critical_difference(k, 1) / scale == pytest.approx(q, abs=0.0011)


def test_nemenyi_of_the_worked_example():
    """At .05 no pair differs by 1.25; at .10 C4.5 is worse than the two methods with m."""
    strict = stats.nemenyi(AUC, names=NAMES)
    assert not strict.significant.any()
    assert strict.groups == ((3, 1, 2, 0),)
    loose = stats.nemenyi(AUC, alpha=0.10)
    assert [tuple(pair) for pair in np.argwhere(loose.significant)] == [
        (0, 1),
        (0, 3),
        (1, 0),
        (3, 0),
    ]
    assert loose.groups == ((3, 1, 2), (2, 0))
    np.testing.assert_array_equal(loose.p_values < 0.10, loose.significant)
    np.testing.assert_array_equal(np.diag(loose.p_values), 1)


def test_control_comparison_of_the_worked_example():
    """Demsar's table for the control C4.5: z, p and Holm's decisions at .05."""
    result = stats.compare_with_control(AUC, "C4.5", names=NAMES)
    z = dict(zip(result.methods, result.z, strict=True))
    p = dict(zip(result.methods, result.holm.p_values, strict=True))
    # The printed z are differences of ranks rounded to three digits over 0.488.
    assert (z[3], z[1], z[2]) == pytest.approx((2.416, 2.342, 0.512), abs=0.002)
    assert (p[3], p[1], p[2]) == pytest.approx((0.016, 0.019, 0.607), abs=0.002)
    assert dict(zip(result.methods, result.holm.rejected, strict=True)) == {
        1: True,
        2: False,
        3: True,
    }


def test_holm_against_the_definition():
    rng = np.random.default_rng(0)
    for _ in range(20):
        p = rng.random(6) ** 3
        result = stats.holm(p, alpha=0.1)
        rejected = np.zeros(6, bool)
        for step, index in enumerate(np.argsort(p)):
            if p[index] > 0.1 / (6 - step):
                break
            rejected[index] = True
        np.testing.assert_array_equal(result.rejected, rejected)
        np.testing.assert_array_equal(result.adjusted <= 0.1, rejected)
