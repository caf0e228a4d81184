"""The cost of losing half of the labels: micro-F1 of available cases, and of zeros instead.

usage: python benchmarks/missing_table.py [--seeds 10] [--data yeast scene bibtex]
                                          [--readout tuned fixed mlknn] [--directions 10 20]
                                          [--reduction] [--mu]

Half of the labels of the training rows are removed at random. The reducer and the readout learn
(a) from all labels, (b) from the remaining ones, with NaN for the others, (c) with 0 for the
others, (d) from all labels of half of the rows. Printed: micro-F1 on the test rows with all of
their labels; what (b) and (d) keep of (a); in how many seeds (b) beats (c). The last table is a
simulation: the sine between the directions of all labels and those of available cases, and its
slope over the number of rows.

The readout is MultiOutputRidge with thresholds by label (tuned), the same with scores above 0
(fixed), or MLkNN, the classifier of the papers (mlknn). --directions limits their number; a set
with fewer labels has no more directions than labels.

With --reduction only the reducer learns from half of the labels, and the readout from all of them:
the share kept is that of the directions. (d) is left out. With --mu the mu of MDDM with the
constraint "feature" is chosen by three folds, from the labels that the reducer is given.
"""

from __future__ import annotations

import argparse
import itertools
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
    "MDDM_f .001": ls.MDDM(constraint="feature", mu=0.001),
    "MVMD": ls.MVMD(),
}
READOUTS = {
    "tuned": ls.ThresholdTuner(
        ls.MultiOutputRidge(0.01, min_labels=1), "per_label_f1", min_labels=1
    ),
    "fixed": ls.MultiOutputRidge(0.01, min_labels=1),
    "mlknn": ls.MLkNN(),
}
MU = [0.001, 0.01, 0.1, 0.5, 0.9]


def dense(Y: Any) -> np.ndarray:
    """Labels as a float array."""
    return (Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)).astype(np.float64)


def score(
    reducer: Any, readout: Any, data: Any, X: Any, Y: np.ndarray, labels: np.ndarray | None = None
) -> float:
    """Micro-F1 on the test rows of what is learnt from X and the labels Y.

    The readout learns from `labels` instead, if they are given.
    """
    reducer, readout = clone(reducer).fit(X, Y), clone(readout)
    readout.fit(reducer.transform(X), Y if labels is None else labels)
    predicted = readout.predict(reducer.transform(data.X[data.test]))
    return float(micro_f1(dense(data.Y[data.test]), dense(predicted)))


class ChosenMu(ls.MDDM):
    """MDDM with the constraint "feature" and the mu with the best micro-F1 over three folds."""

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


def table(
    name: str,
    n_seeds: int,
    readout: Any,
    reducers: dict[str, Any],
    directions: int | None,
    only: bool,
) -> None:
    """One line per reducer; `only` the reducer loses labels, or both steps do."""
    data = benchmark_data(name)
    X, full = data.X[data.train], dense(data.Y[data.train])
    for label, reducer in reducers.items():
        if directions is not None:
            reducer = clone(reducer).set_params(n_components=min(directions, full.shape[1]))
        whole = score(reducer, readout, data, X, full)
        found = []
        for seed in range(n_seeds):
            rng = np.random.default_rng(seed)
            holes = rng.random(full.shape) < 0.5
            some = rng.permutation(len(full))[: len(full) // 2]
            cases = [(X, np.where(holes, np.nan, full)), (X, full * ~holes)]
            cases += [] if only else [(X[some], full[some])]
            labels = full if only else None
            found.append([score(reducer, readout, data, *case, labels) for case in cases])
        ours, zeros, *rows = np.array(found).T
        print(
            f"{name:<10}{label:<12}{directions or 'all':>5}{whole:>8.4f}{ours.mean():>10.4f}"
            f"{zeros.mean():>10.4f}{ours.mean() / whole:>9.1%}"
            f"{f'{rows[0].mean() / whole:.1%}' if rows else '':>11}"
            f"{int((ours > zeros).sum()):>6} of {n_seeds}",
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
    parser.add_argument("--readout", nargs="*", choices=READOUTS, default=["tuned"])
    parser.add_argument("--directions", nargs="*", type=int, default=[None])
    parser.add_argument("--reduction", action="store_true")
    parser.add_argument("--mu", action="store_true")
    given = parser.parse_args()
    reducers = {"MDDM_f, mu": ChosenMu()} if given.mu else REDUCERS
    heads = f"{'data':<10}{'method':<12}{'d':>5}{'all':>8}{'holes':>10}{'zeros':>10}{'kept':>9}"
    for readout in given.readout:
        print(f"readout: {readout}\n{heads}{'half rows':>11}  beats zeros")
        for name, directions in itertools.product(given.data, given.directions):
            table(name, given.seeds, READOUTS[readout], reducers, directions, given.reduction)
    if not (given.reduction or given.mu):
        slope()


if __name__ == "__main__":
    main()
