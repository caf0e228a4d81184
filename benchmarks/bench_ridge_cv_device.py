"""MultilabelRidgeCV of 20,000 rows on an accelerator against one eigendecomposition there.

usage: SCIPY_ARRAY_API=1 PYTHONPATH=src python benchmarks/bench_ridge_cv_device.py [--small]

Needs torch, NumPy, SciPy and scikit-learn; numba is not imported. Without a CUDA device it says so
and stops; --small runs on the CPU, to try the script. Times are the best of three.
"""

from __future__ import annotations

import os
import sys
import time

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import sklearn
import torch

import labelspan as ls

GOAL = 3.5


def wait():
    """Wait until the device has finished."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def seconds(call, repeats=3):
    """Best of several runs."""
    taken = []
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        call()
        wait()
        taken.append(time.perf_counter() - start)
    return min(taken)


def main():
    """Print the ratio of each precision."""
    small = "--small" in sys.argv
    if not (small or torch.cuda.is_available()):
        print("torch sees no CUDA device")
        return 0
    device = "cuda" if torch.cuda.is_available() else "cpu"
    n, reached = (500 if small else 20_000), True
    torch.manual_seed(0)
    X = torch.randn(n, 50, dtype=torch.float64, device=device)
    scores = X @ torch.randn(50, 20, dtype=X.dtype, device=device) / 7.0
    Y = scores + torch.randn(n, 20, dtype=X.dtype, device=device) > 1.5
    G = torch.randn(n, n, dtype=X.dtype, device=device)
    G = G + G.T
    peer = seconds(lambda: torch.linalg.eigh(G))
    for scale in ("range", "standard"):
        model = ls.MultilabelRidgeCV(kernel="rbf", scale=scale, n_landmarks=None)
        with sklearn.config_context(array_api_dispatch=True):
            ours = seconds(lambda model=model: model.fit(X, Y))
        reached &= ours / peer <= GOAL
        print(f"{n} rows, RBF, three widths, scale={scale!r}: {ours:.2f} s, eigh {peer:.2f} s, "
              f"ratio {ours / peer:.2f}, goal {GOAL}", flush=True)  # fmt: skip
    if device == "cuda":
        print(f"{torch.cuda.max_memory_allocated() / 1e9:.1f} GB at most")
    return 0 if reached or small else 1


if __name__ == "__main__":
    sys.exit(main())
