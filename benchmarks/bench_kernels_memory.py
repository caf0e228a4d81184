"""Peak memory of every kernel method on 50,000 rows with 1000 landmarks: the limit is 4 GiB.

Each model is fitted and applied in a fresh process, whose largest resident set is printed.

usage: python benchmarks/bench_kernels_memory.py
"""

from __future__ import annotations

import subprocess
import sys

LIMIT = 4.0
MODELS = (
    ("KernelMDDM({})", "transform"),
    ("KernelMDDM(constraint='feature', {})", "transform"),
    ("KernelMDDM(constraint='feature', landmarks='kmeans', {})", "transform"),
    ("KernelMDDM(constraint='feature', landmarks='leverage', {})", "transform"),
    ("KernelLabelCCA({})", "transform"),
    ("KernelCPLST({})", "predict"),
    ("KernelCPLSTCV(gammas=[0.02], {})", "predict"),
    ("KernelSharedSubspaceClassifier({})", "predict"),
    # Without landmarks: the kernel matrix alone would be 18.6 GiB.
    ("KernelMDDM()", "transform"),
)
SCRIPT = """
import re, resource, sys, time
import numpy as np
from labelspan import kernels

rng = np.random.default_rng(0)
X = rng.standard_normal((50_000, 50)).astype("{dtype}")
Y = (X[:, :20] + rng.standard_normal((50_000, 20)) > 1).astype(int)
start = time.process_time()
model = kernels.{model}.fit(X, Y)
seconds = time.process_time() - start
model.{method}(X)
if sys.platform == "linux":
    # ru_maxrss begins with that of the parent process.
    peak = int(re.search("VmHWM: *(.*) kB", open("/proc/self/status").read())[1]) / 2**20
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**30
print(peak, seconds)
"""


def main() -> int:
    print(f"{'50,000 x 50, 20 labels':<66}{'dtype':<9}{'peak GiB':>9}{'fit, CPU s':>12}")
    largest = 0.0
    for model, method in MODELS:
        for dtype in ("float64", "float32"):
            call = model.format("n_landmarks=1000, random_state=0")
            script = SCRIPT.format(model=call, method=method, dtype=dtype)
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
            if done.returncode:
                print(f"{call:<66}{dtype:<9}failed\n{done.stderr}")
                return 1
            peak, seconds = map(float, done.stdout.split())
            largest = max(largest, peak)
            missed = "" if peak < LIMIT else "  MISSED"
            name = model.format("...")
            print(f"{name:<66}{dtype:<9}{peak:>9.2f}{seconds:>12.1f}{missed}", flush=True)
    return 0 if largest < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
