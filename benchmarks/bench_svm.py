"""SVMs of many labels against one-vs-rest LinearSVC on generated rows, to a gap of 1e-2.

usage: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/bench_svm.py [part of a name ...]

5000 rows, 500 normal features, 50 labels by noisy linear scores, 2 to 30 % of the rows each. The
rows are scaled to unit length, or the columns are standardised. Processor time on one thread; the
peer is timed once for each of the two. A line after each ratio tells the gap that was reached.
"""

import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.timing import best_times
from labelspan.ranking import LaRankSVM
from labelspan.selection import CMLFS
from labelspan.subspace import ASOClassifier, StructuralF1SVM

# Seconds after which a fit ends with the gap it has.
TOL, SECONDS = 1e-2, 120.0
MODELS = {
    "LaRankSVM": LaRankSVM(tol=TOL, random_state=0, max_time=SECONDS),
    "CMLFS(20)": CMLFS(20, tol=TOL, random_state=0, max_time=SECONDS),
    "ASOClassifier(5)": ASOClassifier(5, random_state=0, max_time=SECONDS),
    "StructuralF1SVM": StructuralF1SVM(tol=TOL, max_time=SECONDS),
}
GOALS = {
    "unit rows": (0.3, 1.0, 2.0, 5.0),
    "standardised": (1.0, 20.0, 10.0, 20.0),
}


def generated(n=5000, n_features=500, n_labels=50, seed=0):
    """Normal features, and labels where a noisy linear score is among the largest."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features))
    scores = X @ rng.standard_normal((n_features, n_labels)) / np.sqrt(n_features)
    scores += 0.5 * rng.standard_normal((n, n_labels))
    shares = np.linspace(0.02, 0.3, n_labels)
    cuts = [np.quantile(column, 1 - share) for column, share in zip(scores.T, shares, strict=True)]
    return X, (scores > np.array(cuts)).astype(int)


def reached(model):
    """Largest relative gap of a fitted model, and how it is counted."""
    if isinstance(model, ASOClassifier):
        return f"stationarity {model.stationarity_:.1e} after {model.n_iter_} turns"
    gaps = np.atleast_1d(model.primal_objective_ - model.dual_objective_)
    scale = 100 * model.C if isinstance(model, StructuralF1SVM) else model.primal_objective_
    return f"gap {np.max(gaps / scale):.1e} after up to {np.max(model.n_iter_)} steps"


def main(wanted):
    warnings.simplefilter("ignore")
    X, Y = generated()
    good = True
    print(f"{'ours':<44}  {'peer':<40}  {'ratio':>8}{'goal':>8}  {'seconds (ours / peer)':>22}")
    forms = {"unit rows": normalize(X), "standardised": StandardScaler().fit_transform(X)}
    for form, Z in forms.items():
        peer = OneVsRestClassifier(LinearSVC())
        chosen = [
            (name, goal)
            for name, goal in zip(MODELS, GOALS[form], strict=True)
            if not wanted or any(part in f"{name}, {form}" for part in wanted)
        ]
        if not chosen:
            continue
        for name, _ in chosen:
            MODELS[name].fit(Z[:60], Y[:60])  # compiles
        with threadpool_limits(1):
            (theirs,) = best_times([partial(peer.fit, Z, Y)], 1)
            for name, goal in chosen:
                (ours,) = best_times([partial(MODELS[name].fit, Z, Y)], 1)
                ratio = ours / theirs
                good &= ratio <= goal
                print(
                    f"{name + ', ' + form:<44}  {'OneVsRestClassifier(LinearSVC())':<40}"
                    f"  {ratio:>8.3f}{goal:>8.3f}  {ours:>10.4f} /{theirs:>10.4f}"
                    f"{'' if ratio <= goal else '  MISSED'}\n    {reached(MODELS[name])}",
                    flush=True,
                )
    return good


if __name__ == "__main__":
    sys.exit(not main(sys.argv[1:]))
