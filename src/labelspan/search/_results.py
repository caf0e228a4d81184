"""The results of a search in scikit-learn's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata


def results_table(points: Sequence[dict[str, Any]], folds: Sequence[Any]) -> dict[str, Any]:
    """``cv_results_``: times, parameters, and for each scorer splits, mean, std and rank.

    Parameters
    ----------
    points : sequence of dict
        The candidates; one may lack parameters that others have.
    folds : sequence
        For each fold the scores of all candidates by scorer (``test``; a candidate or a whole fold
        may have none), and the seconds they took (``fit_time``, ``score_time``).

    Returns
    -------
    dict of ndarray
        As that of :class:`sklearn.model_selection.GridSearchCV`.
    """
    table: dict[str, Any] = {}
    for kind in ("fit_time", "score_time"):
        times = np.array([getattr(fold, kind) for fold in folds])
        table[f"mean_{kind}"], table[f"std_{kind}"] = times.mean(axis=0), times.std(axis=0)
    for name in sorted({name for point in points for name in point}):
        table[f"param_{name}"] = column_of(points, name)
    table["params"] = list(points)
    nothing = np.full(len(points), np.nan)
    for name in dict.fromkeys(name for fold in folds for name in fold.test):
        scores = np.array([fold.test.get(name, nothing) for fold in folds])
        for i, split in enumerate(scores):
            table[f"split{i}_test_{name}"] = split
        mean = scores.mean(axis=0)
        table[f"mean_test_{name}"], table[f"std_test_{name}"] = mean, scores.std(axis=0)
        worst = np.where(np.isnan(mean), -np.inf, mean)
        table[f"rank_test_{name}"] = rankdata(-worst, method="min").astype(np.int32)
    return table


def column_of(points: Sequence[dict[str, Any]], name: str) -> np.ma.MaskedArray:
    """One parameter of all points, masked where a point has none; numbers as numbers."""
    missing = np.array([name not in point for point in points])
    present = [point[name] for point in points if name in point]
    kind: Any = object
    if not any(isinstance(value, bool) or not isinstance(value, int | float) for value in present):
        kind = int if all(isinstance(value, int) for value in present) else float
    column = np.zeros(len(points), dtype=kind)
    # One by one if they are objects, which may be arrays themselves.
    for place, value in zip(np.flatnonzero(~missing).tolist(), present, strict=True):
        column[place] = value
    return np.ma.MaskedArray(column, mask=missing)
