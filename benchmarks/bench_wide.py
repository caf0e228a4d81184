"""Wide sparse data: time and own peak memory of each method, or the reason why it is refused.

Run with ``python benchmarks/bench_wide.py [METHOD ...] [--scale S]``; 1 is 200,000 x 500,000 with
50 entries per row and 20,000 labels with 5 per row. Each method runs in its own process.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

import numpy as np
from scipy import sparse

from labelspan import MDDM, MVMD, OPLS, LabelCCA
from labelspan.labelspace import CPLST, PLST
from labelspan.selection import MultilabelFisherScore

METHODS = {
    "MDDM": MDDM(50),
    "MVMD": MVMD(50),
    "PLST": PLST(100),
    "CPLST": CPLST(100),
    "LabelCCA": LabelCCA(50),
    "OPLS": OPLS(50),
    "Fisher": MultilabelFisherScore(1000),
}


def wide(scale: float) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Columns of which the first occur most often; values between 0 and 1, and labels."""
    random, n_rows = np.random.default_rng(0), int(200_000 * scale)
    found = []
    for width, per_row in ((int(500_000 * scale), 50), (int(20_000 * scale), 5)):
        columns = (width * random.random((n_rows, per_row)) ** 2).astype(np.int32)
        ends = np.arange(0, columns.size + 1, per_row)
        values = random.random(columns.size)
        A = sparse.csr_array((values, columns.ravel(), ends), shape=(n_rows, width))
        A.sum_duplicates()
        found.append(A)
    X, Y = found
    Y.data[:] = 1
    return X, Y


def measure(name: str, scale: float) -> None:
    """Fit one method and print what it took."""
    X, Y = wide(scale)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    try:
        METHODS[name].fit(X, Y)
        result = getattr(METHODS[name], "solver_", "fitted")
    except MemoryError as refusal:
        result = f"refused: {refusal}"
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{name:9} {seconds:8.1f} s  peak {peak / 2**20:5.2f} GiB "
        f"(data {before / 2**20:.2f})  {result}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("methods", nargs="*", default=list(METHODS))
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    for name in given.methods:
        process = multiprocessing.get_context("spawn").Process(
            target=measure, args=(name, given.scale)
        )
        process.start()
        process.join()


if __name__ == "__main__":
    main()
