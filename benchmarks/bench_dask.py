"""Dask on one machine: two single-thread workers against one, and MVMD against a bare PCA.

    python benchmarks/bench_dask.py [--gigabytes 4] [--features 500]

Each block is made on its worker. The bare PCA is ``svd_compressed`` of the centred array, which is
what dask-ml's ``PCA(50, svd_solver="randomized")`` calls; dask-ml itself is not needed. A busy
computer has no free second core: check the load first.
"""

from __future__ import annotations

import argparse
import os
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

from labelspan import MVMD

BLOCK_ROWS = 20_000


def arrays(gigabytes: float, n_features: int) -> tuple[da.Array, da.Array]:
    n_rows = int(gigabytes * 1e9 / (8 * n_features))
    state = da.random.default_rng(0)
    X = state.standard_normal((n_rows, n_features), chunks=(BLOCK_ROWS, -1))
    return X, (X[:, :20] > 1).astype(np.int8)


def bare_pca(X: da.Array) -> np.ndarray:
    return da.linalg.svd_compressed(X - X.mean(axis=0), 50, n_power_iter=0)[2].compute()


def timed(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--features", type=int, default=500)
    given = parser.parse_args()
    X, Y = arrays(given.gigabytes, given.features)
    times = {}
    for n_workers in (1, 2):
        cluster = LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        )
        with cluster, Client(cluster):
            MVMD(2).fit(X[:BLOCK_ROWS], Y[:BLOCK_ROWS])
            times[n_workers] = min(timed(lambda: MVMD(50).fit(X, Y)) for _ in range(2))
            if n_workers == 2:
                pca = min(timed(lambda: bare_pca(X)) for _ in range(2))
    speedup, ratio = times[1] / times[2], times[2] / pca
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {given.gigabytes} GB")
    print(f"two workers against one: {speedup:.2f} (goal 1.70)")
    print(f"MVMD(50) over a bare PCA(50): {ratio:.2f} (goal 1.00)")


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
