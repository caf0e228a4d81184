"""Results as a table of data sets by methods, and their ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from labelspan.stats._rounding import tie_scores


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of methods on data sets; 1 is best.

    Parameters
    ----------
    names : tuple of str
        The methods.
    ranks : ndarray of shape (n_datasets, n_methods)
        Rank of each method on each data set; tied methods share their mean rank.
    average : ndarray of shape (n_methods,)
        Mean rank of each method.
    """

    names: tuple[str, ...]
    ranks: np.ndarray
    average: np.ndarray

    @property
    def n_datasets(self) -> int:
        """Number of data sets."""
        return self.ranks.shape[0]

    @property
    def n_methods(self) -> int:
        """Number of methods."""
        return self.ranks.shape[1]


def average_ranks(scores: Any, *, greater_is_better: bool = True, names: Any = None) -> Ranks:
    """Rank the methods on each data set and average over the data sets.

    Parameters
    ----------
    scores : array-like or frame of shape (n_datasets, n_methods)
        One measure of each method on each data set.
    greater_is_better : bool, default=True
        Whether the largest score gets rank 1.
    names : sequence of str, optional
        Names of the methods; by default the columns of a frame, or "0", "1", ...

    Returns
    -------
    Ranks

    Notes
    -----
    Scores of a data set that agree up to rounding (16 units in the last place), such as 0.3 and
    0.1 + 0.2, tie. Time O(n_datasets n_methods log n_methods).

    Examples
    --------
    >>> from labelspan.stats import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]]).average.tolist()
    [1.0, 2.25, 2.75]
    """
    table, labels = check_scores(scores, names)
    table = tie_scores(table)
    ranks = stats.rankdata(-table if greater_is_better else table, axis=1)
    return Ranks(labels, ranks, ranks.mean(axis=0))


def check_scores(
    scores: Any, names: Any = None, *, n_methods: int = 2
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return a finite table of at least `n_methods` columns, and the names of the columns."""
    if names is None:
        names = getattr(scores, "columns", None)
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < n_methods:
        raise ValueError(
            f"scores has shape {table.shape}; give (n_datasets, n_methods) with at least 1 data "
            f"set and {n_methods} methods."
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"scores[{row}, {column}] is {table[row, column]}; every method needs a finite score "
            "on every data set: leave out the data set or the method."
        )
    labels = tuple(str(i) for i in range(table.shape[1])) if names is None else names
    labels = tuple(str(label) for label in labels)
    if len(labels) != table.shape[1]:
        raise ValueError(f"{len(labels)} names were given for {table.shape[1]} methods.")
    return table, labels


def check_alpha(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"alpha={alpha!r} is out of range; give a level in (0, 1), such as 0.05.")


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}={value!r} is unknown; use one of {', '.join(allowed)}.")
