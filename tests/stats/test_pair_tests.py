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


def test_diagram_shows_each_rank_bar_and_ruler():
    result = stats.nemenyi(AUC, names=NAMES, alpha=0.1)
    ax = stats.critical_difference_diagram(result, title="AUC")
    texts = {
        gid: [t.get_text() for t in ax.texts if t.get_gid() == gid] for gid in ("method", "rank")
    }
    assert texts["method"] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert texts["rank"] == ["1.96", "2.00", "2.89", "3.14"]
    bars = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 4]
    assert [(round(min(bar), 1), round(max(bar), 1)) for bar in bars] == [(1.9, 2.9), (2.9, 3.2)]
    assert any("CD = 1.12" in text.get_text() for text in ax.texts)
    ax.figure.canvas.draw()
    matplotlib.pyplot.close(ax.figure)


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
    ],
)
def test_errors_name_value_range_and_repair(call, message):
    with pytest.raises(ValueError, match=message):
        call()
