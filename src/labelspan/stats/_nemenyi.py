"""Nemenyi's test of all pairs of average ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from labelspan.stats._ranks import Ranks, average_ranks, check_alpha


@dataclass(frozen=True, eq=False)
class NemenyiResult:
    """Which average ranks differ by more than the critical difference.

    Parameters
    ----------
    ranks : Ranks
        What was tested.
    alpha : float
        Level of significance.
    critical_difference : float
        Smallest significant difference of average ranks.
    p_values : ndarray of shape (n_methods, n_methods)
        P-value of each pair, corrected for the number of pairs; 1 on the diagonal.
    significant : ndarray of bool of shape (n_methods, n_methods)
        Pairs that differ by at least the critical difference.
    groups : tuple of tuple of int
        Largest sets of methods, best first, of which no two differ significantly; sets of
        one method are not listed.
    """

    ranks: Ranks
    alpha: float
    critical_difference: float
    p_values: np.ndarray
    significant: np.ndarray
    groups: tuple[tuple[int, ...], ...]


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    r"""Smallest difference of average ranks that Nemenyi's test calls significant.

    .. math:: q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}

    where :math:`q_\alpha` is the quantile of the studentised range of k means with infinite
    degrees of freedom, divided by the square root of 2.

    Parameters
    ----------
    n_methods : int
        The k of the paper, at least 2.
    n_datasets : int
        N, at least 1.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    float

    Notes
    -----
    Constant time; one quantile by SciPy.

    Examples
    --------
    >>> from labelspan.stats import critical_difference
    >>> round(critical_difference(9, 8), 2)
    4.25
    """
    check_alpha(alpha)
    if n_methods < 2 or n_datasets < 1:
        raise ValueError(
            f"n_methods={n_methods} and n_datasets={n_datasets}; give at least 2 and 1."
        )
    quantile = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * standard_error(n_methods, n_datasets))


def nemenyi(
    scores: Any, *, alpha: float = 0.05, greater_is_better: bool = True, names: Any = None
) -> NemenyiResult:
    """Compare all pairs of methods by their average ranks.

    Parameters
    ----------
    scores : array-like or frame of shape (n_datasets, n_methods)
        One measure of each method on each data set.
    alpha : float, default=0.05
        Level of significance.
    greater_is_better : bool, default=True
        Whether the largest score gets rank 1.
    names : sequence of str, optional
        Names of the methods, by default the columns of a frame.

    Returns
    -------
    NemenyiResult

    Notes
    -----
    The test of [1]_, section 3.2.2. Time O(n_methods^2) beyond the ranks.

    References
    ----------
    .. [1] Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 2006.

    Examples
    --------
    >>> from labelspan.stats import nemenyi
    >>> result = nemenyi([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.5, 0.4], [0.9, 0.8, 0.3]])
    >>> round(result.critical_difference, 3), result.groups
    (1.657, ((0, 1), (1, 2)))
    """
    ranks = average_ranks(scores, greater_is_better=greater_is_better, names=names)
    difference = critical_difference(ranks.n_methods, ranks.n_datasets, alpha)
    gaps = np.abs(ranks.average[:, None] - ranks.average)
    statistic = gaps / standard_error(ranks.n_methods, ranks.n_datasets) * np.sqrt(2)
    p_values = stats.studentized_range.sf(statistic, ranks.n_methods, np.inf)
    np.fill_diagonal(p_values, 1.0)
    return NemenyiResult(
        ranks=ranks,
        alpha=alpha,
        critical_difference=difference,
        p_values=np.clip(p_values, 0.0, 1.0),
        significant=gaps >= difference,
        groups=groups_within(ranks.average, difference),
    )


def standard_error(n_methods: int, n_datasets: int) -> float:
    return float(np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def groups_within(average: np.ndarray, difference: float) -> tuple[tuple[int, ...], ...]:
    """Largest runs of methods, best first, whose ranks span less than `difference`."""
    order = np.argsort(average, kind="stable")
    found: list[tuple[int, ...]] = []
    reached = 0
    for start, method in enumerate(order):
        stop = start + 1
        while stop < len(order) and average[order[stop]] - average[method] < difference:
            stop += 1
        if stop - start > 1 and stop > reached:
            found.append(tuple(int(index) for index in order[start:stop]))
        reached = max(reached, stop)
    return tuple(found)
