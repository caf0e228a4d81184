"""ReducerCV against GridSearchCV over a pipeline, and against one fit and one pass of scores.

    LABELSPAN_DATA=... OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/bench_choice.py

Both searches have the same candidates, folds and scorer. The statistics of folds are compared with
cvmatrix if it is installed. Names of comparisons as arguments run only these.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import Pipeline

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.timing import Comparison, benchmark_data, compare
from labelspan import MDDM, MLSI, MVMD, OPLS, LabelCCA, MultiOutputRidge, ReducerCV
from labelspan.metrics import get_scorer
from labelspan.moments import Moments, collect_parts
from labelspan.search import parts_of

SCORER = get_scorer("micro_f1")
FIVE = [0.01, 0.1, 1.0, 10.0, 100.0]


def search(X, Y, reducers, dimensions, ridges, folds=5):
    readout = (MultiOutputRidge(), {"ridge": ridges})
    cv = KFold(folds)
    search = ReducerCV(reducers, dimensions, readout=readout, threshold="paper", scoring=SCORER)
    return search.set_params(cv=cv).fit(X, Y)


def grid_search(X, Y, reducers, dimensions, ridges, folds=5):
    grids = []
    for item in reducers:
        reducer, grid = item if isinstance(item, tuple) else (item, {})
        named = {f"reducer__{name}": values for name, values in grid.items()}
        named |= {"reducer": [reducer], "reducer__n_components": dimensions}
        grids.append({**named, "readout__ridge": ridges})
    pipeline = Pipeline([("reducer", None), ("readout", MultiOutputRidge())])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GridSearchCV(pipeline, grids, scoring=SCORER, cv=KFold(folds)).fit(X, Y)


def yeast_grid():
    yeast = benchmark_data("yeast")
    setting = yeast.X, yeast.Y, [(OPLS(), {"ridge": FIVE})], list(range(1, 15)), [0.01]
    ours, theirs = partial(search, *setting), partial(grid_search, *setting)
    return Comparison("yeast, 70 points x 5 folds", "GridSearchCV", 1 / 60, ours, theirs, 3)


def yeast_more_points():
    yeast = benchmark_data("yeast")
    dimensions, shares = list(range(1, 15)), [0.1, 0.5, 0.9]
    every = [
        MDDM(),
        (MDDM(constraint="feature"), {"mu": shares}),
        (MVMD(), {"beta": shares}),
        (LabelCCA(), {"ridge": [0.1, 10.0]}),
        (OPLS(), {"ridge": [0.1, 10.0]}),
        MLSI(),
    ]
    many = partial(search, yeast.X, yeast.Y, every, dimensions, [0.01, 1.0, 100.0])
    few = partial(search, yeast.X, yeast.Y, [(OPLS(), {"ridge": FIVE})], dimensions, [0.01])
    return Comparison("yeast, 504 points of all methods", "70 points", 4.0, many, few, 7)


def tall():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 500), dtype=np.float32)
    scores = X[:, :20] @ rng.standard_normal((20, 20)) + 8 * rng.standard_normal((100_000, 20))
    Y = (scores > 4).astype(np.int8)
    every = [MDDM(), MVMD(), (OPLS(), {"ridge": [0.1, 10.0]}), LabelCCA()]
    dimensions = [1, 2, 3, 4, 5, 7, 10, 13, 16, 20]
    ours = partial(search, X, Y, every, dimensions, [0.01, 1.0, 10.0, 100.0])

    def one_fit():
        model = MVMD(20).fit(X, Y)
        readout = MultiOutputRidge().fit(model.transform(X), Y)
        SCORER(Pipeline([("reducer", model), ("readout", readout)]), X, Y)

    return Comparison(
        "100,000 x 500 float32, 200 points x 5 folds", "MVMD fit and scores", 3.0, ours, one_fit, 2
    )


def sparse_wide():
    data = benchmark_data("rcv1subset1")
    reducers = [MDDM(), MVMD(), LabelCCA()]
    setting = data.X, data.Y, reducers, [5, 10, 15, 20, 30, 40, 50], [0.01, 1.0, 100.0], 3
    ours, theirs = partial(search, *setting), partial(grid_search, *setting)
    return Comparison("rcv1subset1, 63 points x 3 folds", "GridSearchCV", 0.1, ours, theirs, 1)


def fold_matrices():
    try:
        from cvmatrix.cvmatrix import CVMatrix
    except ImportError:
        return None
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((100_000, 500)), rng.standard_normal((100_000, 10))
    part = np.arange(100_000) % 10

    def theirs():
        matrices = CVMatrix(center_X=True, center_Y=True, scale_X=False, scale_Y=False)
        matrices.fit(X, Y)
        return [matrices.training_XTX_XTY(np.flatnonzero(part == k)) for k in range(10)]

    folds = [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(10)]

    def ours():
        parts = parts_of(folds, len(X))
        return parts.training_sums(collect_parts(X, Y, Moments.of, parts.number))

    return Comparison("fold matrices, 100,000 x 500, 10 folds", "cvmatrix", 1.0, ours, theirs, 2)


def main():
    made = {
        f.__name__: f for f in (yeast_grid, yeast_more_points, tall, sparse_wide, fold_matrices)
    }
    names = sys.argv[1:] or list(made)
    comparisons = [made[name]() for name in names]
    sys.exit(not compare(one for one in comparisons if one is not None))


if __name__ == "__main__":
    main()
