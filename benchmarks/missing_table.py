"""What half of the labels cost: micro-F1 of available cases, and of zeros in the holes.

usage: python benchmarks/missing_table.py [--seeds 10] [--share 0.5] [--data yeast scene bibtex]

Labels of the training rows are removed at random. The reducer and the readout, a
MultiOutputRidge with thresholds by label (ThresholdTuner), learn (a) from all labels, (b) from
those that are left, with NaN in the holes, (c) with 0 in the holes. Printed: micro-F1 on the test
rows with all of their labels; what (b) keeps of (a); in how many seeds (b) beats (c). The last
table is a simulation: the sine between the direction of all labels and that of available cases,
and its slope over the number of rows.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.pipeline import make_pipeline
from timing import benchmark_data

import labelspan as ls
from labelspan.metrics import micro_f1

REDUCERS = {
    "MDDM_p": ls.MDDM(),
    "MDDM_f": ls.MDDM(constraint="feature"),
    "MVMD": ls.MVMD(),
}


def dense(Y: Any) -> np.ndarray:
    """Labels as a float array."""
    return (Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)).astype(np.float64)


def score(reducer: Any, data: Any, Y: np.ndarray) -> float:
    """Micro-F1 on the test rows of what is learnt from the training rows with labels Y."""
    X = data.X[data.train]
    readout = ls.ThresholdTuner(ls.MultiOutputRidge(0.01, min_labels=1), min_labels=1)
    model = make_pipeline(reducer, readout).fit(X, Y)
    return float(micro_f1(dense(data.Y[data.test]), dense(model.predict(data.X[data.test]))))


def table(name: str, n_seeds: int, share: float) -> None:
    """One line per reducer."""
    data = benchmark_data(name)
    full = dense(data.Y[data.train])
    for label, reducer in REDUCERS.items():
        whole = score(reducer, data, full)
        found = []
        for seed in range(n_seeds):
            holes = np.random.default_rng(seed).random(full.shape) < share
            found.append(
                [score(reducer, data, np.where(holes, fill, full)) for fill in (np.nan, 0.0)]
            )
        ours, zeros = np.array(found).T
        wins = int((ours > zeros).sum())
        print(
            f"{name:<10}{label:<10}{whole:>8.4f}{ours.mean():>10.4f}{zeros.mean():>10.4f}"
            f"{ours.mean() / whole:>9.1%}{wins:>6} of {n_seeds}",
            flush=True,
        )


def slope() -> None:
    """Directions of MDDM with 50 % holes approach those of all labels as n^(-1/2)."""
    rng = np.random.default_rng(0)
    C = rng.standard_normal((8, 4))
    sizes, errors = [250, 500, 1000, 2000, 4000, 8000, 16000], []
    for n in sizes:
        sines = []
        for _ in range(40):
            X = rng.standard_normal((n, 8))
            Y = (X @ C + rng.standard_normal((n, 4)) > 0.3).astype(float)
            all_labels = ls.MDDM(2).fit(X, Y).components_
            some = np.where(rng.random(Y.shape) < 0.5, np.nan, Y)
            found = ls.MDDM(2).fit(X, some).components_
            sines.append(np.sin(linalg.subspace_angles(found.T, all_labels.T)[0]))
        errors.append(np.mean(sines))
        print(f"n = {n:>6}: sine {errors[-1]:.4f}")
    print(f"slope {np.polyfit(np.log(sizes), np.log(errors), 1)[0]:.3f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--data", nargs="*", default=["yeast", "scene", "bibtex"])
    given = parser.parse_args()
    print(f"{'data':<10}{'method':<10}{'all':>8}{'holes':>10}{'zeros':>10}{'kept':>9}  beats zeros")
    for name in given.data:
        table(name, given.seeds, given.share)
    slope()


if __name__ == "__main__":
    main()
