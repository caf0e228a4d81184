"""The features with the largest weights of each direction, as a table."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from labelspan.inspection._scores import directions, feature_names
from labelspan.inspection._weights import structure_correlations
from labelspan.system import require


def top_features(model: Any, k: int = 10, *, X: Any = None) -> Any:
    """Table of the features that count most in each direction.

    Parameters
    ----------
    model : linear extractor, LabelPLS or Pipeline
        Fitted; anything that :func:`labelspan.interop.to_linear` takes.
    k : int, default=10
        Features per direction; all, if there are fewer.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features), or None
        Rows, such as those of ``fit``: the features are then ordered by their correlation with the
        scores, which does not depend on their units. None orders them by their weights.

    Returns
    -------
    pandas.DataFrame
        Columns "direction" (from 1), "feature", "weight", and "correlation" if `X` is given; the
        largest first, whatever the sign.

    Examples
    --------
    >>> from labelspan import OPLS
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.inspection import top_features
    >>> yeast = load_yeast()
    >>> table = top_features(OPLS(2).fit(yeast.X, yeast.Y), 3, X=yeast.X)
    >>> table.shape, list(table.columns)
    ((6, 4), ['direction', 'feature', 'weight', 'correlation'])
    """
    if not isinstance(k, Integral) or k < 1:
        raise ValueError(f"k={k!r} is out of range; give a number of features from 1.")
    pandas = require("pandas", "data", "top_features")
    weights, names = directions(model), feature_names(model)
    correlations = None if X is None else structure_correlations(model, X)
    order = np.argsort(-np.abs(weights if X is None else correlations), axis=1, kind="stable")
    order = order[:, : int(k)]
    columns: dict[str, Any] = {
        "direction": np.repeat(np.arange(1, len(weights) + 1), order.shape[1]),
        "feature": names[order.ravel()],
        "weight": np.take_along_axis(weights, order, axis=1).ravel(),
    }
    if correlations is not None:
        columns["correlation"] = np.take_along_axis(correlations, order, axis=1).ravel()
    return pandas.DataFrame(columns)
