"""`partial_fit` in 1000 chunks of 10 rows against one `fit` of all rows, and against 10 chunks.

    python benchmarks/bench_chunks.py

Every class that learns from chunks, on dense rows and on sparse ones; a chunked model computes its
solution once, at the end. Every call costs at least about 30 microseconds. So classes that only add
up products with the labels get rows of 200 entries here; with 100 entries, a fit of ten rows takes
little more than half of that, and no chunk can be that cheap.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.base import clone
from timing import Comparison, compare

import labelspan as ls

ESTIMATORS = [
    ls.MDDM(5, constraint="feature"), ls.MVMD(5), ls.LabelCCA(5), ls.OPLS(5),
    ls.OPLS(5, ridge=0.0), ls.MLSI(5), ls.PLST(5), ls.PLST(5, ridge=1.0), ls.CPLST(5), ls.OCCA(5),
    ls.PartialBinaryRelevance(5, random_state=0), ls.CompressedSensing(5, random_state=0),
    ls.MultiOutputRidge(), ls.SharedSubspaceClassifier(5),
]  # fmt: skip
THIN = [ls.MDDM(5), ls.MultilabelFisherScore(5), ls.DiscriminativeRatio(5)]
N_ROWS = 10_000


def problem(n_features, density):
    """Features, and labels that depend on some of them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_ROWS, n_features))
    if density < 1:
        X[rng.random(X.shape) >= density] = 0.0
    Y = (X[:, :20] + rng.standard_normal((N_ROWS, 20)) > 0.8).astype(np.int64)
    return (X if density == 1 else sparse.csr_array(X)), Y


def cut(X, Y, n_chunks):
    """The rows in chunks; cutting a sparse matrix takes as long as learning from the piece."""
    height = N_ROWS // n_chunks
    starts = range(0, N_ROWS, height)
    return [(X[start : start + height], Y[start : start + height]) for start in starts]


def in_chunks(estimator, chunks):
    model = clone(estimator)
    for X, Y in chunks:
        model.partial_fit(X, Y)
    # Either computes the solution.
    method = model.transform if hasattr(model, "transform") else model.predict
    return method(chunks[0][0])


def comparisons():
    for estimators, n_features, density in (
        (THIN, 300, 1),
        (THIN, 1000, 0.2),
        (ESTIMATORS, 300, 1),
        (ESTIMATORS, 1000, 0.05),
    ):
        X, Y = problem(n_features, density)
        form = "sparse" if sparse.issparse(X) else "dense"
        many, few = cut(X, Y, 1000), cut(X, Y, 10)
        for estimator in estimators:
            name = repr(estimator).replace("n_components=", "").replace(", random_state=0", "")
            ours = partial(in_chunks, estimator, many)
            fit = partial(clone(estimator).fit, X, Y)
            yield Comparison(f"{name}, {form}", "fit", 3.0, ours, fit, 3)
            if isinstance(estimator, ls.MVMD | ls.OPLS | ls.MultiOutputRidge):
                chunks = partial(in_chunks, estimator, few)
                yield Comparison(f"{name}, {form}", "10 chunks", 3.0, ours, chunks, 3)


if __name__ == "__main__":
    sys.exit(not compare(comparisons()))
