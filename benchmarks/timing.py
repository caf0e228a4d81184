"""Shared code of the benchmark scripts: one run, one BLAS thread, ratios instead of seconds."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits

from labelspan.datasets import load_dataset


@dataclass(frozen=True)
class Comparison:
    """Our time against a peer's, with the goal of the project."""

    what: str
    peer: str
    goal: float
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    repeats: int = 5


def best_times(calls: list[Callable[[], Any]], repeats: int) -> list[float]:
    """Best of several rounds with alternating calls, so that a slow moment affects all of them."""
    best = [float("inf")] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            gc.collect()
            start = time.process_time()
            call()
            best[i] = min(best[i], time.process_time() - start)
    return best


def compare(comparisons: Iterable[Comparison]) -> bool:
    """Print a table of ratios; return whether every goal was reached."""
    print(f"{'ours':<44}  {'peer':<40}  {'ratio':>8}{'goal':>8}  {'seconds (ours / peer)':>22}")
    reached = True
    for row in comparisons:
        with threadpool_limits(1):
            ours, theirs = best_times([row.ours, row.theirs], row.repeats)
        ratio = ours / theirs
        reached &= ratio <= row.goal
        verdict = "" if ratio <= row.goal else "  MISSED"
        print(
            f"{row.what:<44}  {row.peer:<40}  {ratio:>8.3f}{row.goal:>8.3f}"
            f"  {ours:>10.4f} /{theirs:>10.4f}{verdict}",
            flush=True,
        )
    return reached


def benchmark_data(name: str) -> Any:
    """Load a benchmark set, or exit with a message if its files are missing."""
    if name != "yeast" and not os.environ.get("LABELSPAN_DATA"):
        raise SystemExit(f"{name} is needed: set LABELSPAN_DATA to the folder of the data sets.")
    return load_dataset(name)
