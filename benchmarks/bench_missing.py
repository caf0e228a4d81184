"""Labels with holes against the same labels without: ratios of fit times in one run.

usage: python benchmarks/bench_missing.py        (LABELSPAN_DATA set)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from timing import Comparison, benchmark_data, compare

import labelspan as ls

SHARE = 0.3
GOALS: list[tuple[Any, float]] = [
    (ls.MDDM(), 2.5),
    (ls.MDDM(constraint="feature"), 2.5),
    (ls.MVMD(), 2.5),
    (ls.MultiOutputRidge(), 10.0),
]


def with_holes(Y: Any) -> np.ndarray:
    """Dense labels of which 30 % are not observed, drawn one by one."""
    labels = (Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)).astype(np.float64)
    labels[np.random.default_rng(0).random(labels.shape) < SHARE] = np.nan
    return labels


def comparisons() -> Iterator[Comparison]:
    """Each method on bibtex, with holes and without."""
    data = benchmark_data("bibtex")
    X, Y = data.X[data.train], data.Y[data.train]
    holed = with_holes(Y)
    for model, goal in GOALS:
        yield Comparison(
            f"{model!r:.30} on bibtex, {SHARE:.0%} holes",
            "the same without holes",
            goal,
            lambda model=model: model.fit(X, holed),
            lambda model=model: model.fit(X, Y),
            5,
        )


if __name__ == "__main__":
    sys.exit(0 if compare(comparisons()) else 1)
