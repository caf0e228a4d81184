"""Do projections need to be standardised before LogisticRegression()? Held-out micro-F1.

Mean over stratified splits into 2/3 and 1/3; the first min(10, rank) directions of each reducer
with its defaults.

    python benchmarks/unit_scale.py [--sets emotions,yeast] [--splits 5]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from labelspan import DMLDA, HSL, MDDM, MLDA, OPLS, LabelCCA
from labelspan.datasets import list_datasets, load_dataset
from labelspan.metrics import micro_f1
from labelspan.model_selection import MultilabelStratifiedShuffleSplit

N_DIRECTIONS = 10
REDUCERS = {
    "opls": OPLS(None),
    "cca": LabelCCA(None),
    "mddm-f": MDDM(None, constraint="feature"),
    "hsl": HSL(None),
    # Their directions are orthonormal, or as long as in the papers.
    "mddm-p": MDDM(None),
    "mlda": MLDA(None),
    "dmlda": DMLDA(N_DIRECTIONS),
}


def micro_f1_of(P: Any, Y: np.ndarray, Q: Any, truth: np.ndarray) -> float:
    """Of logistic regressions with defaults, one per label."""
    return micro_f1(truth, OneVsRestClassifier(LogisticRegression()).fit(P, Y).predict(Q))


def judge(reducer: Any, name: str, n_splits: int) -> np.ndarray:
    """Micro-F1 on projections as they are, and standardised."""
    data, found = load_dataset(name), []
    Y = data.Y.toarray() if sparse.issparse(data.Y) else np.asarray(data.Y)
    splitter = MultilabelStratifiedShuffleSplit(n_splits, test_size=1 / 3, random_state=0)
    for train, test in splitter.split(data.X, data.Y):
        present = Y[train].any(axis=0)
        A, B = Y[train][:, present], Y[test][:, present]
        reducer.fit(data.X[train], A)
        P, Q = (reducer.transform(data.X[rows])[:, :N_DIRECTIONS] for rows in (train, test))
        scaler = StandardScaler().fit(P)
        standard = micro_f1_of(scaler.transform(P), A, scaler.transform(Q), B)
        found.append((micro_f1_of(P, A, Q, B), standard))
    return np.mean(found, axis=0)


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    every = [d.name for d in list_datasets() if "asdistributed" not in d.name]
    parser.add_argument("--sets", default=",".join(every))
    parser.add_argument("--splits", type=int, default=5)
    given = parser.parse_args()
    for title, reducer in REDUCERS.items():
        differences = []
        for name in given.sets.split(","):
            plain, standard = judge(reducer, name, given.splits)
            differences.append(plain - standard)
            print(f"{title:8} {name:24} {plain:.4f} standardised {standard:.4f}", flush=True)
        print(f"{title:8} mean {np.mean(differences):+.4f}, worst {np.min(differences):+.4f}")


if __name__ == "__main__":
    main()
