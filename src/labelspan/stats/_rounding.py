"""Treat scores, and differences of scores, as equal if they agree up to rounding.

0.82 - 0.72 and 0.91 - 0.81 are both a tenth, yet differ by 1e-16 in floating point. A test that
ranks them must treat them as a tie; otherwise the p-value depends on the unit of the scores.
Numbers that a measure could distinguish never tie: shares of a million samples differ by 1e-6.
"""

from __future__ import annotations

import numpy as np

# A score is rounded when it is read, and again when it is averaged over splits.
ROUNDING = 16 * np.finfo(float).eps


def tie_scores(table: np.ndarray) -> np.ndarray:
    return _tie(table, ROUNDING * np.abs(table))


def tie_differences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Differences, equal if they agree in size up to rounding, 0 within their scores'."""
    difference, slack = first - second, rounding_of_difference(first, second)
    size = np.where(np.abs(difference) > slack, np.abs(difference), 0.0)
    # Zeros have no slack, so that no other difference ties with them; + 0.0 removes negative zeros.
    return np.sign(difference) * _tie(size, np.where(size > 0, slack, 0.0)) + 0.0


def rounding_of_difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How far rounding of the scores may move each difference."""
    return ROUNDING * np.maximum(np.abs(first), np.abs(second))


def _tie(values: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Set neighbours in the order of each row to the smaller value if within their slack."""
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
