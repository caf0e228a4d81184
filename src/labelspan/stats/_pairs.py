"""Tests of pairs of methods over data sets: signed ranks and t."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from labelspan.stats._holm import HolmResult, holm
from labelspan.stats._ranks import check_choice, check_scores
from labelspan.stats._rounding import tie_differences
from labelspan.stats._signed_ranks import signed_rank_test

ALTERNATIVES = ("two-sided", "greater", "less")
ZERO_METHODS = ("zsplit", "wilcox", "pratt")


@dataclass(frozen=True, eq=False)
class PairsResult:
    """A test of each pair of methods, corrected for the number of pairs.

    Parameters
    ----------
    names : tuple of str
        The methods.
    pairs : tuple of (int, int)
        Columns of each pair.
    statistic : ndarray of shape (n_pairs,)
        Statistic of each pair.
    median_difference : ndarray of shape (n_pairs,)
        Median over data sets of the first minus the second.
    holm : HolmResult
        P-values of the pairs and Holm's correction.
    """

    names: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    statistic: np.ndarray
    median_difference: np.ndarray
    holm: HolmResult


def wilcoxon(
    scores: Any,
    *,
    alpha: float = 0.05,
    names: Any = None,
    alternative: str = "two-sided",
    zero_method: str = "zsplit",
) -> PairsResult:
    """Test all pairs of methods by Wilcoxon's signed ranks, with Holm's correction.

    Parameters
    ----------
    scores : array-like or frame of shape (n_datasets, n_methods)
        One measure of each method on each data set (or on each split of one).
    alpha : float, default=0.05
        Family-wise level of significance.
    names : sequence of str, optional
        Names of the methods, by default the columns of a frame.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": the first of a pair has the larger scores.
    zero_method : {"zsplit", "wilcox", "pratt"}, default="zsplit"
        Data sets without a difference: split between both sides (Demsar 2006), dropped, or
        ranked and dropped.

    Returns
    -------
    PairsResult
        The statistic is the smaller sum of ranks if two-sided, else that of the gains. A pair
        of equal columns has statistic 0 and p-value 1.

    Notes
    -----
    Exact for up to 50 ranked differences, with ties and zeros: the p-value counts the sign choices
    of the observed ranks. Beyond 50 it is the normal approximation of ``scipy.stats.wilcoxon``,
    corrected for ties. Differences that agree up to the rounding of the scores (16 units in the
    last place of the larger score) tie, and one that is within it of 0 is 0, so that shares and
    percentages have the same p-values. Time O(n_methods^2 n_datasets^3) up to 50 data sets, else
    O(n_methods^2 n_datasets log n_datasets).

    Examples
    --------
    >>> from labelspan.stats import wilcoxon
    >>> result = wilcoxon([[0.9, 0.8], [0.8, 0.6], [0.9, 0.5], [0.9, 0.4], [0.9, 0.3], [1.0, 0.3]])
    >>> result.statistic.tolist(), result.holm.adjusted.tolist()
    ([0.0], [0.03125])
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("zero_method", zero_method, ZERO_METHODS)

    def test(difference: np.ndarray) -> tuple[float, float]:
        return signed_rank_test(difference, alternative, zero_method)

    return _all_pairs(scores, test, alpha, names)


def paired_t_test(
    scores: Any, *, alpha: float = 0.05, names: Any = None, alternative: str = "two-sided"
) -> PairsResult:
    """Test all pairs of methods by the paired t-test, with Holm's correction.

    Parameters
    ----------
    scores : array-like or frame of shape (n_datasets, n_methods)
        One measure of each method on each data set (or on each split of one); at least 2 rows.
    alpha : float, default=0.05
        Family-wise level of significance.
    names : sequence of str, optional
        Names of the methods, by default the columns of a frame.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": the first of a pair has the larger mean.

    Returns
    -------
    PairsResult
        A pair of equal columns has statistic 0 and p-value 1; the uncorrected p-values, which
        the MDDM paper's tables use, are ``holm.p_values``.

    Notes
    -----
    ``scipy.stats.ttest_rel``; differences that agree up to the rounding of the scores are
    treated as equal, as in `wilcoxon`. Splits of one data set share rows, so this test is too
    confident on them. Time O(n_methods^2 n_datasets log n_datasets).

    Examples
    --------
    >>> from labelspan.stats import paired_t_test
    >>> result = paired_t_test([[0.9, 0.8], [0.8, 0.6], [0.9, 0.7]])
    >>> result.statistic.round(3).tolist(), result.holm.p_values.round(4).tolist()
    ([5.0], [0.0377])
    """
    check_choice("alternative", alternative, ALTERNATIVES)

    def test(difference: np.ndarray) -> tuple[float, float]:
        if len(difference) < 2:
            raise ValueError("scores has 1 row; the paired t-test needs at least 2.")
        if np.ptp(difference) == 0:
            return _constant(difference[0], alternative)
        result = stats.ttest_1samp(difference, 0.0, alternative=alternative)
        return result.statistic, result.pvalue

    return _all_pairs(scores, test, alpha, names)


def _constant(difference: float, alternative: str) -> tuple[float, float]:
    """Limit of the t-test for differences that are all the same."""
    if difference == 0:
        return 0.0, 1.0
    opposed = {"greater": difference < 0, "less": difference > 0}.get(alternative, False)
    return np.copysign(np.inf, difference), float(opposed)


def _all_pairs(
    scores: Any, test: Callable[[np.ndarray], tuple[float, float]], alpha: float, names: Any
) -> PairsResult:
    table, labels = check_scores(scores, names)
    pairs = tuple(combinations(range(table.shape[1]), 2))
    differences = [tie_differences(table[:, i], table[:, j]) for i, j in pairs]
    outcomes = np.array([test(difference) for difference in differences])
    return PairsResult(
        names=labels,
        pairs=pairs,
        statistic=outcomes[:, 0],
        median_difference=np.array([np.median(difference) for difference in differences]),
        holm=holm(outcomes[:, 1], alpha=alpha),
    )
