"""Tests of pairs, the diagram and error messages."""

import matplotlib
import numpy as np
import pytest
from scipy import stats as reference

from labelspan import stats
from tests.stats.demsar import AUC, NAMES

matplotlib.use("agg")


def test_wilcoxon_of_the_worked_example():
    """Demsar's Table 2, C4.5 against C4.5+m: sums of ranks 93 and 12, two zeros split."""
    result = stats.wilcoxon(AUC[:, :2])
    assert result.statistic.tolist() == [12]
    assert result.holm.p_values[0] < 0.05
    greater = stats.wilcoxon(AUC[:, :2], alternative="greater")
    less = stats.wilcoxon(AUC[:, :2], alternative="less")
    assert greater.statistic.tolist() == [12]
    assert less.holm.p_values[0] < 0.05 < greater.holm.p_values[0]


def test_wilcoxon_corrects_over_all_pairs():
    scores = np.random.default_rng(0).random((9, 4)) + np.arange(4) / 4
    result = stats.wilcoxon(scores, names=NAMES)
    assert result.pairs == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    for index, (i, j) in enumerate(result.pairs):
        expected = reference.wilcoxon(scores[:, i], scores[:, j])
        assert result.holm.p_values[index] == pytest.approx(expected.pvalue)
        assert result.statistic[index] == expected.statistic
        assert result.median_difference[index] == np.median(scores[:, i] - scores[:, j])
    smallest = result.holm.p_values.argmin()
    assert result.holm.adjusted[smallest] == pytest.approx(6 * result.holm.p_values[smallest])


TENTHS = np.array(
    [[0.82, 0.72], [0.91, 0.81], [0.65, 0.75], [0.7, 0.6], [0.55, 0.45], [0.88, 0.78]]
)


@pytest.mark.parametrize("scale", [1, 100, 1 / 3])
def test_differences_that_are_equal_but_for_rounding_tie(scale):
    """All six are a tenth: five gains and a loss, 7 of the 32 ways on either side."""
    result = stats.wilcoxon(scale * TENTHS)
    assert result.statistic.tolist() == [3.5]
    assert result.holm.p_values.tolist() == [0.21875]
    constant = stats.paired_t_test(scale * TENTHS[TENTHS[:, 0] > TENTHS[:, 1]])
    assert constant.statistic.tolist() == [np.inf]


def test_a_difference_within_rounding_of_zero_is_zero():
    scores = np.array([[0.1 + 0.2, 0.3], [0.6, 0.5], [0.9, 0.7], [0.8, 0.4]])
    for method in ("zsplit", "wilcox", "pratt"):
        exact = stats.wilcoxon(np.rint(10 * scores), zero_method=method)
        assert stats.wilcoxon(scores, zero_method=method).holm.p_values == exact.holm.p_values
    # Scores that a measure can distinguish do not tie, however large the others are.
    scores = np.array([[1e9, 1.0], [0.5 + 1e-13, 0.5], [0.3, 0.2], [0.3, 0.1]])
    assert stats.wilcoxon(scores, alternative="greater").holm.p_values.tolist() == [1 / 16]


def test_wilcoxon_is_exact_with_ties_and_zeros():
    """Against all 2^15 choices of the signs; SciPy takes the normal approximation here."""
    rng = np.random.default_rng(0)
    signs = np.array(np.meshgrid(*[[-1, 1]] * 15)).reshape(15, -1).T
    for _ in range(5):
        difference = rng.integers(-3, 5, 15).astype(float)
        ranks = reference.rankdata(np.abs(difference)) * (difference != 0)
        sums = (ranks * (signs > 0)).sum(axis=1)
        observed = ranks[difference > 0].sum()
        expected = {"less": (sums <= observed).mean(), "greater": (sums >= observed).mean()}
        expected["two-sided"] = min(1, 2 * min(expected.values()))
        scores = np.column_stack([difference, np.zeros(15)])
        for alternative, p_value in expected.items():
            for method in ("zsplit", "pratt"):
                result = stats.wilcoxon(scores, alternative=alternative, zero_method=method)
                assert result.holm.p_values[0] == pytest.approx(p_value)
        dropped = stats.wilcoxon(scores, zero_method="wilcox")
        kept = stats.wilcoxon(scores[difference != 0])
        assert dropped.holm.p_values == kept.holm.p_values


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_wilcoxon_is_scipys_without_ties_and_beyond_fifty_differences(alternative):
    rng = np.random.default_rng(3)
    for difference in (rng.normal(0.3, 1, 50), np.rint(rng.normal(1, 4, 51))):
        scores = np.column_stack([difference, np.zeros(len(difference))])
        result = stats.wilcoxon(scores, alternative=alternative)
        expected = reference.wilcoxon(difference, alternative=alternative, zero_method="zsplit")
        assert result.holm.p_values[0] == pytest.approx(expected.pvalue)
        assert result.statistic[0] == expected.statistic


def test_paired_t_test_is_scipys():
    scores = np.random.default_rng(1).random((8, 3))
    for alternative in ("two-sided", "greater", "less"):
        result = stats.paired_t_test(scores, alternative=alternative)
        for index, (i, j) in enumerate(result.pairs):
            expected = reference.ttest_rel(scores[:, i], scores[:, j], alternative=alternative)
            assert result.statistic[index] == pytest.approx(expected.statistic)
            assert result.holm.p_values[index] == pytest.approx(expected.pvalue)


def test_equal_and_constant_columns_have_the_limits_of_the_tests():
    column = np.array([0.25, 0.5, 0.75])
    same = np.column_stack([column, column])
    assert stats.wilcoxon(same).holm.p_values.tolist() == [1]
    assert stats.paired_t_test(same).holm.p_values.tolist() == [1]
    shifted = np.column_stack([column + 1, column])
    assert stats.paired_t_test(shifted).statistic.tolist() == [np.inf]
    assert stats.paired_t_test(shifted).holm.p_values.tolist() == [0]
    assert stats.paired_t_test(shifted, alternative="less").holm.p_values.tolist() == [1]


def test_bayesian_signed_rank():
    rng = np.random.default_rng(0)
    base = rng.random(30)
    alike = stats.bayesian_signed_rank(base, base + rng.normal(0, 1e-3, 30), random_state=0)
    assert alike.rope > 0.99
    better = stats.bayesian_signed_rank(base + 0.1, base, random_state=0)
    assert better.first > 0.99
    worse = stats.bayesian_signed_rank(base, base + 0.1, random_state=0)
    assert (worse.first, worse.second) == (better.second, better.first)
    mixed = stats.bayesian_signed_rank(base, base[::-1], random_state=0, rope=0.0)
    # Each difference has its opposite, so both sides are equally likely.
    assert mixed.first == pytest.approx(mixed.second, abs=0.02)
    assert mixed.first + mixed.rope + mixed.second == pytest.approx(1)


def test_bayesian_signed_rank_of_differences_within_the_rope():
    """Means of two differences do not exceed them, so every draw votes for the rope."""
    base = np.zeros(5)
    result = stats.bayesian_signed_rank(base + 0.015, base, rope=0.02, random_state=0)
    assert (result.first, result.rope, result.second) == (0, 1, 0)


@pytest.mark.parametrize("rope", [0.4, 0.6])
def test_bayesian_signed_rank_of_one_difference_has_a_closed_form(rope):
    """Weights u of the prior's 0 and 1 - u of the difference 1, u ~ Beta(0.6, 1).

    Pairs have the means 0, 1/2 and 1 and the weights u^2, 2 u (1 - u) and (1 - u)^2: the first
    method wins a draw if u^2 < 1/2 where 1/2 is out of the rope, else if (1 - u)^2 > 1/2.
    """
    result = stats.bayesian_signed_rank([1.0], [0.0], rope=rope, random_state=0)
    limit = np.sqrt(1 / 2) if rope < 1 / 2 else 1 - np.sqrt(1 / 2)
    expected = reference.beta(0.6, 1).cdf(limit)
    # Five standard errors of 50000 draws.
    assert result.first == pytest.approx(expected, abs=0.011)
    assert result.rope == pytest.approx(1 - expected, abs=0.011)


def test_a_difference_that_is_the_rope_but_for_rounding_is_in_it():
    """0.82 - 0.81 is a little more than 0.01 in floating point, and 82 - 81 is 1."""
    first, second = np.array([0.82, 0.91, 0.66, 0.74]), np.array([0.81, 0.90, 0.65, 0.73])
    result = stats.bayesian_signed_rank(first, second, rope=0.01, random_state=0)
    assert result.rope == 1
    assert result == stats.bayesian_signed_rank(100 * first, 100 * second, rope=1, random_state=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.average_ranks([0.1, 0.2]), r"shape \(2,\).*n_datasets, n_methods"),
        (lambda: stats.average_ranks([[0.1, np.nan]]), r"scores\[0, 1\] is nan.*leave out"),
        (lambda: stats.average_ranks([[1, 2]], names=["a"]), "1 names .* 2 methods"),
        (lambda: stats.friedman([[1, 2], [2, 1]]), "2 data sets and 2 methods.*wilcoxon"),
        (lambda: stats.nemenyi([[1, 2], [2, 1]], alpha=5), r"alpha=5 .*\(0, 1\)"),
        (lambda: stats.critical_difference(1, 5), "n_methods=1.*at least 2"),
        (lambda: stats.holm([0.1, 1.5]), r"\[0, 1\]"),
        (lambda: stats.compare_with_control([[1, 2]], "c"), "'c' is not a method"),
        (lambda: stats.paired_t_test([[1, 2]]), "1 row.*at least 2"),
        (lambda: stats.bayesian_signed_rank([1, 2], [1]), r"\(2,\) and \(1,\)"),
        (lambda: stats.bayesian_signed_rank([1], [1], rope=-1), "rope=-1.*>= 0"),
        (lambda: stats.bayesian_signed_rank([1], [1], rope=np.nan), "rope=nan.*>= 0"),
        (lambda: stats.bayesian_signed_rank([1], [0], prior_strength=np.inf), "strength=inf"),
        (lambda: stats.bayesian_signed_rank([1], [0], n_draws=0), "n_draws=0.*at least 1"),
        (lambda: stats.bayesian_signed_rank([1], [0], n_draws=2.5), r"n_draws=2\.5.*integer"),
        (lambda: stats.compare_with_control([[1, 2]], 0.7), r"control=0\.7 .*from 0 to 1"),
        (lambda: stats.compare_with_control([[1, 2]], -1), "control=-1 .*from 0 to 1"),
        (
            lambda: stats.paired_t_test([[1, 2], [2, 3]], alternative="foo"),
            "alternative='foo' is unknown; use one of two-sided, greater, less",
        ),
        (lambda: stats.wilcoxon([[1, 1], [2, 2]], alternative="foo"), "alternative='foo'"),
        (lambda: stats.wilcoxon([[1, 1]], zero_method="drop"), "zero_method='drop' .*zsplit"),
    ],
)
def test_errors_name_value_range_and_repair(call, message):
    with pytest.raises(ValueError, match=message):
        call()
