"""Training times for growing numbers of rows (Figures 1 and 2 of the ML_LS paper)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone


def training_times(
    estimators: Mapping[str, Any], X: Any, Y: Any, sizes: Sequence[int]
) -> dict[str, np.ndarray]:
    """Seconds that each estimator takes to fit the first rows, for growing numbers of rows.

    Parameters
    ----------
    estimators : mapping of str to estimator
        What to time, by name; clones are fitted.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features, with rows in random order.
    Y : array-like of shape (n_samples, n_labels)
        Labels.
    sizes : sequence of int
        Numbers of rows.

    Returns
    -------
    dict of str to ndarray of shape (n_sizes,)
        Seconds; "size" holds the sizes.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import SharedSubspaceClassifier, training_times
    >>> yeast = load_yeast()
    >>> estimators = {"ML_LS": SharedSubspaceClassifier()}
    >>> times = training_times(estimators, yeast.X, yeast.Y, [100, 200])
    >>> sorted(times)
    ['ML_LS', 'size']
    """
    times: dict[str, np.ndarray] = {"size": np.asarray(sizes)}
    for name, estimator in estimators.items():
        # Fit once before timing, because the first fit of a process loads or compiles its loops.
        clone(estimator).fit(X[: min(sizes)], Y[: min(sizes)])
        seconds = []
        for size in sizes:
            start = time.perf_counter()
            clone(estimator).fit(X[:size], Y[:size])
            seconds.append(time.perf_counter() - start)
        times[name] = np.array(seconds)
    return times
