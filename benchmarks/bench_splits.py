"""Stratified 5-fold splits against iterative-stratification: time and evenness of the labels.

    LABELSPAN_DATA=... python benchmarks/bench_splits.py [DATASET ...]

Prints the ratio of CPU times and both label-distribution errors; smaller errors are better.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold as Peer
from scipy import sparse

from labelspan.datasets import load_dataset
from labelspan.model_selection import MultilabelStratifiedKFold

N_SEEDS = 3


def label_error(Y, folds):
    """Mean gap between the odds of a label in a fold and in all rows (Sechidis et al. 2011)."""
    total = Y.sum(axis=0)
    used = (total > 0) & (total < len(Y))
    whole = (total / np.maximum(len(Y) - total, 1))[used]
    odds = [Y[test].sum(axis=0) / np.maximum((1 - Y[test]).sum(axis=0), 1) for _, test in folds]
    return np.mean([np.abs(fold[used] - whole) for fold in odds])


def measure(splitter, Y, dense):
    seconds, errors, spread = [], [], []
    for seed in range(N_SEEDS):
        cv = splitter(n_splits=5, shuffle=True, random_state=seed)
        start = time.process_time()
        folds = list(cv.split(np.zeros(len(dense)), Y))
        seconds.append(time.process_time() - start)
        errors.append(label_error(dense, folds))
        sizes = [len(test) for _, test in folds]
        spread.append(max(sizes) - min(sizes))
    return min(seconds), np.mean(errors), max(spread)


def main(names):
    for name in names:
        Y = load_dataset(name).Y
        dense = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
        dense = dense.astype(np.int64)
        list(MultilabelStratifiedKFold(2).split(dense[:50], dense[:50]))  # compile
        ours = measure(MultilabelStratifiedKFold, Y, dense)
        theirs = measure(Peer, dense, dense)
        print(
            f"{name}: {ours[0]:.4f} s against {theirs[0]:.4f} s, {theirs[0] / ours[0]:.1f} times "
            f"faster; label error {ours[1]:.2e} against {theirs[1]:.2e}; "
            f"fold sizes differ by {ours[2]} against {theirs[2]}"
        )
    rng = np.random.default_rng(0)
    Y = rng.random((100_000, 100)) < 0.05
    start = time.process_time()
    list(MultilabelStratifiedKFold(5, shuffle=True, random_state=0).split(Y, Y))
    print(f"100,000 rows x 100 labels, 5 folds: {time.process_time() - start:.3f} s")


if __name__ == "__main__":
    main(sys.argv[1:] or ["delicious"])
