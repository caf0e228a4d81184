"""Feature selectors: processor time against the goals, and against skglm where it is installed.

usage: python benchmarks/bench_selectors.py [--rcv1]

The times are those of one BLAS thread. --rcv1 measures MIM and SCLS on 47,236 sparse words, with
the memory that they add.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from timing import benchmark_data

import labelspan as ls

#: Seconds on delicious, for 100 features; the counts of features and labels are part of each.
GOALS = {"mim": 0.5, "scls": 0.6, "mrmr": 0.7, "d2f": 10.0, "lrfs": 60.0, "pmu": 60.0}


def best(call: Any, repeats: int) -> float:
    """Least processor time of some calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def delicious() -> None:
    """The criteria on 12,920 rows, 500 words and 983 labels."""
    data = benchmark_data("delicious")
    X, Y = data.X[data.train], data.Y[data.train]
    for criterion, goal in GOALS.items():
        selector = ls.InformationSelector(100, criterion=criterion, binning="presence")
        seconds = best(lambda selector=selector: selector.fit(X, Y), 1 if goal > 5 else 3)
        print(f"delicious, {criterion}: {seconds:.2f} s, {seconds / goal:.2f} of the goal")


def bibtex() -> None:
    """The path of the multi-task lasso, and one fit of skglm at its end."""
    data = benchmark_data("bibtex")
    X, Y = data.X[data.train].toarray(), data.Y[data.train]
    Y = Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)
    selector = ls.MultiTaskSelector(X.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = best(lambda: selector.fit(X, Y), 1)
    print(f"bibtex, path of {len(selector.gammas_)}: {ours:.2f} s, gap {selector.gaps_.max():.1e}")
    try:
        from skglm import MultiTaskLasso
    except ImportError:
        print("skglm is not installed; pip install skglm")
        return
    Xc, Yc = (np.asfortranarray(A - A.mean(axis=0)) for A in (X, Y))
    given: dict[str, Any] = {"fit_intercept": False, "tol": 1e-4}
    MultiTaskLasso(selector.gammas_[20] / len(X), **given).fit(Xc[:200], Yc[:200])
    model = MultiTaskLasso(selector.gamma_ / len(X), **given)
    theirs = best(lambda: model.fit(Xc, Yc), 1)
    print(f"skglm at the smallest gamma: {theirs:.2f} s; ours / theirs: {ours / theirs:.2f}")


def rcv1() -> None:
    """MIM and SCLS on wide sparse rows."""
    data = benchmark_data("rcv1subset1")
    X, Y = data.X[data.train], data.Y[data.train]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for criterion in ("mim", "scls"):
        selector = ls.InformationSelector(100, criterion=criterion, binning="presence")
        seconds = best(lambda selector=selector: selector.fit(X, Y), 1)
        added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f"rcv1subset1, {criterion}: {seconds:.2f} s of 5, {added:.0f} MB of 500 more")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rcv1", action="store_true")
    with threadpool_limits(1):
        if parser.parse_args().rcv1:
            rcv1()
        else:
            delicious()
            bibtex()
