"""Every reducer behind four classifiers on every data set, for docs/when_it_pays.md.

usage: LABELSPAN_DATA=... python benchmarks/when_it_pays.py [--out RESULTS.csv] [SET ...]

The protocol is in docs/when_it_pays.md. One row of the file per data set, number of labelled
rows, split and representation: directions, bytes per row, milliseconds to fit the reducer, and for
each readout micro-F1, macro-F1 and average precision in thousandths, and microseconds to predict a
row. Rows that are there already are not run again; a run can be stopped and started.
`when_it_pays_page.py` writes the tables of the page from the file.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import labelspan as ls
from labelspan.arrays import dense
from labelspan.datasets import list_datasets, load_dataset
from labelspan.lab.plan import AUTO, made_preprocessing
from labelspan.metrics import average_precision, macro_f1, micro_f1
from labelspan.model_selection import MultilabelStratifiedShuffleSplit

RESULTS = Path(__file__).with_suffix(".csv")
# Labelled rows and split; "all" is at most MOST_ROWS. The first round is run for all sets first.
ROUNDS = ((("100", 0), ("all", 0)), (("400", 0), ("100", 1)))
# Sets of each kind and size come first, so that a run that is stopped early has all kinds.
FIRST = (
    "emotions", "yeast", "image", "scene", "genbase", "medical", "gnegative-go", "enron",
    "yahoo-mlknn-arts", "slashdot", "rcv1subset1", "yahoo-mulan-arts", "human-go", "eukaryote-go",
    "corel5k", "bibtex",
)  # fmt: skip
MOST_ROWS, MOST_TEST_ROWS, MOST_DIRECTIONS = 1500, 1000, 100
# LinearSVC and logistic regression fit each label alone.
MOST_LABELS = 110
SIZES = (1.0, 10.0, 100.0)
ALL, CHOSEN = "all features", "ReducerCV"
REDUCERS = {
    ALL: None,
    "SVD": TruncatedSVD(50, random_state=0),
    "LabelPLS": ls.LabelPLS(),
    "MDDM": ls.MDDM(),
    "MDDM feature": ls.MDDM(constraint="feature"),
    "MVMD": ls.MVMD(50),
    "LabelCCA": ls.LabelCCA(),
    "OPLS": ls.OPLS(),
    "HSL": ls.HSL(),
    "MLSI": ls.MLSI(50),
    "MLDA": ls.MLDA(),
    "DMLDA": ls.DMLDA(50),
    "LPP": ls.LPP(),
    "EmbeddingReducer": ls.EmbeddingReducer(),
    CHOSEN: None,
}
READOUTS = ("mlknn", "ridge", "svm", "logistic")
MEASURES = {"micro": micro_f1, "macro": macro_f1, "ap": average_precision}


def names():
    """Data sets: FIRST, then those with few features and labels."""
    listed = [info for info in list_datasets() if not info.name.endswith("asdistributed")]
    listed = [info for info in listed if info.where != "download"]
    ordered = [info.name for info in sorted(listed, key=lambda one: one.n_features * one.n_labels)]
    return [*FIRST, *(name for name in ordered if name not in FIRST)]


def labelled(X, Y, rows, split):
    """Labelled and test rows: features by the rule of the workbench, labels that occur."""
    splitter = MultilabelStratifiedShuffleSplit(2, test_size=1 / 3, random_state=0)
    train, test = list(splitter.split(X, Y))[split]
    order = np.random.default_rng(split)
    train, test = order.permutation(train), order.permutation(test)[:MOST_TEST_ROWS]
    train = train[: MOST_ROWS if rows == "all" else int(rows)]
    present = Y[train].any(axis=0)
    scaler = made_preprocessing(AUTO, X)
    A, B = X[train], X[test]
    if scaler is not None:
        A, B = scaler.fit_transform(A), scaler.transform(B)
    return A, Y[train][:, present], B, Y[test][:, present]


class OneByOne:
    """A linear classifier per label, on features divided by one number, so that C is comparable."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, Z, Y):
        # The mean squared distance of a row from the mean becomes 1.
        squares = Z.multiply(Z).sum() if sparse.issparse(Z) else np.square(Z).sum()
        spread = squares / Z.shape[0] - np.square(np.asarray(Z.mean(axis=0))).sum()
        self.length = np.sqrt(spread) if spread > 0 else 1.0
        Z = Z / self.length
        mixed = Y.any(axis=0) & ~Y.all(axis=0)
        self.machines = [
            clone(self.estimator).fit(Z, y) if some else float(y[0])
            for y, some in zip(Y.T, mixed, strict=True)
        ]
        return self

    def decision_function(self, Z):
        Z = Z / self.length
        # A label that all rows or no row has comes first or last.
        columns = [
            np.full(Z.shape[0], (2 * each - 1) * 1e3)
            if isinstance(each, float)
            else each.decision_function(Z)
            for each in self.machines
        ]
        return np.column_stack(columns)


def classifiers(readout):
    """The settings among which held-out rows choose."""
    if readout == "mlknn":
        return [ls.MLkNN()]
    if readout == "ridge":
        return [ls.MultiOutputRidge()]
    kind = partial(LinearSVC, random_state=0) if readout == "svm" else LogisticRegression
    return [OneByOne(kind(C=C)) for C in SIZES]


def scores_of(model, Z):
    return model.predict_proba(Z) if isinstance(model, ls.MLkNN) else model.decision_function(Z)


def best_cut(scores, Y):
    """Largest micro-F1 of one threshold for all labels, and the threshold."""
    order = np.argsort(-scores, axis=None, kind="stable")
    hits = np.cumsum(Y.ravel()[order])
    sorted_scores = scores.ravel()[order]
    # Equal scores are cut together.
    last = np.append(np.diff(sorted_scores) < 0, True)
    f1 = np.where(last, 2 * hits / (np.arange(1, len(hits) + 1) + hits[-1]), 0)
    i = int(np.argmax(f1))
    cut = sorted_scores[i : i + 2].mean() if i + 1 < len(hits) else -np.inf
    return f1[i], cut


def represent(reducer, X, Y):
    """How a reducer that is fitted to these rows represents others; None is all features."""
    if reducer is None:
        return lambda A: A
    number = clone(reducer).get_params()["n_components"]
    if isinstance(number, int):
        # Of fewer rows or columns there are fewer directions.
        reducer = clone(reducer).set_params(n_components=min(number, *(k - 1 for k in X.shape)))
    fitted = clone(reducer).fit(X, Y)
    return lambda A: np.asarray(fitted.transform(A))[:, :MOST_DIRECTIONS]


def judged(readout, inner, outer, parts, data):
    """Measures and seconds to predict, of the setting and threshold that held-out rows choose."""
    (X, Y, B, T), (first, rest) = data, parts
    A, Z, H = inner(X[first]), outer(X), inner(X[rest])
    found = []
    for setting in classifiers(readout):
        held = scores_of(setting.fit(A, Y[first]), H)
        found.append((*best_cut(held, Y[rest]), setting))
    _, cut, setting = max(found, key=lambda one: one[0])
    model = setting.fit(Z, Y)
    start = time.process_time()
    scores = scores_of(model, outer(B))
    seconds = time.process_time() - start
    values = {
        "micro": micro_f1(T, (scores > cut).astype(int)),
        "macro": macro_f1(T, (scores > cut).astype(int)),
        "ap": average_precision(T, scores, undefined_rows="skip"),
    }
    return {name: f"{1000 * value:.0f}" for name, value in values.items()} | {
        "us": f"{1e6 * seconds / len(T):.0f}"
    }


def chosen(searched, X, Y):
    """The reducer that ReducerCV recommends, None for all features, and its name."""
    search = ls.ReducerCV(kernel="linear", scale=None, readout=searched).fit(X, Y)
    if isinstance(search.best_params_["reducer"], str):
        return None, "none"
    fitted = search.best_estimator_
    reducer = clone(fitted).set_params(n_components=int(fitted.n_components_))
    return reducer, f"{type(reducer).__name__} {fitted.n_components_}"


def represented(method, readout, X, Y, first):
    """Representations learnt from the first rows and from all, and what they cost."""
    start = time.process_time()
    reducer, said = chosen(readout, X, Y) if method == CHOSEN else (REDUCERS[method], "")
    outer = represent(reducer, X, Y)
    spent = time.process_time() - start
    Z = outer(X)
    size = Z.data.nbytes + Z.indices.nbytes if sparse.issparse(Z) else Z.nbytes
    cost = {"directions": Z.shape[1], "bytes": f"{size / len(Y):.0f}", "ms": f"{1000 * spent:.0f}"}
    return represent(reducer, X[first], Y[first]), outer, said, cost


def row_of(name, rows, split, method, data):
    """A row of the file: what it costs is that for the last readout."""
    X, Y, *_ = data
    place = np.random.default_rng(0).permutation(len(Y))
    parts = place[len(Y) // 3 :], place[: len(Y) // 3]
    linear = load_labels(name) <= MOST_LABELS
    made, costs, found = {}, {}, {}
    for readout in READOUTS:
        searched = "mlknn" if readout == "mlknn" and method == CHOSEN else "ridge"
        if searched not in made:
            *made[searched], costs = represented(method, searched, X, Y, parts[0])
        inner, outer, _ = made[searched]
        values = {}
        if linear or readout in ("mlknn", "ridge"):
            values = judged(readout, inner, outer, parts, data)
        found |= {f"{readout}_{key}": values.get(key, "") for key in (*MEASURES, "us")}
    said = "; ".join(each[-1] for each in made.values())
    where = {"set": name, "rows": rows, "split": split, "method": method}
    return where | {"labelled": len(Y), "said": said} | costs | found


def attempted(name, rows, split, method, data):
    """A row, or why there is none."""
    try:
        return row_of(name, rows, split, method, data)
    except (ValueError, np.linalg.LinAlgError, MemoryError) as error:
        where = {"set": name, "rows": rows, "split": split, "method": method}
        values = (f"{readout}_{key}" for readout in READOUTS for key in (*MEASURES, "us"))
        empty = dict.fromkeys(("directions", "bytes", "ms", *values), "")
        return where | {"labelled": len(data[1]), "said": type(error).__name__} | empty


def load_labels(name):
    return next(info.n_labels for info in list_datasets() if info.name == name)


def read(path):
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main():
    warnings.simplefilter("ignore")  # few rows of a label, iterations of LinearSVC
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    keys = ("set", "rows", "split", "method")
    done = {tuple(row[key] for key in keys) for row in read(given.out)}
    for units in ROUNDS:
        for name in given.sets or names():
            run(name, units, done, given.out)


def run(name, units, done, out):
    """Add the rows of a data set that are not done."""
    cells = [(name, rows, str(split), method) for rows, split in units for method in REDUCERS]
    if done.issuperset(cells):
        return
    loaded = load_dataset(name)
    X, Y = loaded.X, dense(loaded.Y).astype(int)
    for rows, split in units:
        if rows != "all" and int(rows) > 2 * len(Y) // 3:
            continue
        data = labelled(X, Y, rows, split)
        for method in REDUCERS:
            if (name, rows, str(split), method) not in done:
                start = time.process_time()
                with threadpool_limits(1):
                    row = attempted(name, rows, split, method, data)
                write(row, out)
                print(*row.values(), f"{time.process_time() - start:.1f} s", flush=True)


def write(row, out):
    new = not out.exists()
    with out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    main()
