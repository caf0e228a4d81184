"""Sums with the same bits for any chunks and threads against the default, in one run.

usage: OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/bench_reproducible.py
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import clone

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.timing import Comparison, compare
from labelspan import MVMD, OPLS, MultiOutputRidge, config_context


def rows(n_rows: int, n_features: int, n_labels: int = 20):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_features), dtype=np.float32)
    return X, (X[:, :n_labels] + rng.standard_normal((n_rows, n_labels)) > 1).astype(np.int8)


def learn(model, X, Y, height: int, reproducible: bool) -> None:
    """Fit to chunks of so many rows."""
    model = clone(model)
    with config_context(reproducible=reproducible):
        for start in range(0, X.shape[0], height):
            model.partial_fit(X[start : start + height], Y[start : start + height])
        model.finalize()


def pair(what: str, model, X, Y, height: int) -> Comparison:
    ours, theirs = (partial(learn, model, X, Y, height, flag) for flag in (True, False))
    return Comparison(f"{what}, chunks of {height:,}", "the same, default", 1.5, ours, theirs, 4)


def comparisons():
    X, Y = rows(60_000, 500)
    yield pair("MVMD(20), 60,000 x 500", MVMD(20), X, Y, 1_000)
    yield pair("MVMD(20), 60,000 x 500", MVMD(20), X, Y, 20_000)
    yield pair("MultiOutputRidge, 60,000 x 500", MultiOutputRidge(1.0), X, Y, 5_000)
    X, Y = rows(200_000, 50)
    yield pair("OPLS(10), 200,000 x 50", OPLS(10, ridge=1.0), X, Y, 700)
    X = sparse.random_array((60_000, 400), density=0.02, format="csr", random_state=0)
    yield pair("MVMD(20), sparse 60,000 x 400", MVMD(20), X, Y[:60_000], 3_000)


if __name__ == "__main__":
    sys.exit(not compare(comparisons()))
