"""EmbeddingReducer on a float32 file: passes, own memory, and time over that of the bare X'X.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bench_embeddings.py [--rows 1000000] [--folder /tmp]

A file of rows x 1024 with 100 labels is made and deleted afterwards. A fit reads it by blocks; the
bare scatter of each block is computed right before the fit gets it, so that a slow moment hits
both. Processor time with one BLAS thread; memory without pages of the file, in a process per fit.
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
from bench_out_of_core import BLOCK_ROWS, opened, own_memory, watch
from threadpoolctl import threadpool_limits

from labelspan import EmbeddingReducer

N_FEATURES, N_LABELS = 1024, 100
# Balance, and the goal for its time as a multiple of the bare scatter.
GOALS = {0.25: 1.3, "auto": 1.6}
LARGEST_MEMORY = 500e6


def make(folder: Path, n_rows: int) -> None:
    """Features with a decaying spectrum, and labels that some of them decide."""
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (n_rows, N_FEATURES))
    Y = np.lib.format.open_memmap(folder / "Y.npy", "w+", np.int8, (n_rows, N_LABELS))
    scale = np.linspace(2, 0.2, N_FEATURES, dtype=np.float32)
    for start in range(0, n_rows, BLOCK_ROWS):
        rows = slice(start, min(start + BLOCK_ROWS, n_rows))
        block = rng.standard_normal((rows.stop - start, N_FEATURES), dtype=np.float32)
        X[rows] = block * scale
        Y[rows] = block[:, :N_LABELS] + block[:, -N_LABELS:] > 2
    X.flush()
    Y.flush()


class Timed:
    """Blocks of the rows; the scatter of each is computed, and timed, before it is handed out."""

    def __init__(self, X: np.ndarray, Y: np.ndarray):
        self.X, self.Y = X, Y
        self.total = np.zeros((X.shape[1], X.shape[1]))
        self.seconds, self.n_read = 0.0, 0

    def __iter__(self):
        for start in range(0, len(self.X), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            X, Y = np.array(self.X[rows]), np.array(self.Y[rows])
            begin = time.process_time()
            block = X.astype(np.float64)
            self.total += block.T @ block
            del block
            self.seconds += time.process_time() - begin
            self.n_read += len(X)
            yield X, Y


def measure(folder: Path, balance: float | str) -> None:
    X, Y = opened(folder)
    blocks, stop, peak = Timed(X, Y), threading.Event(), [own_memory()]
    with threadpool_limits(1):
        # Loads what the first fit loads.
        EmbeddingReducer(4, balance=balance).fit(np.array(X[:200, :20]), np.array(Y[:200]))
        thread = threading.Thread(target=watch, args=(stop, peak))
        thread.start()
        start = time.process_time()
        model = EmbeddingReducer(64, balance=balance).fit_blocks(blocks).finalize()
        seconds = time.process_time() - start - blocks.seconds
        stop.set()
        thread.join()
    ratio, goal = seconds / blocks.seconds, GOALS[balance]
    missed = ratio > goal or peak[0] > LARGEST_MEMORY
    print(
        f"balance={balance!r}: {blocks.n_read / len(X):.2f} passes over {len(X):,} rows, "
        f"{peak[0] / 1e6:.0f} MB (goal 500), {seconds:.1f} s / {blocks.seconds:.1f} s = "
        f"{ratio:.2f} of the bare scatter (goal {goal}), balance_={model.balance_:g}"
        f"{'  MISSED' if missed else ''}",
        flush=True,
    )
    sys.exit(missed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    given = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        make(Path(name), given.rows)
        for balance in GOALS:
            process = multiprocessing.get_context("spawn").Process(
                target=measure, args=(Path(name), balance)
            )
            process.start()
            process.join()
            missed += bool(process.exitcode)
    return missed


if __name__ == "__main__":
    sys.exit(main())
