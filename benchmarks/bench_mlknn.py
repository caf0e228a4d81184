"""ML-kNN on delicious against scikit-multilearn-ng and a bare neighbour search.

    LABELSPAN_DATA=... OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/bench_mlknn.py

Fit on the training part and predict the test part, k = 10. The bare search is scikit-learn's
``NearestNeighbors``: neighbours among the training rows and of the test rows, nothing else.
Seconds are CPU seconds, so that other work on the machine does not decide the ratio.
`--skip-peer` leaves out scikit-multilearn-ng, which takes minutes.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from labelspan.classifiers import MLkNN
from labelspan.datasets import load_dataset


def clock(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def ours(X, Y, X_test):
    return MLkNN(10).fit(X, Y).predict(X_test)


def bare(X, X_test):
    search = NearestNeighbors(n_neighbors=10).fit(X)
    return search.kneighbors(), search.kneighbors(X_test)


def peer(X, Y, X_test):
    from skmultilearn.adapt import MLkNN as Peer

    model = Peer(k=10, s=1.0).fit(sparse.lil_matrix(X), sparse.lil_matrix(Y))
    return model.predict(sparse.lil_matrix(X_test)).toarray()


def main(arguments):
    data = load_dataset("delicious")
    X, Y = sparse.csr_array(data.X), sparse.csr_array(data.Y)
    X, Y, X_test = X[data.train], Y[data.train], X[data.test]
    seconds = {}
    for form, convert in {"sparse": lambda A: A, "dense": lambda A: A.toarray()}.items():
        rows, test = convert(X), convert(X_test)
        ours(rows[:200], Y[:200], test[:10])  # compile
        seconds[form], predicted = clock(lambda a=rows, b=test: ours(a, Y, b))
        search, _ = clock(lambda a=rows, b=test: bare(a, b))
        print(
            f"{form}: {seconds[form]:.2f} s, bare search {search:.2f} s, "
            f"{seconds[form] / search:.2f} of it"
        )
    # Every cell of the rows is filled, so that the search by matrix products is timed too.
    rng = np.random.default_rng(0)
    full, test = X.toarray() + rng.random(X.shape), X_test.toarray() + rng.random(X_test.shape)
    ours(full[:200], Y[:200], test[:10])
    product, _ = clock(lambda: ours(full, Y, test))
    search, _ = clock(lambda: bare(full, test))
    print(f"no zeros: {product:.2f} s, bare search {search:.2f} s, {product / search:.2f} of it")
    if "--skip-peer" not in arguments:
        theirs, expected = clock(lambda: peer(X, Y, X_test))
        print(
            f"scikit-multilearn-ng: {theirs:.1f} s, {theirs / seconds['sparse']:.0f} times ours; "
            f"predictions agree on {np.mean(expected == predicted):.4%} of the cells"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
