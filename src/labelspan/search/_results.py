"""The candidates and folds of a search, and its results in scikit-learn's form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel
from scipy.stats import rankdata

from labelspan.system import watched


@dataclass(frozen=True)
class FoldScores:
    """Scores of all candidates on one fold, by scorer; their seconds; directions they kept."""

    test: dict[str, np.ndarray]
    fit_time: np.ndarray = field(default_factory=lambda: np.zeros(0))
    score_time: np.ndarray = field(default_factory=lambda: np.zeros(0))
    n_components: np.ndarray | None = None


def on_folds(
    jobs: Iterable[Any], n_folds: int, n_jobs: int | None, shown: bool, parameter: str = "verbose"
) -> list[FoldScores]:
    """Run the delayed jobs of all folds, behind a bar if `parameter` asks for one."""
    done = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    return list(watched(done, n_folds, shown, parameter) if shown else done)


def results_table(points: Sequence[dict[str, Any]], folds: Sequence[FoldScores]) -> dict[str, Any]:
    """``cv_results_`` as that of GridSearchCV; points may lack parameters, and folds scores."""
    table: dict[str, Any] = {}
    for kind in ("fit_time", "score_time"):
        if getattr(folds[0], kind).size:
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


def check_prices(values: Any, name: str, *, positive: bool = False) -> list[float]:
    """Candidates for a penalty: finite, non-negative or positive, at least one."""
    least = "> 0" if positive else ">= 0"
    prices = np.asarray(values, dtype=np.float64).ravel()
    if len(prices) == 0:
        raise ValueError(f"{name} is empty; pass at least one number {least}.")
    wrong = prices[~(np.isfinite(prices) & (prices > 0 if positive else prices >= 0))]
    if len(wrong):
        raise ValueError(f"{name} holds {wrong[0]:g}; allowed are finite numbers {least}.")
    return prices.tolist()


def side_by_side(parts: Sequence[FoldScores]) -> FoldScores:
    """Scores of one fold in several spaces as those of all candidates."""
    if len(parts) == 1:
        return parts[0]
    names = parts[0].test
    return FoldScores(
        {name: np.concatenate([part.test[name] for part in parts]) for name in names},
        np.concatenate([part.fit_time for part in parts]),
        np.concatenate([part.score_time for part in parts]),
        np.concatenate([np.asarray(part.n_components) for part in parts]),
    )
