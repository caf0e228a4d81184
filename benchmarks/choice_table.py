"""The choice of ReducerCV on the test parts of benchmark sets, compared with fixed methods.

    LABELSPAN_DATA=... python benchmarks/choice_table.py [SET ...]

Fixed methods are the linear reducers of `labelspan compare` with their default parameters, and no
reduction, each with the ridge classifier of the comparison; all are fitted to the training part.
Prints a line of the table of docs/choice.md per set: Micro-F1 of the choice, of the best and of the
median fixed method, and the rank of the choice among them (1 is better than all).
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.timing import benchmark_data
from labelspan import MultiOutputRidge, ReducerCV
from labelspan.experiments import get_method
from labelspan.metrics import get_scorer

SETS = (
    "emotions", "image", "scene", "yeast", "genbase", "medical", "enron", "yahoo-mlknn-arts",
    "yahoo-mlknn-business", "yahoo-mlknn-health",
)  # fmt: skip
FIXED = ("none", "pca", "mddm-p", "mddm-f", "mvmd", "cca", "opls", "mlsi", "mlda", "dmlda")
SCORER = get_scorer("micro_f1")


def fixed_scores(train, test):
    for name in FIXED:
        reducer = get_method(name).make()
        steps = [MultiOutputRidge()] if reducer is None else [reducer, MultiOutputRidge()]
        yield name, SCORER(make_pipeline(*steps).fit(*train), *test)


def line_of(name):
    data = benchmark_data(name)
    Y = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    train, test = ((data.X[rows], Y[rows]) for rows in (data.train, data.test))
    start = time.process_time()
    search = ReducerCV(scoring=SCORER).fit(*train)
    seconds = time.process_time() - start
    fixed = dict(fixed_scores(train, test))
    ours, values = SCORER(search, *test), np.array(list(fixed.values()))
    best = max(fixed, key=fixed.get)
    chosen = search.summary().splitlines()[1].partition(": ")[2].rpartition(": ")[0]
    rank = 1 + np.count_nonzero(values > ours)
    return (
        f"| {name} | {chosen} | {ours:.3f} | {fixed[best]:.3f} ({best}) | {np.median(values):.3f} "
        f"| {rank} | {len(search.cv_results_['params'])} | {seconds:.1f} |"
    ), rank


def main():
    warnings.simplefilter("ignore")  # labels without rows in a fold
    print(
        "| set | chosen | test Micro-F1 | best fixed | median fixed | rank | candidates | CPU s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    ranks = []
    for name in sys.argv[1:] or SETS:
        line, rank = line_of(name)
        ranks.append(rank)
        print(line, flush=True)
    print(f"\nMean rank of the choice among {len(FIXED)} fixed methods: {np.mean(ranks):.2f}")


if __name__ == "__main__":
    main()
