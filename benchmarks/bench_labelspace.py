"""Label-space reduction: fits against scikit-learn's Ridge, memory, and very many labels.

Run as ``python benchmarks/bench_labelspace.py [ridge] [memory] [sparse] [topk]``; without
arguments all parts run.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
import tracemalloc

import numpy as np
from scipy import sparse
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_limits
from timing import Comparison, benchmark_data, compare

from labelspan.labelspace import CPLST, PLST
from labelspan.labelspace._truncated import leading_labels

MEGABYTE = 2**20


def dense(A):
    return A.toarray() if sparse.issparse(A) else np.asarray(A)


def training(name):
    data = benchmark_data(name)
    return dense(data.X[data.train]).astype(float), dense(data.Y[data.train]).astype(float)


def against_ridge():
    """Dense X and Y, so that scikit-learn uses its fastest solver, Cholesky."""
    rows = []
    for name in ("enron", "delicious"):
        X, Y = training(name)

        def theirs(X=X, Y=Y):
            return Ridge(alpha=1.0).fit(X, Y)

        for method, goal in ((CPLST, 1.5), (PLST, 1.3)):
            for ridge in (1.0, 0.0):
                for M in (None, Y.shape[1] // 10):

                    def ours(X=X, Y=Y, method=method, ridge=ridge, M=M):
                        return method(M, ridge=ridge).fit(X, Y)

                    what = f"{method.__name__}({M}, ridge={ridge:g}) fit, {name}"
                    rows.append(Comparison(what, "Ridge(1.0) fit, same arrays", goal, ours, theirs))
    return compare(rows)


def memory():
    """Peak of what fit allocates on delicious, beyond the caller's arrays."""
    X, Y = training("delicious")
    reached = True
    for method in (CPLST, PLST):
        gc.collect()
        tracemalloc.start()
        method().fit(X, Y)
        peak = tracemalloc.get_traced_memory()[1] / MEGABYTE
        tracemalloc.stop()
        reached &= peak < 400
        print(
            f"{method.__name__} fit, delicious {X.shape} x {Y.shape[1]}: {peak:.0f} MB (goal 400)"
        )
    return reached


def many_labels(n_rows, n_labels, seed=0):
    """Five labels per row, drawn from a power law, as in extreme classification."""
    rng = np.random.default_rng(seed)
    weights = np.arange(1, n_labels + 1) ** -0.8
    columns = np.searchsorted(np.cumsum(weights / weights.sum()), rng.random(5 * n_rows))
    indptr = np.arange(0, 5 * n_rows + 1, 5)
    shape = (n_rows, n_labels)
    Y = sparse.csr_array((np.ones(5 * n_rows), np.minimum(columns, n_labels - 1), indptr), shape)
    Y.sum_duplicates()
    Y.data[:] = 1.0
    return Y


def sparse_scaling():
    """Directions of sparse labels: seconds for each million of non-zeros should not grow."""
    print(f"{'non-zeros':>12}{'rows':>10}{'labels':>9}{'seconds':>10}{'s / million':>13}")
    per_million = []
    for n_rows in (200_000, 500_000, 1_000_000, 2_000_000):
        Y = many_labels(n_rows, 20_000)
        start = time.process_time()
        with threadpool_limits(1):
            leading_labels(Y, 20, 1e-4, 0)
        seconds = time.process_time() - start
        per_million.append(seconds / (Y.nnz / 1e6))
        print(
            f"{Y.nnz:>12}{n_rows:>10}{20_000:>9}{seconds:>10.1f}{per_million[-1]:>13.2f}",
            flush=True,
        )
    return per_million[-1] <= 1.5 * per_million[0]


def extreme():
    """200,000 labels x 100,000 rows: fit and the five best labels of 10,000 rows."""
    Y = many_labels(100_000, 200_000)
    X = np.random.default_rng(1).standard_normal((100_000, 200), dtype=np.float32)
    start = time.perf_counter()
    model = PLST(100).fit(X, Y)
    fitted = time.perf_counter()
    model.predict_topk(X[:10_000], 5)
    done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"PLST(100), 200,000 labels x 100,000 rows: fit {fitted - start:.0f} s, predict_topk(5) of "
        f"10,000 rows {done - fitted:.0f} s, peak of the process {peak:.0f} MB (goal 4096)"
    )
    return peak < 4096


# The last part reads the peak of the whole process, so the others run after it.
PARTS = {"topk": extreme, "ridge": against_ridge, "memory": memory, "sparse": sparse_scaling}

if __name__ == "__main__":
    chosen = sys.argv[1:] or list(PARTS)
    sys.exit(0 if min([PARTS[part]() for part in chosen]) else 1)
