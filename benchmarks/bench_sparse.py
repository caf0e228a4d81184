"""Sparse rows of every density: each fit against the faster of the other two ways to the same sums.

usage: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/bench_sparse.py

The other ways are the rows made dense by the caller, and sparse products at any density.
"""

import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.timing import best_times
from labelspan.extraction import MDDM, MVMD, OPLS, LabelCCA
from labelspan.labelspace import LEML, OCCA, PLST, FaIE
from labelspan.moments import _moments

GOAL = 1.3
MODELS = [PLST(3), FaIE(3), LEML(3), OCCA(3), MVMD(3), OPLS(3), LabelCCA(3), MDDM(3)]
SHAPES = [(10000, 300), (2000, 1000)]
DENSITIES = [1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2, 0.48, 1.0]


def only_sparse(model, X, Y):
    """Fit with sparse products at any density."""
    kept = dict(_moments.DENSE_FROM)
    _moments.DENSE_FROM.update(dict.fromkeys(kept, np.inf))
    try:
        model.fit(X, Y)
    finally:
        _moments.DENSE_FROM.update(kept)


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    good = True
    print(f"{'ours':<44}  {'peer':<40}  {'ratio':>8}{'goal':>8}  {'seconds (ours / peer)':>22}")
    for shape in SHAPES:
        Y = (rng.random((shape[0], 30)) < 0.1).astype(int)
        for density in DENSITIES:
            X = sparse.random_array(shape, density=density, rng=rng, format="csr")
            D = X.toarray()
            for model in MODELS:
                calls = [partial(model.fit, X, Y), partial(model.fit, D, Y)]
                calls.append(partial(only_sparse, model, X, Y))
                with threadpool_limits(1):
                    ours, dense, other = best_times(calls, 2)
                theirs = min(dense, other)
                ratio = ours / theirs
                good &= ratio <= GOAL
                what = f"{type(model).__name__}, {shape[0]} x {shape[1]}, density {density:g}"
                peer = "dense rows" if dense < other else "sparse products"
                print(
                    f"{what:<44}  {peer:<40}  {ratio:>8.3f}{GOAL:>8.3f}"
                    f"  {ours:>10.4f} /{theirs:>10.4f}{'' if ratio <= GOAL else '  MISSED'}",
                    flush=True,
                )
    return good


if __name__ == "__main__":
    sys.exit(not main())
