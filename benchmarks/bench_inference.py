"""Time of the dependence test and of the bootstrap's sums against fits of the same rows.

usage: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/bench_inference.py [N_ROWS]

500 normal features in float64 or float32 and 20 labels. The peer of the sums of 100 blocks is one
pass that sums the same products without blocks; the eigenproblems of the resamples come on top.
"""

import sys
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.timing import Comparison, compare
from labelspan.extraction import MVMD
from labelspan.inspection._resamples import BlockSums, block_of_rows
from labelspan.moments import Moments, Sample, collect
from labelspan.stats import dependence_test


def comparisons(n_rows):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 500))
    Y = (rng.random((n_rows, 20)) < 0.2).astype(float)
    blocks = block_of_rows(n_rows, 100, 0)
    shape = f"{n_rows} x 500"
    yield Comparison(
        f"dependence_test, {shape}",
        "MVMD(50).fit",
        1.2,
        lambda: dependence_test(X, Y),
        lambda: MVMD(50).fit(X, Y),
        repeats=3,
    )
    for dtype in (np.float64, np.float32):
        X = X.astype(dtype)
        sums = partial(Moments.of, tt=False)
        yield Comparison(
            f"bootstrap, sums of 100 blocks, {np.dtype(dtype)}",
            "sums of all rows",
            1.5,
            partial(BlockSums.of, X, Y, None, blocks, xx=True, tt=False),
            partial(collect, Sample(X, Y), sums, home=True),
            repeats=3,
        )


def main():
    return compare(comparisons(int(sys.argv[1]) if sys.argv[1:] else 100_000))


if __name__ == "__main__":
    sys.exit(not main())
