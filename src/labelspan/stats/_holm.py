"""Holm's step-down correction, and the comparison of all methods with one."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy import stats

from labelspan.stats._nemenyi import standard_error
from labelspan.stats._ranks import Ranks, average_ranks, check_alpha


@dataclass(frozen=True, eq=False)
class HolmResult:
    """P-values corrected for their number.

    Parameters
    ----------
    p_values, adjusted : ndarray of shape (n_tests,)
        Before and after the correction.
    rejected : ndarray of bool of shape (n_tests,)
        Tests with an adjusted p-value of at most `alpha`.
    alpha : float
        Family-wise level of significance.
    """

    p_values: np.ndarray
    adjusted: np.ndarray
    rejected: np.ndarray
    alpha: float


@dataclass(frozen=True, eq=False)
class ControlResult:
    """Comparison of every method with a control, by average ranks.

    Parameters
    ----------
    ranks : Ranks
        What was tested.
    control : int
        Column of the control.
    methods : tuple of int
        Columns of the others, in the order of the tests.
    z : ndarray of shape (n_methods - 1,)
        Rank of the control minus rank of the method, over its standard error.
    holm : HolmResult
        Two-sided p-values and their correction.
    """

    ranks: Ranks
    control: int
    methods: tuple[int, ...]
    z: np.ndarray
    holm: HolmResult


def holm(p_values: Any, *, alpha: float = 0.05) -> HolmResult:
    """Correct p-values so that the probability of any false rejection is at most `alpha`.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        P-values of the single tests.
    alpha : float, default=0.05
        Family-wise level of significance.

    Returns
    -------
    HolmResult
        The i-th smallest of m p-values is multiplied by m - i + 1, made monotone, cut at 1.

    Notes
    -----
    Holm (1979), step-down. Time O(m log m).

    Examples
    --------
    >>> from labelspan.stats import holm
    >>> holm([0.01, 0.04, 0.03]).adjusted.tolist()
    [0.03, 0.06, 0.06]
    """
    check_alpha(alpha)
    p = np.atleast_1d(np.asarray(p_values, dtype=float))
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p_values must be a list of numbers in [0, 1]; got {p_values!r}.")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return HolmResult(p, adjusted, adjusted <= alpha, alpha)


def compare_with_control(
    scores: Any,
    control: int | str,
    *,
    alpha: float = 0.05,
    greater_is_better: bool = True,
    names: Any = None,
) -> ControlResult:
    r"""Test each method against a control by average ranks, with Holm's correction.

    .. math:: z_j = (R_c - R_j) \Big/ \sqrt{\frac{k (k + 1)}{6 N}}

    Parameters
    ----------
    scores : array-like or frame of shape (n_datasets, n_methods)
        One measure of each method on each data set.
    control : int or str
        Column or name of the control.
    alpha : float, default=0.05
        Family-wise level of significance.
    greater_is_better : bool, default=True
        Whether the largest score gets rank 1.
    names : sequence of str, optional
        Names of the methods, by default the columns of a frame.

    Returns
    -------
    ControlResult

    Notes
    -----
    Section 3.2.2 of Demsar (JMLR 2006). Time O(n_methods log n_methods) beyond the ranks.

    Examples
    --------
    >>> from labelspan.stats import compare_with_control
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.5, 0.4], [0.9, 0.8, 0.3]]
    >>> result = compare_with_control(scores, 2)
    >>> result.z.round(3).tolist(), result.holm.rejected.tolist()
    ([2.828, 1.414], [True, False])
    """
    ranks = average_ranks(scores, greater_is_better=greater_is_better, names=names)
    index = _position(control, ranks.names)
    others = tuple(j for j in range(ranks.n_methods) if j != index)
    gaps = ranks.average[index] - ranks.average[list(others)]
    z = gaps / standard_error(ranks.n_methods, ranks.n_datasets)
    return ControlResult(ranks, index, others, z, holm(2 * stats.norm.sf(np.abs(z)), alpha=alpha))


def _position(control: int | str, names: tuple[str, ...]) -> int:
    if isinstance(control, str):
        if control in names:
            return names.index(control)
    elif isinstance(control, Integral) and 0 <= control < len(names):
        return int(control)
    raise ValueError(
        f"control={control!r} is not a method; use a column from 0 to {len(names) - 1} or one of "
        f"{names}."
    )
