"""The whole grid of ReducerCV on a float32 file, in ratios to one PCA of scikit-learn.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/bench_grid.py [--rows 1000000]
    [--folder /tmp] [--repeats 2] [--only squared]

A file of rows x 500 with 20 labels is made and deleted afterwards. The grid: nine reducers, no
reduction and PCA included, 20 dimensions, 5 ridges, 5 folds. The peer is
``PCA(20, svd_solver="covariance_eigh")`` on the same file, in turns with the search; the best of
several rounds counts. Processor time of one thread; memory without pages of the file.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from bench_out_of_core import opened, own_memory, watch
from sklearn.decomposition import PCA
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from labelspan import (
    MDDM,
    MLSI,
    MVMD,
    OPLS,
    EmbeddingReducer,
    LabelCCA,
    MultiOutputRidge,
    ReducerCV,
)

N_FEATURES, N_LABELS, BLOCK_ROWS = 500, 20, 2**13
REDUCERS = [
    "none",
    "pca",
    MDDM(),
    MDDM(constraint="feature"),
    MVMD(),
    (LabelCCA(), {"ridge": [1.0]}),
    (OPLS(), {"ridge": [1.0]}),
    MLSI(),
    EmbeddingReducer(balance=0.25, ridge=1.0),
]
RIDGES = {"ridge": [0.01, 1.0, 100.0, 1e4, 1e6]}
# Goals: times the PCA, and bytes.
GOALS, LARGEST_MEMORY = {"squared": 2.0, "micro-F1": 10.0}, 1e9


def make(folder: Path, n_rows: int) -> None:
    """Features of one scale, and labels that some of them decide."""
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (n_rows, N_FEATURES))
    Y = np.lib.format.open_memmap(folder / "Y.npy", "w+", np.int8, (n_rows, N_LABELS))
    W = rng.standard_normal((30, N_LABELS), dtype=np.float32)
    for start in range(0, n_rows, BLOCK_ROWS):
        rows = slice(start, min(start + BLOCK_ROWS, n_rows))
        X[rows] = rng.standard_normal((rows.stop - start, N_FEATURES), dtype=np.float32)
        noise = rng.standard_normal((rows.stop - start, N_LABELS), dtype=np.float32)
        Y[rows] = X[rows, :30] @ W + 6 * noise > 10
    X.flush()
    Y.flush()


def search(X: np.ndarray, Y: np.ndarray, goal: str) -> ReducerCV:
    """The whole grid, judged by squared error or by micro-F1 at the best threshold."""
    given = {"threshold": "paper", "scoring": "squared_error"} if goal == "squared" else {}
    readout = (MultiOutputRidge(), RIDGES)
    dimensions = list(range(1, N_LABELS + 1))
    return ReducerCV(REDUCERS, dimensions, readout=readout, cv=KFold(5), **given).fit(X, Y)


def measure(folder: Path, goal: str, repeats: int) -> None:
    X, Y = opened(folder)
    ours, theirs = [], []
    with threadpool_limits(1):
        # Loads what the first search loads.
        search(np.array(X[:2000]), np.array(Y[:2000]), goal)
        before, peak, stop = own_memory(), [0], threading.Event()
        for _ in range(repeats):
            start = time.process_time()
            PCA(N_LABELS, svd_solver="covariance_eigh").fit(X)
            theirs.append(time.process_time() - start)
            thread = threading.Thread(target=watch, args=(stop, peak))
            thread.start()
            start = time.process_time()
            found = search(X, Y, goal)
            ours.append(time.process_time() - start)
            stop.set()
            thread.join()
            stop.clear()
    memory = max(peak[0] - before, 0)
    ratio = min(ours) / min(theirs)
    missed = ratio > GOALS[goal] or memory > LARGEST_MEMORY
    print(
        f"{len(X):,} x {N_FEATURES}, {len(found.cv_results_['params'])} candidates x 5 folds by "
        f"{goal}: {ratio:.2f} of one PCA (goal {GOALS[goal]:g}), {min(ours):.1f} s / "
        f"{min(theirs):.1f} s, passes {found.n_passes_}, {memory / 1e6:.0f} MB of its own "
        "(goal 1000)"
        f"{'  MISSED' if missed else ''}",
        flush=True,
    )
    sys.exit(missed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", choices=list(GOALS))
    given = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        make(Path(name), given.rows)
        for goal in [given.only] if given.only else GOALS:
            process = multiprocessing.get_context("spawn").Process(
                target=measure, args=(Path(name), goal, given.repeats)
            )
            process.start()
            process.join()
            missed += bool(process.exitcode)
    return missed


if __name__ == "__main__":
    sys.exit(main())
