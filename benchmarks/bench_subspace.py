"""The shared subspace against thin SVDs and scikit-learn's Ridge.

    LABELSPAN_DATA=... OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/bench_subspace.py

Web pages: 1000 rows of yahoo-mulan-arts, prepared as in the paper (1000 x 17973, 19 labels), as
a sparse and as a dense array; the peer is LAPACK's thin SVD of the centred dense rows, alone.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import linalg
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.timing import Comparison, compare
from labelspan.experiments import Source
from labelspan.subspace import SharedSubspaceClassifier, SharedSubspaceClassifierCV


def thin_svd(X):
    return linalg.svd(X - X.mean(axis=0), full_matrices=False, check_finite=False)


def five_svds(X):
    for train, _ in KFold(5).split(X):
        thin_svd(X[train])


def grid(X, Y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that a fold does not hold
        return SharedSubspaceClassifierCV(**options).fit(X, Y)


def main():
    if not os.environ.get("LABELSPAN_DATA"):
        raise SystemExit("yahoo-mulan-arts is needed: set LABELSPAN_DATA to the data folder.")
    pages = Source("yahoo-mulan-arts", prepare="frequent-tfidf").load()
    X, Y = pages.X, pages.Y
    rows = np.random.default_rng(0).permutation(len(Y))[:1000]
    X, Y = X[rows], Y[rows]
    D = X.toarray()
    rng = np.random.default_rng(0)
    T = rng.standard_normal((100_000, 500))
    L = (rng.random((100_000, 100)) < 0.05).astype(np.int8)
    fit = SharedSubspaceClassifier().fit
    own = {"fold_statistics": "own"}
    positive = {"betas": (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)}
    shared = {"fold_statistics": "shared", **positive}
    one, five = ("thin SVD", 1.3), ("five thin SVDs", 3.0)

    def svd():
        return thin_svd(D)

    def svds():
        return five_svds(D)

    comparisons = [
        Comparison("fit 1000 x 17973, sparse", *one, lambda: fit(X, Y), svd, 2),
        Comparison("fit 1000 x 17973, dense", *one, lambda: fit(D, Y), svd, 2),
        Comparison("8 x 8 grid, 5 folds, sparse", *five, lambda: grid(X, Y, **own), svds, 1),
        Comparison("8 x 8 grid, 5 folds, dense", *five, lambda: grid(D, Y, **own), svds, 1),
        Comparison("the grid, beta > 0, sparse", *five, lambda: grid(X, Y, **positive), svds, 1),
        Comparison("the grid, shared statistics", *five, lambda: grid(X, Y, **shared), svds, 1),
        Comparison(
            "fit 100,000 x 500, 100 labels",
            "Ridge(solver='cholesky')",
            1.3,
            lambda: fit(T, L),
            lambda: Ridge(solver="cholesky").fit(T, L),
            3,
        ),
    ]
    return compare(comparisons)


if __name__ == "__main__":
    sys.exit(not main())
