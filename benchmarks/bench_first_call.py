"""First calls in a fresh process, from an empty compile cache, against their budgets.

    LABELSPAN_DATA=... OMP_NUM_THREADS=1 python benchmarks/bench_first_call.py

Seconds are CPU seconds, the best of three processes. A call counts from after the imports of
labelspan and of scikit-learn; numba's own import is a part of it. "warm" is the same call in a
process that finds the compiled code in the cache. The ARFF file has 11 kB; the fits are those of
yeast (1500 x 103, 14 labels) with default parameters. The import is that of labelspan with all its
subpackages that fit, beyond what a user of one scikit-learn estimator has imported:
``sklearn.linear_model`` and ``sklearn.neighbors``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from timing import benchmark_data

REPEATS = 3
CLOCK = "import time, contextlib, os\nstart = time.process_time()\n"
LOAD = "import numpy as np\nwith np.load({data!r}) as f: X, Y = f['X'], f['Y']\n"
DESCRIBE = """
import sys
from labelspan.lab.cli import main
sys.argv = ["labelspan", "describe", {arff!r}]
start = time.process_time()
with open(os.devnull, "w") as sink, contextlib.redirect_stdout(sink):
    try:
        main()
    except SystemExit as end:
        assert not end.code
"""
FIT = """
import sklearn.linear_model, sklearn.neighbors
from labelspan import {name}
start = time.process_time()
{name}().fit(X, Y)
"""
IMPORT = """
import sklearn.linear_model, sklearn.neighbors
start = time.process_time()
import labelspan
from labelspan import MLkNN, MDDM, LaRankSVM, CMLFS, CPLST, KernelMDDM, SharedSubspaceClassifier
"""
CASES = [
    ("labelspan describe, ARFF of 11 kB", DESCRIBE, 3.0),
    *((f"{name}().fit, yeast", LOAD + FIT.replace("{name}", name), 3.0)
      for name in ("MLkNN", "LaRankSVM", "CMLFS")),
    ("import labelspan, beyond scikit-learn", IMPORT, 0.3),
]  # fmt: skip


def seconds(script: str, folder: str) -> float:
    """CPU seconds that a script reports, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"{CLOCK}{script}\nprint(time.process_time() - start)"],
        env={**os.environ, "NUMBA_CACHE_DIR": folder},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def write_inputs(folder: Path) -> dict[str, str]:
    """Write the small ARFF file and the yeast data; their paths."""
    rng = np.random.default_rng(0)
    head = ["@relation 't: -C 2'", *(f"@attribute y{i} {{0,1}}" for i in range(2))]
    head += [*(f"@attribute x{i} numeric" for i in range(10)), "@data"]
    # Each row has a label, so that there is nothing to warn of.
    labels = [[i % 2, int(i % 6 in (0, 2, 3, 4))] for i in range(155)]
    values = [[*row, *rng.random(10).round(4).tolist()] for row in labels]
    arff, data = folder / "small.arff", folder / "yeast.npz"
    arff.write_text("\n".join([*head, *(",".join(map(str, row)) for row in values)]) + "\n")
    yeast = benchmark_data("yeast")
    np.savez(data, X=yeast.X[yeast.train], Y=yeast.Y[yeast.train])
    return {"arff": str(arff), "data": str(data)}


def main() -> None:
    """Print a table of ratios; the exit status tells whether every budget was kept."""
    kept = True
    print(f"{'first call':<44}{'budget':>8}{'cold':>8}{'warm':>8}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        inputs = write_inputs(Path(folder))
        for number, (what, script, budget) in enumerate(CASES):
            filled = script.replace("{data!r}", repr(inputs["data"]))
            filled = filled.replace("{arff!r}", repr(inputs["arff"]))
            caches = [str(Path(folder, f"{number}-{i}")) for i in range(REPEATS)]
            cold = min(seconds(filled, cache) for cache in caches)
            warm = min(seconds(filled, cache) for cache in caches)
            kept &= cold <= budget
            verdict = "" if cold <= budget else "  MISSED"
            row = f"{what:<44}{budget:>8.2f}{cold:>8.2f}{warm:>8.2f}{cold / budget:>8.2f}{verdict}"
            print(row, flush=True)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
