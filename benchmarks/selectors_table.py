"""Which selector: micro-F1 and macro-F1 by selector, number of features and classifier.

usage: python benchmarks/selectors_table.py [--out FILE] [--seconds 10] [SET ...]

The protocol is that of docs/which_selector.md. A line per set, selector, number of features and
classifier is appended to the file as soon as it is known; what is there already is not done again.
The page is made from the file by selectors_page.py.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import labelspan as ls
from labelspan.datasets import load_dataset
from labelspan.metrics import macro_f1, micro_f1

SETS = (
    "emotions", "scene", "yeast", "image", "genbase", "medical", "gnegative-go", "enron",
    "slashdot", "yahoo-mlknn-arts", "yahoo-mlknn-business", "yahoo-mlknn-education",
    "yahoo-mlknn-health", "corel5k", "bibtex", "delicious", "human-go",
)  # fmt: skip
SIZES = (5, 10, 20, 50, 100)
MOST_ROWS = 1500
# Processor seconds after which a selector is given up on a set.
MOST_SECONDS = 10
CRITERIA = ("mim", "mrmr", "mdmr", "scls", "d2f", "pmu", "lrfs", "fimf", "grro")
READOUTS = {
    "ridge": ls.MultiOutputRidge(min_labels=1, threshold="auto"),
    "ML-kNN": ls.MLkNN(),
}
FIELDS = ("set", "selector", "n_features", "readout", "micro_f1", "macro_f1", "seconds")


def selectors(binning: str) -> dict[str, Any]:
    """The selectors by name."""
    found: dict[str, Any] = {
        name.upper() if name != "mrmr" else "mRMR": ls.InformationSelector(
            criterion=name, binning=binning
        )
        for name in CRITERIA
    }
    found["Fisher score"] = ls.MultilabelFisherScore()
    found["discriminative ratio"] = ls.DiscriminativeRatio()
    for each in (ls.MultiTaskSelector, ls.RFS, ls.MIFS, ls.MDFS, ls.LLSF):
        found[each.__name__] = each()
    for each in (ls.MLFS, ls.CMLFS):
        found[each.__name__] = each(random_state=0)
    return found


def rankings(selector: Any, X: Any, Y: Any, sizes: list[int]) -> tuple[dict[int, Any], float]:
    """Columns for each size, and the processor time of the fit for the largest."""
    size = next((name for name in ("n_features", "k") if hasattr(selector, name)), None)
    # What these learn depends on the size; the other selectors are nested.
    depends = isinstance(selector, ls.MultiTaskSelector | ls.MLFS | ls.CMLFS)
    each = sizes if depends else sizes[-1:]
    found: dict[int, Any] = {}
    for n_features in each:
        start = time.process_time()
        given = {} if size is None else {size: n_features}
        fitted = clone(selector).set_params(**given).fit(X, Y)
        seconds = time.process_time() - start
        found[n_features] = np.argsort(fitted.ranking_, kind="stable")
    return {n: found.get(n, found[each[-1]])[:n] for n in sizes}, seconds


def within(seconds: int, call: Any, *given: Any) -> Any:
    """The result of a call in a process of its own; None if it takes more processor seconds."""
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe(duplex=False)

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        theirs.send(call(*given))

    process = context.Process(target=work)
    process.start()
    theirs.close()
    try:
        return mine.recv()
    except EOFError:
        return None
    finally:
        process.join()


def prepared(name: str) -> tuple[Any, Any, Any, Any]:
    """At most MOST_ROWS rows of each part, columns on one scale, labels with training rows."""
    data = load_dataset(name)
    rng = np.random.default_rng(0)
    train, test = data.train, data.test
    if train is None:
        order = rng.permutation(data.X.shape[0])
        train, test = order[: len(order) // 2], order[len(order) // 2 :]
    rows = [
        np.sort(rng.permutation(np.arange(data.X.shape[0])[part])[:MOST_ROWS])
        for part in (train, test)
    ]
    X, Y = ([sparse.csr_array(A)[part] for part in rows] for A in (data.X, data.Y))
    if X[0].nnz > 0.3 * np.prod(X[0].shape):
        scaler: Any = StandardScaler()
        X = [A.toarray() for A in X]
    else:
        scaler = MaxAbsScaler()
    X[0] = scaler.fit_transform(X[0])
    X[1] = scaler.transform(X[1])
    Y = [np.asarray(A.toarray(), dtype=np.int64) for A in Y]
    kept = Y[0].any(axis=0)
    return X[0], Y[0][:, kept], X[1], Y[1][:, kept]


def dense(X: Any) -> np.ndarray:
    """A dense array of few columns."""
    return X.toarray() if sparse.issparse(X) else X


def main() -> None:
    """Append what the file lacks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("selectors.csv"))
    parser.add_argument("--seconds", type=int, default=MOST_SECONDS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    done = set()
    if given.out.exists():
        with given.out.open(encoding="utf-8", newline="") as file:
            done = {(row["set"], row["selector"]) for row in csv.DictReader(file)}
    else:
        given.out.write_text(",".join(FIELDS) + "\n", encoding="utf-8")
    for name in given.sets:
        X, Y, X_test, Y_test = prepared(name)
        sizes = [size for size in SIZES if size < X.shape[1]]
        binning = "presence" if sparse.issparse(X) else "width"
        for title, selector in selectors(binning).items():
            if (name, title) in done:
                continue
            found = within(given.seconds, rankings, selector, X, Y, sizes)
            if found is None:
                print(f"{name}, {title}: given up", flush=True)
                continue
            columns, seconds = found
            with given.out.open("a", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                for size, kept in columns.items():
                    Z, Z_test = dense(X[:, kept]), dense(X_test[:, kept])
                    for readout, classifier in READOUTS.items():
                        predicted = clone(classifier).fit(Z, Y).predict(Z_test)
                        scores = (measure(Y_test, predicted) for measure in (micro_f1, macro_f1))
                        numbers = [f"{score:.4f}" for score in scores]
                        writer.writerow([name, title, size, readout, *numbers, f"{seconds:.3f}"])
        print(name, "done", flush=True)


if __name__ == "__main__":
    main()
