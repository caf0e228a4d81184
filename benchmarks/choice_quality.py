"""ReducerCV() compared with a tuned LinearSVC, on all features and after SVD.

usage: LABELSPAN_DATA=... python benchmarks/choice_quality.py [--splits N] [SET ...]

LinearSVC: columns divided by their largest absolute value, C in {0.1, 1, 10} and one threshold for
all labels, all chosen by the micro-F1 of three stratified folds. Stratified splits, 2/3 for
training, fixed seeds. Measures and processor seconds of each run go to the file --out, and
runs that are there already are not repeated; without a SET only the table is printed.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).parents[1]))

from labelspan import ReducerCV
from labelspan.arrays import dense
from labelspan.datasets import load_dataset
from labelspan.metrics import average_precision, micro_f1
from labelspan.model_selection import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit

SIZES = (0.1, 1.0, 10.0)


class TunedSVM:
    """The search over C and a pooled threshold by three folds."""

    def __init__(self, *steps):
        self.steps = steps

    def _fitted(self, C, X, Y):
        machines = OneVsRestClassifier(LinearSVC(C=C))
        return make_pipeline(*self.steps, machines).fit(X, Y)

    def fit(self, X, Y):
        folds = list(MultilabelStratifiedKFold(3).split(X, Y))
        found = []
        for C in SIZES:
            scores = np.empty(Y.shape)
            for train, test in folds:
                scores[test] = self._fitted(C, X[train], Y[train]).decision_function(X[test])
            found.append((*best_cut(scores, Y), C))
        _, self.threshold, C = max(found)
        self.model = self._fitted(C, X, Y)
        self.said = f"C {C:g}, threshold {self.threshold:.2f}"
        return self

    def decision_function(self, X):
        return self.model.decision_function(X)

    def predict(self, X):
        return (self.decision_function(X) > self.threshold).astype(int)

    def summary(self):
        return self.said


def best_cut(scores, Y):
    """Largest micro-F1 of one threshold, and the threshold; written here to be independent."""
    order = np.argsort(-scores, axis=None)
    hits = np.cumsum(Y.ravel()[order])
    f1 = 2 * hits / (np.arange(1, len(hits) + 1) + hits[-1])
    i = int(np.argmax(f1))
    s = scores.ravel()[order[i : i + 2]]
    return f1[i], s.mean()


SYSTEMS = {
    "ReducerCV": ReducerCV,
    "LinearSVC": lambda: TunedSVM(MaxAbsScaler()),
    "SVD(50)": lambda: TunedSVM(TruncatedSVD(50, random_state=0), MaxAbsScaler()),
}


def runs(name, n_splits, done, systems):
    """Measures and seconds of every system on each split that is not `done`."""
    data = load_dataset(name)
    X, Y = data.X, dense(data.Y).astype(int)
    splitter = MultilabelStratifiedShuffleSplit(5, test_size=1 / 3, random_state=0)
    for i, (train, test) in enumerate(splitter.split(X, Y)):
        present = Y[train].any(axis=0)
        for system in systems:
            if i >= n_splits or (name, str(i), system) in done:
                continue
            start = time.process_time()
            with threadpool_limits(1):
                model = SYSTEMS[system]().fit(X[train], Y[train][:, present])
            seconds = time.process_time() - start
            T = Y[test][:, present]
            yield {
                "set": name, "split": i, "system": system, "seconds": seconds,
                "micro_f1": micro_f1(T, model.predict(X[test])),
                "average_precision": average_precision(
                    T, scores_of(model, X[test]), undefined_rows="skip"
                ),
                "said": model.summary().splitlines()[0],
            }  # fmt: skip


def scores_of(model, X):
    return (
        model.decision_function(X)
        if hasattr(model, "decision_function")
        else model.predict_proba(X)
    )


def show(rows):
    """The table of docs/choice.md: means over the splits that every system has."""
    print("| set | " + " | ".join(f"{s}: micro-F1 | AP | s" for s in SYSTEMS) + " |")
    print("|---|" + "---|---|---|" * len(SYSTEMS))
    for name in dict.fromkeys(row["set"] for row in rows):
        cells = []
        for system in SYSTEMS:
            mine = [row for row in rows if (row["set"], row["system"]) == (name, system)]
            for key, digits in (("micro_f1", 3), ("average_precision", 3), ("seconds", 1)):
                values = [float(row[key]) for row in mine]
                cells.append(f"{np.mean(values):.{digits}f}" if values else "")
        print(f"| {name} | {' | '.join(cells)} |")


def read(path):
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main():
    warnings.simplefilter("ignore")  # labels without rows in a fold, LinearSVC's iterations
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("choice_quality.csv"))
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS))
    given = parser.parse_args()
    done = {(row["set"], row["split"], row["system"]) for row in read(given.out)}
    for name in given.sets:
        for row in runs(name, given.splits, done, given.systems):
            new = not given.out.exists()
            with given.out.open("a", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(row))
                if new:
                    writer.writeheader()
                writer.writerow(row)
            print(*row.values(), flush=True)
    show(read(given.out))


if __name__ == "__main__":
    main()
