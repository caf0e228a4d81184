"""Dask on one machine: two single-thread workers against one, and MVMD against a bare PCA.

    python benchmarks/bench_dask.py [--gigabytes 4] [--features 500]

Each block is made on its worker. The PCA is that of dask-ml if it is installed, else the
``svd_compressed`` of the centred array that dask-ml calls. The bound of the speedup is that of the
bare X'X of the blocks, a product without any statistics: two cores that share a memory bus or a
turbo clock do not double it. A busy computer has no free second core: check the load first.
"""

from __future__ import annotations

import argparse
import os
import time
from importlib.util import find_spec

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


def pca(X: da.Array) -> np.ndarray:
    try:
        from dask_ml.decomposition import PCA
    except ImportError:
        return da.linalg.svd_compressed(X - X.mean(axis=0), 50, n_power_iter=0)[2].compute()
    return PCA(50).fit(X).components_


def bare_scatter(X: da.Array) -> np.ndarray:
    """The sum of X'X over the blocks."""
    n_blocks, n_features = X.numblocks[0], X.shape[1]
    sizes = ((1,) * n_blocks, (n_features,), (n_features,))
    parts = X.map_blocks(lambda block: (block.T @ block)[None], new_axis=1, chunks=sizes)
    return parts.sum(axis=0).compute()


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
    times, bare = {}, {}
    for n_workers in (1, 2):
        cluster = LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        )
        with cluster, Client(cluster):
            MVMD(2).fit(X[:BLOCK_ROWS], Y[:BLOCK_ROWS])
            times[n_workers] = min(timed(lambda: MVMD(50).fit(X, Y)) for _ in range(2))
            bare[n_workers] = min(timed(lambda: bare_scatter(X)) for _ in range(2))
            if n_workers == 2:
                others = min(timed(lambda: pca(X)) for _ in range(2))
    speedup, ratio, bound = times[1] / times[2], times[2] / others, bare[1] / bare[2]
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {given.gigabytes} GB")
    print(f"two workers against one: {speedup:.2f} (goal 1.70; bare X'X: {bound:.2f})")
    whose = "dask-ml's" if find_spec("dask_ml") else "a bare"
    print(f"MVMD(50) over {whose} PCA(50): {ratio:.2f} (goal 1.00)")


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
