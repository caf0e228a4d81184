"""What half of the labels cost: micro-F1 of available cases, and of zeros in the holes.

usage: python benchmarks/missing_table.py [--seeds 10] [--data yeast scene bibtex] [--fixed]
                                          [--reduction] [--mu]

Half of the labels of the training rows are removed at random. The reducer and the readout, a
MultiOutputRidge with thresholds by label (ThresholdTuner; with --fixed, scores above 0), learn (a)
from all labels, (b) from those that are left, with NaN in the holes, (c) with 0 in the holes, (d)
from all labels of half of the rows. Printed: micro-F1 on the test rows with all of their labels;
what (b) and (d) keep of (a); in how many seeds (b) beats (c). The last table is a simulation: the
sine between the directions of all labels and those of available cases, and its slope over the
number of rows.

With --reduction only the reducer learns from half of the labels, and the readout from all of them:
what is kept is that of the directions. (d) is left out. With --mu the mu of MDDM with the
constraint "feature" is chosen by three folds, from the labels that the reducer is given.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from timing import benchmark_data

import labelspan as ls
from labelspan.metrics import micro_f1

REDUCERS = {
    "MDDM_p": ls.MDDM(),
    "MDDM_f": ls.MDDM(constraint="feature"),
    "MVMD": ls.MVMD(),
}
MU = [0.001, 0.01, 0.1, 0.5, 0.9]


def dense(Y: Any) -> np.ndarray:
    """Labels as a float array."""
    return (Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)).astype(np.float64)


def score(
    reducer: Any, data: Any, X: Any, Y: np.ndarray, fixed: bool, labels: np.ndarray | None = None
) -> float:
    """Micro-F1 on the test rows of what is learnt from X and the labels Y.

    The readout learns from `labels` instead, if they are given.
    """
    readout: Any = ls.MultiOutputRidge(0.01, min_labels=1)
    readout = readout if fixed else ls.ThresholdTuner(readout, min_labels=1)
    reducer = clone(reducer).fit(X, Y)
    readout.fit(reducer.transform(X), Y if labels is None else labels)
    predicted = readout.predict(reducer.transform(data.X[data.test]))
    return float(micro_f1(dense(data.Y[data.test]), dense(predicted)))


class ChosenMu(ls.MDDM):
    """MDDM by features whose mu a user would choose: the best micro-F1 over three folds."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, observed: Any = None) -> Any:
        """Fit with the best mu."""
        steps = make_pipeline(
            ls.MDDM(constraint="feature"), ls.MultiOutputRidge(0.01, min_labels=1)
        )
        search = GridSearchCV(
            steps, {"mddm__mu": MU}, scoring=make_scorer(micro_f1), cv=KFold(3), refit=False
        )
        self.constraint, self.mu = "feature", search.fit(X, y).best_params_["mddm__mu"]
        return super().fit(X, y, sample_weight, observed)


def reduction(name: str, n_seeds: int, fixed: bool, reducers: dict[str, Any]) -> None:
    """One line per reducer; the readout learns from all labels."""
    data = benchmark_data(name)
    X, full = data.X[data.train], dense(data.Y[data.train])
    for label, reducer in reducers.items():
        whole = score(reducer, data, X, full, fixed)
        found = []
        for seed in range(n_seeds):
            holes = np.random.default_rng(seed).random(full.shape) < 0.5
            cases = np.where(holes, np.nan, full), full * ~holes
            found.append([score(reducer, data, X, Y, fixed, full) for Y in cases])
        ours, zeros = np.array(found).T
        print(
            f"{name:<10}{label:<10}{whole:>8.4f}{ours.mean():>10.4f}{zeros.mean():>10.4f}"
            f"{ours.mean() / whole:>9.1%}{int((ours > zeros).sum()):>17} of {n_seeds}",
            flush=True,
        )


def table(name: str, n_seeds: int, fixed: bool, reducers: dict[str, Any]) -> None:
    """One line per reducer."""
    data = benchmark_data(name)
    X, full = data.X[data.train], dense(data.Y[data.train])
    for label, reducer in reducers.items():
        whole = score(reducer, data, X, full, fixed)
        found = []
        for seed in range(n_seeds):
            rng = np.random.default_rng(seed)
            holes = rng.random(full.shape) < 0.5
            some = rng.permutation(len(full))[: len(full) // 2]
            cases = (X, np.where(holes, np.nan, full)), (X, full * ~holes), (X[some], full[some])
            found.append([score(reducer, data, *case, fixed) for case in cases])
        ours, zeros, rows = np.array(found).T
        wins = int((ours > zeros).sum())
        print(
            f"{name:<10}{label:<10}{whole:>8.4f}{ours.mean():>10.4f}{zeros.mean():>10.4f}"
            f"{ours.mean() / whole:>9.1%}{rows.mean() / whole:>11.1%}{wins:>6} of {n_seeds}",
            flush=True,
        )


def slope() -> None:
    """Directions of MDDM with 50 % holes approach those of all labels as n^(-1/2)."""
    rng = np.random.default_rng(0)
    C = rng.standard_normal((8, 4))
    sizes, errors = [500, 1000, 2000, 4000, 8000, 16000], []
    for n in sizes:
        sines = []
        for _ in range(100):
            X = rng.standard_normal((n, 8))
            Y = (X @ C + rng.standard_normal((n, 4)) > 0.3).astype(float)
            all_labels = ls.MDDM(1).fit(X, Y).components_
            some = np.where(rng.random(Y.shape) < 0.5, np.nan, Y)
            found = ls.MDDM(1).fit(X, some).components_
            sines.append(np.sin(linalg.subspace_angles(found.T, all_labels.T)[0]))
        errors.append(np.mean(sines))
        print(f"n = {n:>6}: sine {errors[-1]:.4f}")
    print(f"slope {np.polyfit(np.log(sizes), np.log(errors), 1)[0]:.3f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--data", nargs="*", default=["yeast", "scene", "bibtex"])
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--reduction", action="store_true")
    parser.add_argument("--mu", action="store_true")
    given = parser.parse_args()
    reducers = {"MDDM_f, mu": ChosenMu()} if given.mu else REDUCERS
    heads = f"{'data':<10}{'method':<10}{'all':>8}{'holes':>10}{'zeros':>10}{'kept':>9}"
    print(f"{heads}{'half rows':>11}  beats zeros")
    for name in given.data:
        (reduction if given.reduction else table)(name, given.seeds, given.fixed, reducers)
    if not (given.reduction or given.mu):
        slope()


if __name__ == "__main__":
    main()
