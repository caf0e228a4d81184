"""Is "auto" as good as the best of 28 ridges? Average precision on held-out rows, per data set.

Mean over stratified splits into 2/3 and 1/3. An extractor is judged by least squares on its first
min(10, rank) directions. Prints, per data set and method, "auto", the best of the grid, and the
default of version 0.2.0; the last lines are means.

    python benchmarks/auto_ridge.py [--sets emotions,yeast] [--splits 5] [--methods opls]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from labelspan import HSL, MDDM, OPLS, LabelCCA
from labelspan.classifiers import MultiOutputRidge
from labelspan.datasets import list_datasets, load_dataset
from labelspan.labelspace import CPLST
from labelspan.metrics import average_precision
from labelspan.model_selection import MultilabelStratifiedShuffleSplit

GRID = np.geomspace(1e-6, 1e3, 28)
N_DIRECTIONS = 10


def as_mu(ridge: float) -> dict[str, Any]:
    """Parameters of MDDM by features."""
    return {"mu": 1 / (1 + ridge)}


def as_ridge(ridge: float) -> dict[str, Any]:
    """Parameters of the others."""
    return {"ridge": ridge}


#: Name: the class, its arguments, the parameters of a ridge, the default of 0.2.0 as a ridge.
METHODS: dict[str, tuple[Any, dict[str, Any], Callable[[float], dict[str, Any]], float]] = {
    "ridge": (MultiOutputRidge, {}, as_ridge, 0.01),
    "opls": (OPLS, {"n_components": None}, as_ridge, 0.1),
    "cca": (LabelCCA, {"n_components": None}, as_ridge, 0.1),
    "mddm-f": (MDDM, {"n_components": None, "constraint": "feature"}, as_mu, 1.0),
    "hsl": (HSL, {"n_components": None}, as_ridge, 0.1),
    "cplst": (CPLST, {"n_components": N_DIRECTIONS}, as_ridge, 0.0),
}


def scores_of(model: Any, X: Any, Y: np.ndarray, held: Any) -> np.ndarray:
    """Scores of held-out rows: the method's own, or least squares on its first directions."""
    model.fit(X, Y)
    if hasattr(model, "decision_function"):
        return model.decision_function(held)
    P, Q = (model.transform(A)[:, :N_DIRECTIONS] for A in (X, held))
    return MultiOutputRidge(0.0).fit(P, Y).decision_function(Q)


def problems(name: str, n_splits: int) -> Iterator[tuple[Any, ...]]:
    """Training and held-out rows, and the mean eigenvalue of the training scatter."""
    data = load_dataset(name)
    splitter = MultilabelStratifiedShuffleSplit(n_splits, test_size=1 / 3, random_state=0)
    for train, test in splitter.split(data.X, data.Y):
        Y = data.Y.toarray() if sparse.issparse(data.Y) else np.asarray(data.Y)
        present = Y[train].any(axis=0)
        X = data.X[train]
        yield X, Y[train][:, present], data.X[test], Y[test][:, present], mean_eigenvalue(X)


def mean_eigenvalue(X: Any) -> float:
    """Of the scatter of X, over min(n - 1, D)."""
    squares = X.multiply(X).sum() if sparse.issparse(X) else (X**2).sum()
    mean = np.asarray(X.mean(axis=0)).ravel()
    return float(squares - X.shape[0] * mean @ mean) / min(X.shape[0] - 1, X.shape[1])


def judge(method: str, name: str, n_splits: int) -> np.ndarray:
    """Average precision of "auto", of the best of the grid, and of the old default."""
    make, fixed, parameters, old = METHODS[method]
    auto = {"mu": "auto"} if method == "mddm-f" else {"ridge": "auto"}
    found = []
    for X, Y, held, truth, unit in problems(name, n_splits):
        grid = [auto, *(parameters(r * unit) for r in GRID), parameters(old)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(
                [
                    average_precision(truth, scores_of(make(**fixed, **given), X, Y, held))
                    for given in grid
                ]
            )
    means = np.mean(found, axis=0)
    return np.array([means[0], means[1:-1].max(), means[-1]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    every = [d.name for d in list_datasets() if "asdistributed" not in d.name]
    parser.add_argument("--sets", default=",".join(every))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--splits", type=int, default=5)
    given = parser.parse_args()
    for method in given.methods.split(","):
        rows = []
        for name in given.sets.split(","):
            auto, best, old = judge(method, name, given.splits)
            rows.append((auto - best, auto - old))
            print(f"{method:8} {name:24} {auto:.4f} best {best:.4f} old {old:.4f}", flush=True)
        below, gain = np.array(rows).T
        print(
            f"{method:8} below the best: mean {-below.mean():.4f}, worst {-below.min():.4f}; "
            f"above the old default: mean {gain.mean():+.4f}, worst {gain.min():+.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
