"""What counts as equal: scores, and differences of scores, up to the rounding of the scores.

0.82 - 0.72 and 0.91 - 0.81 are both a tenth, yet differ by 1e-16 in floating point. A test that
ranks them must see a tie, else the p-value depends on the unit of the scores. No rule makes ties
of numbers that a measure could distinguish: shares of a million samples differ by 1e-6.
"""

from __future__ import annotations

import numpy as np

# A score is rounded when it is read, and again when it is an average over splits.
ROUNDING = 16 * np.finfo(float).eps


def tie_scores(table: np.ndarray) -> np.ndarray:
    """Make equal, in each row, the scores that agree up to rounding."""
    return _tie(table, ROUNDING * np.abs(table))


def tie_differences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Differences of two lists; those that agree in size up to rounding are made equal.

    A difference no larger than the rounding of its own two scores is 0.
    """
    difference, slack = first - second, rounding_of_difference(first, second)
    size = np.where(np.abs(difference) > slack, np.abs(difference), 0.0)
    # Zeros have no slack, so that no other difference joins them; + 0.0 has no negative zeros.
    return np.sign(difference) * _tie(size, np.where(size > 0, slack, 0.0)) + 0.0


def rounding_of_difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How far rounding of the scores may move each difference."""
    return ROUNDING * np.maximum(np.abs(first), np.abs(second))


def _tie(values: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Return neighbours of each row's order that are within their slack the smaller one's value."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered, room = (np.take_along_axis(array, order, axis=-1) for array in (values, slack))
    is_first = np.ones(values.shape, dtype=bool)
    with np.errstate(over="ignore"):
        gaps = np.diff(ordered, axis=-1)
    is_first[..., 1:] = gaps > np.maximum(room[..., 1:], room[..., :-1])
    firsts = np.maximum.accumulate(np.where(is_first, ordered, -np.inf), axis=-1)
    tied = np.empty_like(values)
    np.put_along_axis(tied, order, firsts, axis=-1)
    return tied
