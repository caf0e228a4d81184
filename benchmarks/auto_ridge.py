"""Is "auto" as good as the best of 28 ridges? Average precision on held-out rows, per data set.

Mean over stratified splits into 2/3 and 1/3. An extractor is judged by least squares on its first
min(10, rank) directions; MultilabelRidgeCV(kernel="linear") against the 28 ridges on the columns
that it scales. Prints, per data set and method, "auto", the best of the grid, and the default of
version 0.2.0; then the means. Results go to the file --out, and what is there is not repeated.

    python benchmarks/auto_ridge.py [--sets emotions,yeast] [--splits 5] [--methods opls]
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelspan import HSL, MDDM, OPLS, LabelCCA, MultilabelRidgeCV
from labelspan.base import LinearReducer
from labelspan.classifiers import MultiOutputRidge
from labelspan.datasets import list_datasets, load_dataset
from labelspan.labelspace import CPLST
from labelspan.linalg import Pencil, route_of, spectral
from labelspan.metrics import average_precision
from labelspan.model_selection import MultilabelStratifiedShuffleSplit
from labelspan.moments import summarise
from labelspan.ridge_cv import Scaling

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
    "ridge-cv": (MultiOutputRidge, {}, as_ridge, 0.01),
}
FIELDS = ("method", "set", "splits", "auto", "best", "old")


def scores_of(model: Any, X: Any, Y: np.ndarray, held: Any) -> np.ndarray:
    """Scores of held-out rows: the method's own, or least squares on its first directions."""
    model.fit(X, Y)
    if hasattr(model, "decision_function"):
        return model.decision_function(held)
    return by_least_squares(*(model.transform(A)[:, :N_DIRECTIONS] for A in (X, held)), Y)


def by_least_squares(P: np.ndarray, Q: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Scores of the rows Q by the regression of Y on P."""
    return MultiOutputRidge(0.0).fit(P, Y).decision_function(Q)


def scores_of_ridges(
    model: Any, X: Any, Y: np.ndarray, held: Any, ridges: np.ndarray
) -> Iterator[np.ndarray]:
    """The same for each of the ridges, from one decomposition."""
    extracts, encodes = isinstance(model, LinearReducer), isinstance(model, CPLST)
    pencil = model._pencil(Y.shape) if extracts else Pencil((1.0, 1.0))
    if extracts:
        needs = pencil.needs(*X.shape, Y.shape[1], None)
    else:
        needs = {"thin": False, "ridge_free": False}
    route = route_of(X, Y, None, advice="", **needs)
    statistics = (
        model._summarise(route.sample) if extracts else summarise(route.sample, signed=not encodes)
    )
    K = pencil.K(statistics) if callable(pencil.K) else pencil.K
    form, mean = spectral(statistics), route.mean(statistics.x_mean)
    V = route.lift(form.V)
    here, there = ((A @ V) - mean @ V for A in ((X, held) if extracts else (held[:0], held)))
    for ridge in ridges:
        if extracts:
            share = form.s / np.sqrt(form.s**2 + ridge)
            T = share[:, None] * (form.UT if K is None else form.UT @ K)
            vectors, values, _ = np.linalg.svd(T, full_matrices=False)
            kept = min(N_DIRECTIONS, int(np.sum(values > 1e-7 * values[0])))
            C = vectors[:, :kept] * (share / form.s)[:, None]
            yield by_least_squares(here @ C, there @ C, Y)
            continue
        coef = (form.s / (form.s**2 + ridge))[:, None] * form.UT
        if encodes:
            h = form.s**2 / (form.s**2 + ridge)
            codes = np.linalg.eigh((form.UT.T * (h * (2 - h))) @ form.UT)[1][:, -N_DIRECTIONS:]
            coef = coef @ codes @ codes.T
        yield there @ coef + statistics.t_mean


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
        first = make(**fixed, **auto)
        scores = [scores_of(make(**fixed, **parameters(old)), X, Y, held)]
        if method == "ridge-cv":
            first = MultilabelRidgeCV(kernel="linear", store_scores=False)
        scores.append(scores_of(first, X, Y, held))
        if method == "ridge-cv":
            scaling = Scaling(first.scale_, first.low_ if first.scaling_ == "rows" else None)
            X, held = scaling(X), scaling(held)
            unit = mean_eigenvalue(X)
        scores += scores_of_ridges(make(**fixed, **auto), X, Y, held, unit * GRID)
        found.append([average_precision(truth, each, undefined_rows="skip") for each in scores])
    old_one, auto_one, *grid = np.mean(found, axis=0)
    return np.array([auto_one, max(grid), old_one])


def show(rows: list[dict[str, str]]) -> None:
    """Per method, how far "auto" is from the best of the grid and from the old default."""
    for method in dict.fromkeys(row["method"] for row in rows):
        some = [row for row in rows if row["method"] == method]
        auto, best, old = (np.array([float(row[k]) for row in some]) for k in FIELDS[3:])
        print(
            f"{method:8} {len(some)} sets; below the best: mean {(best - auto).mean():.4f}, worst "
            f"{(best - auto).max():.4f} ({some[int(np.argmax(best - auto))]['set']}); above the "
            f"old default: mean {(auto - old).mean():+.4f}, worst {(auto - old).min():+.4f} "
            f"({some[int(np.argmin(auto - old))]['set']})"
        )


def read(path: Path) -> list[dict[str, str]]:
    """The results so far."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    every = [d.name for d in list_datasets() if "asdistributed" not in d.name]
    parser.add_argument("--sets", default=",".join(every))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("auto_ridge.csv"))
    given = parser.parse_args()
    for name in filter(None, given.sets.split(",")):
        for method in given.methods.split(","):
            key = (method, name, str(given.splits))
            if key in {tuple(row[k] for k in FIELDS[:3]) for row in read(given.out)}:
                continue
            new, measured = not given.out.exists(), judge(method, name, given.splits)
            with given.out.open("a", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                if new:
                    writer.writerow(FIELDS)
                writer.writerow([*key, *(f"{value:.5f}" for value in measured)])
            print(*key, *(f"{value:.4f}" for value in measured), flush=True)
    show(read(given.out))


if __name__ == "__main__":
    main()
