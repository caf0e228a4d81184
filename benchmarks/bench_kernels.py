"""Kernel methods against scikit-learn and cca-zoo: ratios of fit times in one run.

usage: python benchmarks/bench_kernels.py        (LABELSPAN_DATA set)
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold
from timing import Comparison, benchmark_data, compare

from labelspan.kernels import (
    KernelCPLST,
    KernelCPLSTCV,
    KernelLabelCCA,
    KernelMDDM,
    kernel_path,
)
from labelspan.kernels._cplst_cv import RIDGES

# No goal of the project: the ratio is for information.
NO_GOAL = float("inf")


def dense(name, part="train"):
    data = benchmark_data(name)
    rows = slice(None) if part is None else data.train
    return [A.toarray() if hasattr(A, "toarray") else A for A in (data.X[rows], data.Y[rows])]


def random_problem(n, D=100, q=60):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, D))
    scores = np.tanh(X) @ rng.standard_normal((D, q)) / 3 + rng.standard_normal((n, q))
    return X, (scores > 2).astype(int)


def reducers():
    X, Y = random_problem(5000)
    for solver in ("auto", "arpack", "randomized"):
        yield Comparison(
            "KernelMDDM(50), 5000 x 100",
            f"sklearn KernelPCA(50, {solver})",
            1.3,
            lambda: KernelMDDM(50).fit(X, Y),
            lambda solver=solver: KernelPCA(
                50, kernel="rbf", eigen_solver=solver, random_state=0
            ).fit(X),
            2 if solver != "auto" else 1,
        )
    X, Y = dense("enron", None)
    rows = slice(1361)
    try:
        from cca_zoo.nonparametric import KCCA
    except ImportError:
        print("cca-zoo is not installed: pip install labelspan[bench]")
        return
    yield Comparison(
        "KernelLabelCCA(50) on enron, 1361 rows",
        "cca-zoo KCCA(50)",
        1 / 20,
        lambda: KernelLabelCCA(50, kernel="rbf").fit(X[rows], Y[rows]),
        lambda: KCCA(50, kernel=["rbf", "linear"]).fit([X[rows], Y[rows].astype(float)]),
        1,
    )


def regressions():
    for name in ("yeast", "scene", "enron"):
        X, Y = dense(name, None)
        rows = slice(int(0.8 * len(X)))
        X, Y = X[rows], Y[rows]
        targets = Y - Y.mean(axis=0)
        single = X.astype(np.float32)
        yield Comparison(
            f"KernelCPLST on {name}, float32",
            "the same in float64",
            NO_GOAL,
            lambda X=single, Y=Y: KernelCPLST().fit(X, Y),
            lambda X=X, Y=Y: KernelCPLST().fit(X, Y),
            3,
        )
        yield Comparison(
            f"KernelCPLST on {name}, {len(X)} rows",
            "sklearn KernelRidge, same targets",
            1.3,
            lambda X=X, Y=Y: KernelCPLST().fit(X, Y),
            lambda X=X, Z=targets: KernelRidge(1.0, kernel="rbf").fit(X, Z),
            3,
        )


def path_comparison(title, X, Y, ridges, goal, repeats, **options):
    """All ridges in one path against one plain fit."""
    estimator = KernelCPLST(**options)
    return Comparison(
        f"path of {len(ridges)} ridges, {title}",
        "one KernelCPLST fit",
        goal,
        lambda: kernel_path(estimator, X, Y, {"ridge": ridges}),
        lambda: KernelCPLST(**options).fit(X, Y),
        repeats,
    )


def grids():
    five = [2.0**t for t in (-4, -2, 0, 2, 4)]
    for n, goal, repeats in ((5000, NO_GOAL, 3), (10_000, 1.5, 2)):
        A, B = random_problem(n, q=14)
        yield path_comparison(f"{n} rows, 14 labels", A, B, five, goal, repeats, gamma=0.01)
    some = {"n_landmarks": 500, "random_state": 0}
    A, B = random_problem(20_000, q=14)
    title = "500 landmarks of 20,000"
    yield path_comparison(title, A, B, five, 1.5, 2, gamma=0.01, **some)
    X, Y = dense("yeast", None)
    X, Y = X[:1934], Y[:1934]
    yield path_comparison("yeast, 14 labels", X, Y, five, NO_GOAL, 3, gamma=1.0)
    yield path_comparison("enron, 53 labels", *dense("enron", None), five, NO_GOAL, 3)
    search = partial(KernelCPLSTCV, gammas=[1.0], ridges=five)
    yield Comparison(
        "5 ridges, 5 folds each, on yeast",
        "the same search with 1 ridge",
        1.5,
        lambda: search().fit(X, Y),
        lambda: search(ridges=[1.0]).fit(X, Y),
        2,
    )
    yield Comparison(
        "5 ridges, 5 folds each, on yeast",
        "one plain fit",
        NO_GOAL,
        lambda: search().fit(X, Y),
        lambda: KernelCPLST(gamma=1.0).fit(X, Y),
        2,
    )
    wide = partial(search, gammas=[0.01], **some)
    yield Comparison(
        "5 ridges, 5 folds, 500 landmarks of 20,000",
        "the same search with 1 ridge",
        1.5,
        lambda: wide().fit(A, B),
        lambda: wide(ridges=[1.0]).fit(A, B),
        2,
    )
    yield Comparison(
        "5 ridges, 5 folds, 500 landmarks of 20,000",
        "one plain fit",
        NO_GOAL,
        lambda: wide().fit(A, B),
        lambda: KernelCPLST(gamma=0.01, **some).fit(A, B),
        2,
    )
    folds = KFold(5)
    grid = {"ridge": list(RIDGES)}
    yield Comparison(
        f"{len(RIDGES)} ridges, 5 folds each, on yeast",
        "GridSearchCV over KernelCPLST",
        1.0,
        lambda: KernelCPLSTCV(14, gammas=[1.0], cv=folds).fit(X, Y),
        lambda: GridSearchCV(KernelCPLST(14, gamma=1.0), grid, cv=folds).fit(X, Y),
        1,
    )


def main():
    return 0 if compare(row for rows in (reducers, regressions, grids) for row in rows()) else 1


if __name__ == "__main__":
    sys.exit(main())
