"""MultilabelRidgeCV against one ridge of scikit-learn, one MVMD fit and one eigendecomposition.

usage: python benchmarks/bench_ridge_cv.py [delicious] [tall] [kernel]     (LABELSPAN_DATA set)
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import linalg
from sklearn.linear_model import RidgeCV
from timing import Comparison, benchmark_data, compare

from labelspan import MVMD, MultilabelRidgeCV
from labelspan.arrays import dense


def problem(n, D, q):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, D))
    scores = X @ rng.standard_normal((D, q)) / np.sqrt(D) + rng.standard_normal((n, q))
    return X, (scores > 1.5).astype(int)


def delicious():
    """All labels of delicious, 28 ridges for each scaling, against one ridge."""
    data = benchmark_data("delicious")
    X, Y = (dense(A)[data.train].astype(float) for A in (data.X, data.Y))
    for scale in ("range", "auto"):
        yield Comparison(
            f"linear, 28 ridges, scale={scale!r}, delicious",
            "sklearn RidgeCV([1.0])",
            4.0,
            lambda scale=scale: MultilabelRidgeCV(kernel="linear", scale=scale).fit(X, Y),
            lambda: RidgeCV([1.0]).fit(X, Y),
            1,
        )


def tall():
    """Many rows, few labels, against one reading of the rows."""
    X, Y = problem(100_000, 500, 20)
    for store, goal in ((True, 5.0), (False, 2.0)):
        model = MultilabelRidgeCV(kernel="linear", scale="range", store_scores=store)
        yield Comparison(
            f"linear, store_scores={store}, 100,000 x 500, q = 20",
            "MVMD(20)",
            goal,
            lambda model=model: model.fit(X, Y),
            lambda: MVMD(20).fit(X, Y),
            2,
        )


def kernel():
    """All rows of a kernel, three widths, against one eigendecomposition of its size."""
    X, Y = problem(5000, 50, 20)
    G = np.random.default_rng(1).standard_normal((len(X), len(X)))
    G += G.T
    for scale, goal in (("range", 3.5), ("auto", 7.0)):
        model = MultilabelRidgeCV(kernel="rbf", scale=scale, n_landmarks=None)
        yield Comparison(
            f"RBF, three widths, scale={scale!r}, 5000 rows",
            "scipy.linalg.eigh",
            goal,
            lambda model=model: model.fit(X, Y),
            lambda: linalg.eigh(G),
            1,
        )


if __name__ == "__main__":
    parts = {"delicious": delicious, "tall": tall, "kernel": kernel}
    chosen = sys.argv[1:] or list(parts)
    reached = [compare(parts[name]()) for name in chosen]
    sys.exit(0 if all(reached) else 1)
