"""Friedman's test of equal average ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from labelspan.stats._friedman_null import MOST_BLOCKS, exact_p_value, permutation_p_value
from labelspan.stats._ranks import Ranks, average_ranks


@dataclass(frozen=True, eq=False)
class FriedmanResult:
    """Friedman's chi-square and the F of Iman and Davenport.

    Parameters
    ----------
    ranks : Ranks
        What was tested.
    chi_square, chi_square_p_value : float
        Friedman's statistic and its p-value.
    chi_square_df : int
        Its degrees of freedom.
    F, F_p_value : float
        The statistic of Iman and Davenport, less conservative, and its p-value.
    F_df : tuple of int
        Its degrees of freedom.
    p_value : float
        The p-value to use: exact or by permutation for few data sets, else that of F.
    p_value_method : {"exact", "permutation", "F"}
        Source of `p_value`.
    """

    ranks: Ranks
    chi_square: float
    chi_square_p_value: float
    chi_square_df: int
    F: float
    F_p_value: float
    F_df: tuple[int, int]
    p_value: float
    p_value_method: str


def friedman(
    scores: Any,
    *,
    greater_is_better: bool = True,
    names: Any = None,
    tie_correction: bool = False,
    random_state: Any = 0,
) -> FriedmanResult:
    r"""Test whether all methods have the same average rank.

    .. math:: \chi^2_F = \frac{12 N}{k (k + 1)} \Big(\sum_j R_j^2 - \frac{k (k + 1)^2}{4}\Big),
              \quad F_F = \frac{(N - 1) \chi^2_F}{N (k - 1) - \chi^2_F}

    with N data sets, k methods and average ranks R_j.

    Parameters
    ----------
    scores : array-like or frame of shape (n_datasets, n_methods)
        One measure of each method on each data set; at least 2 data sets and 3 methods.
    greater_is_better : bool, default=True
        Whether the largest score gets rank 1.
    names : sequence of str, optional
        Names of the methods, by default the columns of a frame.
    tie_correction : bool, default=False
        Divide the statistic by 1 - (sum of t^3 - t over ties) / (N k (k^2 - 1)), as
        ``scipy.stats.friedmanchisquare`` does and [1]_ does not.
    random_state : int, RandomState instance or None, default=0
        Seed of the random orders of ``p_value_method="permutation"``.

    Returns
    -------
    FriedmanResult
        F is infinite, with ``F_p_value`` 0, if all data sets agree on a full order; both
        statistics are 0, with p-values of 1, if all methods tie everywhere.

    Notes
    -----
    Ranks, and what counts as a tie, are those of `average_ranks`.

    The distributions of chi-square and F hold for many data sets; for two that agree on three
    methods, F gives a p-value of 0, but the exact one is 1/6. So ``p_value`` is conditional on the
    observed ranks, including ties: the probability of average ranks that spread as much if each
    data set orders the methods at random. For up to 30 data sets it is exact if that takes at most
    50,000 rank sums per data set (8 methods on 2 data sets, 4 on 11, 3 on 30), else estimated from
    9999 random orders. Beyond 30 data sets it is ``F_p_value``. Time O(n_datasets n_methods log
    n_methods), and below a second for the p-value.

    References
    ----------
    .. [1] Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 2006.

    Examples
    --------
    >>> from labelspan.stats import friedman
    >>> result = friedman([[0.9, 0.8, 0.7], [0.8, 0.6, 0.7], [0.9, 0.5, 0.4]])
    >>> round(result.chi_square, 3), round(result.F, 3), result.F_df
    (4.667, 7.0, (2, 4))
    >>> round(result.p_value, 4), result.p_value_method
    (0.1944, 'exact')
    """
    ranks = average_ranks(scores, greater_is_better=greater_is_better, names=names)
    n, k = ranks.n_datasets, ranks.n_methods
    if n < 2 or k < 3:
        raise ValueError(
            f"{n} data sets and {k} methods were given; the Friedman test needs at least 2 and 3. "
            "For two methods use wilcoxon."
        )
    spread = float(((ranks.average - (k + 1) / 2) ** 2).sum())
    chi_square = 12 * n / (k * (k + 1)) * spread
    if tie_correction and chi_square > 0:
        chi_square /= 1 - _tied(ranks.ranks) / (n * k * (k**2 - 1))
    rest = n * (k - 1) - chi_square
    # At full agreement the denominator is 0 up to rounding.
    F = (n - 1) * chi_square / rest if rest > 1e-9 * n else np.inf
    df = (k - 1, (k - 1) * (n - 1))
    F_p_value = float(stats.f.sf(F, *df))
    p_value, method = _p_value(ranks.ranks, F_p_value, random_state)
    return FriedmanResult(
        ranks=ranks,
        chi_square=float(chi_square),
        chi_square_p_value=float(stats.chi2.sf(chi_square, k - 1)),
        chi_square_df=k - 1,
        F=float(F),
        F_p_value=F_p_value,
        F_df=df,
        p_value=p_value,
        p_value_method=method,
    )


def _p_value(ranks: np.ndarray, F_p_value: float, random_state: Any) -> tuple[float, str]:
    if len(ranks) > MOST_BLOCKS:
        return F_p_value, "F"
    exact = exact_p_value(ranks)
    if exact is not None:
        return exact, "exact"
    return permutation_p_value(ranks, random_state), "permutation"


def _tied(ranks: np.ndarray) -> int:
    """Sum of t^3 - t over all groups of t tied methods."""
    sizes = [np.unique(row, return_counts=True)[1] for row in ranks]
    return int(sum((size**3 - size).sum() for size in sizes))
