"""The cost model against fits: predicted over measured time and memory; the goal is within 2.

Run with ``python benchmarks/bench_cost.py``. Memory is what Python and NumPy allocate at the peak.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
from scipy import sparse
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from labelspan import (
    MDDM,
    MVMD,
    OPLS,
    LabelCCA,
    MultiOutputRidge,
    SharedSubspaceClassifier,
    cost,
)
from labelspan.labelspace import CPLST, PLST

MODELS = [
    MDDM(10), MVMD(10), LabelCCA(10), OPLS(10), PLST(10, ridge=1.0), CPLST(10, ridge=1.0),
    MultiOutputRidge(), SharedSubspaceClassifier(5),
]  # fmt: skip
# Rows, features, labels, share of entries that are not zero.
SHAPES = [
    (20_000, 200, 20, 1.0),
    (20_000, 1000, 50, 1.0),
    (3000, 1500, 300, 1.0),
    (1000, 4000, 30, 1.0),
    (50_000, 2000, 100, 0.01),
]


def data(n: int, D: int, q: int, share: float) -> tuple[object, sparse.csr_array]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, q, (n, 5))
    Y = sparse.csr_array((np.ones(5 * n), labels.ravel(), np.arange(0, 5 * n + 1, 5)), (n, q))
    Y.sum_duplicates()
    Y.data[:] = 1
    if share < 1:
        return sparse.random_array((n, D), density=share, format="csr", rng=rng), Y
    return rng.standard_normal((n, D)), Y


def measured(model: object, X: object, Y: object) -> tuple[float, float]:
    """Shortest of three times, and the memory peak of another run, which tracing slows down."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        clone(model).fit(X, Y)
        times.append(time.perf_counter() - start)
    tracemalloc.start()
    clone(model).fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(times), peak


def main() -> None:
    outside = 0
    print(f"{'':26}{'rows x features x labels':28}{'solver':9}{'time':>16}{'memory':>16}")
    for n, D, q, share in SHAPES:
        X, Y = data(n, D, q, share)
        for model in MODELS:
            nnz = None if share == 1 else X.nnz
            expected = cost(model, n, D, q, nnz)
            seconds, peak = measured(model, X, Y)
            ratios = expected.seconds / seconds, expected.memory / peak
            missed = not all(0.5 <= ratio <= 2 for ratio in ratios)
            outside += missed
            print(
                f"{type(model).__name__:26}{f'{n} x {D} x {q}':28}{expected.solver:9}"
                f"{ratios[0]:7.2f} ({seconds:6.3f}){ratios[1]:7.2f} ({peak / 1e6:6.0f})"
                f"{'  OUTSIDE' if missed else ''}",
                flush=True,
            )
    print(f"{outside} of {len(SHAPES) * len(MODELS)} outside a factor of two")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
