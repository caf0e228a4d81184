"""Figure 1 of Chen and Lin (2012): four errors against the number of codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class ErrorCurves:
    """Errors of one model for several numbers of codes.

    Attributes
    ----------
    M : ndarray of shape (m,)
        Numbers of codes.
    hamming_loss, encoding, prediction, bound : ndarray of shape (m,)
        Panels (a) to (d) of the figure.
    """

    M: np.ndarray
    hamming_loss: np.ndarray
    encoding: np.ndarray
    prediction: np.ndarray
    bound: np.ndarray


def error_curves(model: Any, X: Any, Y: Any, Ms: Iterable[int] | None = None) -> ErrorCurves:
    """Errors of a fitted label-space classifier against the number of codes.

    Parameters
    ----------
    model : label-space classifier
        Fitted, with as many codes as the curve needs; it is truncated, not refitted.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Features of the rows to evaluate.
    Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
        Their labels.
    Ms : iterable of int, default=None
        Numbers of codes; None for 1, 2, ..., ``model.n_components_``.

    Returns
    -------
    ErrorCurves
        One value for each number of codes.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.labelspace import PLST, error_curves
    >>> yeast = load_yeast()
    >>> curves = error_curves(PLST().fit(yeast.X, yeast.Y), yeast.X, yeast.Y, [1, 7, 14])
    >>> bool(curves.encoding[0] > curves.encoding[1] > 1e-9 > curves.encoding[2])
    True
    """
    numbers = np.array(range(1, model.n_components_ + 1) if Ms is None else list(Ms), dtype=int)
    rows = []
    for M in numbers:
        short = model.truncate(int(M))
        wrong = short.predict(X) != short._check_labels(Y)
        rows.append((wrong.mean(), *short.errors(X, Y)))
    return ErrorCurves(numbers, *np.array(rows, dtype=float).reshape(-1, 4).T)
