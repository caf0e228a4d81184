"""Ranking SVMs, feature selection and feature scores, in ratios to a peer in the same run.

usage: LABELSPAN_DATA=folder python benchmarks/bench_ranking.py
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from labelspan.datasets import load_dataset
from labelspan.ranking import LaRankSVM
from labelspan.selection import CMLFS, DiscriminativeRatio, MultilabelFisherScore


def best_of(function, repeats=3):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def arts():
    """yahoo-mulan-arts as the papers prepare it: 7441 x 17973 x 19, TF-IDF, unit rows."""
    data = load_dataset("yahoo-mulan-arts")
    X = sparse.csr_array(data.X).astype(float)
    Y = data.Y.toarray() if sparse.issparse(data.Y) else np.asarray(data.Y)
    Y = Y[:, Y.sum(axis=0) >= 100]
    X, Y = X[Y.sum(axis=1) > 0], Y[Y.sum(axis=1) > 0]
    X = X[:, np.flatnonzero((X != 0).sum(axis=0) >= 5)]
    X = sparse.csr_array(normalize(TfidfTransformer(smooth_idf=False, norm=None).fit_transform(X)))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, Y.astype(int)


def against_svc(X, Y):
    print("LaRankSVM to a gap of 1e-2, against one-vs-rest LinearSVC(hinge); limit 1.0")
    print(f"{'rows':>6} {'C':>4} {'LaRank s':>9} {'SVC s':>8} {'ratio':>6} {'gap':>8}")
    for n in (1000, len(Y)):
        for C in (1.0, 10.0):
            ours, model = best_of(
                lambda n=n, C=C: LaRankSVM(C=C, tol=1e-2, random_state=0).fit(X[:n], Y[:n])
            )
            svc = OneVsRestClassifier(LinearSVC(loss="hinge", C=C, random_state=0))
            peer, _ = best_of(lambda n=n, svc=svc: svc.fit(X[:n], Y[:n]), 1 if n > 1000 else 3)
            gap = 1 - model.dual_objective_ / model.primal_objective_
            print(f"{n:6d} {C:4g} {ours:9.3f} {peer:8.3f} {ours / peer:6.2f} {gap:8.1e}")


def against_larank(X, Y):
    print("\nCMLFS(n_features=1000), against one LaRankSVM fit, both tol=1e-3; limit 30")
    X, Y = X[:1000], Y[:1000]
    print(
        f"{'C':>4} {'mu':>5} {'CMLFS s':>8} {'LaRank s':>9} {'ratio':>6} {'planes':>7} {'stat':>8}"
    )
    for C in (1.0, 10.0):
        peer, _ = best_of(lambda C=C: LaRankSVM(C=C, random_state=0).fit(X, Y))
        for mu in (0.1, 1.0, 10.0):
            model = CMLFS(1000, C=C, mu=mu, random_state=0)
            ours, model = best_of(lambda model=model: model.fit(X, Y))
            print(
                f"{C:4g} {mu:5g} {ours:8.3f} {peer:9.3f} {ours / peer:6.1f} "
                f"{model.n_planes_:7d} {model.stationarity_:8.1e}"
            )


def scores():
    print("\nFeature scores of the 983 labels of delicious, against X.T @ Y; limit 3")
    data = load_dataset("delicious")
    X, Y = sparse.csr_array(data.X).astype(float), sparse.csr_array(data.Y).astype(float)
    product, _ = best_of(lambda: X.T @ Y, 5)
    for score in (MultilabelFisherScore(k=50), DiscriminativeRatio(k=50)):
        ours, _ = best_of(lambda score=score: score.fit(X, Y), 5)
        print(
            f"{type(score).__name__:22} {ours:.3f} s, X.T @ Y {product:.3f} s: {ours / product:.2f}"
        )


def random_problem(n, q, rng, per_row=3):
    X = sparse.random_array((n, 2000), density=0.02, rng=rng, format="csr")
    Y = np.zeros((n, q), dtype=int)
    Y[np.arange(n)[:, None], rng.integers(0, q, (n, per_row))] = 1
    return X, Y


def growth():
    print("\nTime of 10 sweeps, random sparse rows; per row and per pair")
    print(f"{'rows':>7} {'labels':>7} {'pairs':>9} {'s':>7} {'us/row':>7} {'us/pair':>8}")
    rng = np.random.default_rng(0)
    sizes = [(n, 20) for n in (1000, 2000, 4000, 8000, 16000)]
    sizes += [(4000, q) for q in (10, 50, 100, 200)]
    for n, q in sizes:
        X, Y = random_problem(n, q, rng)
        model = LaRankSVM(tol=1e-12, max_iter=10, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seconds, model = best_of(lambda model=model, X=X, Y=Y: model.fit(X, Y))
        pairs = model.n_pairs_
        print(
            f"{n:7d} {q:7d} {pairs:9d} {seconds:7.3f} {1e6 * seconds / n:7.1f} "
            f"{1e6 * seconds / pairs:8.3f}"
        )


def main():
    LaRankSVM(random_state=0).fit(np.eye(2), np.eye(2))  # compile
    CMLFS(1, random_state=0).fit(np.eye(2), np.eye(2))
    growth()
    if not os.environ.get("LABELSPAN_DATA"):
        print("\nLABELSPAN_DATA is not set: the benchmarks on real data are left out")
        return
    warnings.simplefilter("ignore")
    X, Y = arts()
    against_svc(X, Y)
    against_larank(X, Y)
    scores()


if __name__ == "__main__":
    main()
