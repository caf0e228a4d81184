"""FaIE on delicious: time and memory of the thin form, and the public n x n form as the peer.

Run as ``python benchmarks/bench_faie.py``. The peer forms two matrices of rows by rows, 1.3 GB
each for the 12920 training rows, so it gets the first 3000 of them.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import eigsh
from threadpoolctl import threadpool_limits
from timing import Comparison, benchmark_data, best_times, compare

from labelspan.labelspace import FaIE

MEGABYTE = 2**20
M = 100


def public_form(X, Y):
    """Eigenvectors of Y Y' + alpha H, then a ridge regression of the codes: n x n."""
    X, Z = X - X.mean(axis=0), Y - Y.mean(axis=0)
    A = X.T @ X + 0.1 * np.eye(X.shape[1])
    omega = Z @ Z.T + 0.1 * X @ linalg.solve(A, X.T, assume_a="pos")
    _, U = eigsh(omega, M)
    return U.T @ Z, linalg.solve(A, X.T @ U, assume_a="pos")


def main() -> int:
    data = benchmark_data("delicious")
    X, Y = data.X[data.train].toarray(), data.Y[data.train]
    few, labels = X[:3000], Y[:3000].toarray().astype(float)
    reached = compare(
        [
            Comparison(
                f"FaIE({M}) fit, 3000 rows of delicious",
                "n x n form, same arrays",
                0.25,
                lambda: FaIE(M).fit(few, labels),
                lambda: public_form(few, labels),
                repeats=3,
            )
        ]
    )
    with threadpool_limits(1):
        (seconds,) = best_times([lambda: FaIE(M).fit(X, Y)], 3)
    gc.collect()
    tracemalloc.start()
    FaIE(M).fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1] / MEGABYTE
    tracemalloc.stop()
    print(f"FaIE({M}) fit, delicious {X.shape} x {Y.shape[1]}: {seconds:.2f} CPU s (goal 1)")
    print(f"FaIE({M}) fit allocates at most {peak:.0f} MB (goal 200)")
    return 0 if reached and seconds <= 1 and peak < 200 else 1


if __name__ == "__main__":
    sys.exit(main())
