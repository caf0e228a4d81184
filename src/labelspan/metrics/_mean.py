"""Means: of ratios with a stated value of 0/0, and of squared errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.arrays import cast, sums
from labelspan.metrics._input import column_blocks, compare_scores


def mean_ratio(numerator: np.ndarray, denominator: np.ndarray, zero_division: float) -> float:
    """Mean of the ratios (n,), where 0/0 gives `zero_division`; NaN leaves those out."""
    ratio = np.full(len(numerator), float(zero_division))
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    ratio = ratio[~np.isnan(ratio)]
    return float(ratio.mean()) if len(ratio) else float("nan")


def squared_error(Y_true: Any, Y_score: Any, *, observed: Any = None) -> float:
    r"""Mean squared difference of scores and labels in {-1, +1}; smaller is better.

    .. math:: \frac{1}{nq} \sum_{i, l} (f_l(x_i) - y_{il})^2, \qquad y_{il} \in \{-1, +1\}

    Parameters
    ----------
    Y_true, Y_score : array-like or sparse of shape (n_samples, n_labels)
        True label indicators, and scores; entries that a sparse array does not store are 0.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    float
        The mean over observed labels.

    Notes
    -----
    What :class:`labelspan.MultiOutputRidge` minimises, up to its ridge.

    Examples
    --------
    >>> from labelspan.metrics import squared_error
    >>> squared_error([[1, 0]], [[1.0, 0.0]])
    0.5
    """
    given = compare_scores(Y_true, Y_score, observed)
    if given.on_device:
        error = cast(given.output, np.float64) - (2.0 * cast(given.truth, np.float64) - 1.0)
        return float(sums(error * error)) / (error.shape[0] * error.shape[1])
    total, columns = 0.0, 0
    for truth, scores in column_blocks(given.truth, given.output):
        error = scores - (2.0 * truth - 1.0)
        if given.observed is not None:
            error *= given.observed[:, columns : columns + error.shape[1]]
        total += float(np.vdot(error, error))
        columns += error.shape[1]
    n_known = given.truth.shape[0] * given.truth.shape[1]
    return total / (n_known if given.observed is None else int(given.observed.sum()))
