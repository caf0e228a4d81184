"""What Secs. 3.6 and 3.7 of the CMLFS paper say of convergence and of the training time."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelspan.papers._experiment import Judged, Values, experiments_of, judge_statement
from labelspan.papers.cmlfs._experiments import ARTS, SOURCES, TRAINING_ROWS
from labelspan.selection import CMLFS, MLFS

Key = tuple[str, str, str]
# The smallest m of the paper's grids, mu in their middle, and a C at which the search ends.
M = {"scene": 10, "yeast": 10}
WORDS = 1000
TOL = 1e-2
ROWS = (250, 500, 1000, 2000, 4000)
TIMED = ("scene", "yeast", ARTS)
# The best of so many runs, on one thread.
RUNS = 3
# A slope of logarithms that is called linear; the smallest sizes are left to fixed costs.
LINEAR, FIRST = 1.2, 500


def model_of(name: str, kind: Any, **more: Any) -> Any:
    return kind(M.get(name, WORDS), C=1.0, tol=TOL, max_iter=2000, random_state=0, **more)


def fitted(model: Any, X: Any, Y: Any) -> tuple[Any, float]:
    """The fitted model and its processor seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.process_time()
        model.fit(X, Y)
        return model, time.process_time() - start


def rows_of(name: str, n_rows: int) -> tuple[Any, Any]:
    data = SOURCES[name].load()
    chosen = np.random.default_rng(0).permutation(data.Y.shape[0])[:n_rows]
    return data.X[chosen], data.Y[chosen]


def outer_iterations() -> dict[Key, list[float]]:
    """Masks that MLFS and CMLFS add until the gap is one percent, with 1000 training rows."""
    found = {}
    for name in SOURCES:
        X, Y = rows_of(name, TRAINING_ROWS)
        for kind, more in ((MLFS, {}), (CMLFS, {"mu": 1.0})):
            model, _ = fitted(model_of(name, kind, **more), X, Y)
            found[(name, kind.__name__, "masks")] = [float(model.n_planes_)]
    return found


def judge_outer(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Sec. 3.6: the algorithm converges within 10 outer iterations."""
    lines = []
    for name in SOURCES:
        for kind in ("MLFS", "CMLFS"):
            masks = values.mean(name, kind, "masks")
            if masks is not None:
                what = f"outer iterations of {kind} on {name}"
                lines.append(judge_statement(what, "at most 10", f"{masks:.0f}", masks <= 10))
    return lines


def training_times() -> dict[Key, list[float]]:
    """Processor seconds and sweeps of CMLFS against the number of training rows."""
    found = {}
    for name in TIMED:
        for n_rows in ROWS:
            X, Y = rows_of(name, n_rows)
            if len(Y) < n_rows:
                continue
            runs = [fitted(model_of(name, CMLFS, mu=1.0), X, Y) for _ in range(RUNS)]
            found[(name, f"n = {n_rows}", "seconds")] = [min(seconds for _, seconds in runs)]
            found[(name, f"n = {n_rows}", "sweeps")] = [float(runs[0][0].n_iter_)]
    return found


def judge_times(values: Values, printed: dict[str, Any]) -> list[Judged]:
    """Sec. 3.7: each iteration takes time proportional to the number of rows."""
    lines = []
    for name in TIMED:
        rows = [n for n in ROWS if values.mean(name, f"n = {n}", "seconds") is not None]
        if len(rows) < 3:
            continue
        seconds, sweeps = (
            np.array([values.mean(name, f"n = {n}", what) for n in rows])
            for what in ("seconds", "sweeps")
        )
        large = np.array(rows) >= FIRST
        logs = np.log(np.array(rows)[large])
        slope = float(np.polyfit(logs, np.log((seconds / sweeps)[large]), 1)[0])
        whole = float(np.polyfit(logs, np.log(seconds[large]), 1)[0])
        what = f"time per sweep of CMLFS on {name} is at most linear in the rows"
        text = f"proportional to n^{slope:.2f} from {FIRST} rows on"
        lines.append(judge_statement(what, "linear", text, slope <= LINEAR))
        lines.append(Judged(f"exponent of the whole time on {name}", None, whole, "not judged"))
        for n, time_taken, count in zip(rows, seconds, sweeps, strict=True):
            text = f"{time_taken:.3f} s, {count:.0f} sweeps"
            lines.append(Judged(f"training time on {name}, n = {n}", None, text, "not judged"))
    return lines


def nothing(quick: bool) -> tuple[Any, ...]:
    """No cells: these experiments measure fits, not predictions."""
    return ()


EXPERIMENTS = experiments_of(
    "cmlfs",
    {
        "section3.6": (tuple(SOURCES), nothing, judge_outer, (), None, outer_iterations),
        "section3.7": (TIMED, nothing, judge_times, (), None, training_times),
    },
)
