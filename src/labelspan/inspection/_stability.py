"""How often a selector keeps each feature when rows count more or less often."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from labelspan.arrays import rows_at
from labelspan.gate import label_tags
from labelspan.inspection._resamples import block_of_rows


def stability(
    selector: Any,
    X: Any,
    Y: Any,
    *,
    n_resamples: int = 50,
    groups: Any = None,
    random_state: int = 0,
) -> np.ndarray:
    """Stability selection: the share of random halves of the rows in which a feature is kept.

    Parameters
    ----------
    selector : estimator with ``get_support``
        Such as :class:`labelspan.CMLFS` or :class:`labelspan.MultilabelFisherScore`; not changed.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Features.
    Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
        Labels.
    n_resamples : int, default=50
        Number of halves, each of which is fitted.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows of one group stay together.
    random_state : int, default=0
        Seed of the halves.

    Returns
    -------
    ndarray of shape (n_features,)
        Frequencies from 0 to 1.

    Examples
    --------
    >>> from labelspan import MultilabelFisherScore
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.inspection import stability
    >>> yeast = load_yeast()
    >>> kept = stability(MultilabelFisherScore(5), yeast.X, yeast.Y, n_resamples=20)
    >>> kept.shape, round(float(kept.sum()), 6)
    ((103,), 5.0)
    """
    if not hasattr(selector, "get_support"):
        raise TypeError(
            f"{type(selector).__name__} selects no features. Pass a selector, or use "
            "labelspan.inspection.bootstrap for an extractor."
        )
    if not isinstance(n_resamples, Integral) or n_resamples < 1:
        raise ValueError(f"n_resamples={n_resamples!r} is out of range; give an integer from 1.")
    n, total = X.shape[0], 0.0
    for resample in range(n_resamples):
        half = block_of_rows(n, 2, random_state + resample, groups) == 0
        total = total + fitted_half(selector, X, Y, half).get_support()
    return np.asarray(total / n_resamples, dtype=np.float64)


def fitted_half(selector: Any, X: Any, Y: Any, half: np.ndarray) -> Any:
    """The selector on half of the rows: by weights where it takes them, which keeps all forms."""
    model = clone(selector)
    if hasattr(selector, "_refusals") and label_tags(selector).takes("sample_weight"):
        return model.fit(X, Y, sample_weight=half.astype(np.float64))
    places = np.flatnonzero(half)
    pick = [A.iloc[places] if hasattr(A, "iloc") else rows_at(A, places) for A in (X, Y)]
    return model.fit(*pick)
