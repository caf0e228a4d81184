"""Feature extraction against scikit-learn, SciPy and cca-zoo: ratios of fit times in one run.

usage: python benchmarks/bench_extraction.py        (LABELSPAN_DATA set)
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from scipy import linalg, sparse
from sklearn.cross_decomposition import CCA
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits
from timing import Comparison, benchmark_data, best_times, compare

import labelspan as ls


def training(name, dense=True):
    data = benchmark_data(name)
    rows = slice(None) if data.train is None or name == "rcv1subset1" else data.train
    X, Y = data.X[rows], data.Y[rows]
    if dense:
        X, Y = (A.toarray() if sparse.issparse(A) else A for A in (X, Y))
    return X, Y


def sparse_rows():
    for name, goal in (("rcv1subset1", 0.4), ("delicious", 0.7)):
        X, Y = training(name, dense=False)
        yield Comparison(
            f"MDDM on {name}",
            "sklearn TruncatedSVD(50)",
            goal,
            lambda X=X, Y=Y: ls.MDDM().fit(X, Y),
            lambda X=X: TruncatedSVD(50, random_state=0).fit(X),
        )
    X, Y = training("rcv1subset1", dense=False)
    yield Comparison(
        "MDDM(constraint='feature') on rcv1subset1",
        "sklearn PCA(50, arpack)",
        5.0,
        lambda: ls.MDDM(constraint="feature").fit(X, Y),
        lambda: PCA(50, svd_solver="arpack", random_state=0).fit(X),
        3,
    )


def dense_rows():
    for name in ("scene", "enron"):
        X, Y = training(name)
        yield Comparison(
            f"MDDM(constraint='feature') on {name}, dense",
            "scipy.linalg.eigh(A, B)",
            0.5,
            lambda X=X, Y=Y: ls.MDDM(constraint="feature").fit(X, Y),
            lambda X=X, Y=Y: by_eigh(X, Y),
        )
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5000, 2000))
    Y = (X[:, :20] + rng.standard_normal((5000, 20)) > 1).astype(int)
    yield Comparison(
        "MVMD(50) on 5000 x 2000",
        "sklearn PCA(50, covariance_eigh)",
        1.3,
        lambda: ls.MVMD(50).fit(X, Y),
        lambda: PCA(50, svd_solver="covariance_eigh").fit(X),
        2,
    )


def by_eigh(X, Y):
    """MDDM_f as its Eq. (17) reads: a D x D generalised eigenproblem."""
    Xc = X - X.mean(axis=0)
    C = Xc.T @ Y
    return linalg.eigh(C @ C.T, 0.5 * Xc.T @ Xc + 0.5 * np.eye(X.shape[1]))


def cca_rows():
    X, Y = training("enron")
    n_components = 50
    yield Comparison(
        "LabelCCA(50) on enron, dense",
        "sklearn CCA(50)",
        0.01,
        lambda: ls.LabelCCA(n_components).fit(X, Y),
        lambda: CCA(n_components).fit(X, Y),
        1,
    )
    try:
        from cca_zoo import linear as cca_zoo
    except ImportError:
        print("cca-zoo is not installed: pip install labelspan[bench]")
        return
    yield Comparison(
        "LabelCCA(50) on enron, dense",
        "cca-zoo CCA(50)",
        1 / 3,
        lambda: ls.LabelCCA(n_components).fit(X, Y),
        lambda: cca_zoo.CCA(n_components).fit([X, Y.astype(float)]),
    )


def growth():
    """Fit time against the number of rows: it should at most double when they do."""
    print("\nMDDM, sparse X with 2,000 features, 40 non-zeros and 5 of 100 labels per row")
    print(f"{'rows':>10}{'non-zeros':>14}{'seconds':>10}{'x previous':>12}")
    previous, reached = None, True
    for n in (25_000, 50_000, 100_000, 200_000, 400_000):
        X, Y = random_rows(n, 2000, 40), random_rows(n, 100, 5)
        Y.data[:] = 1.0
        with threadpool_limits(1):
            (seconds,) = best_times([lambda X=X, Y=Y: ls.MDDM(20).fit(X, Y)], 3)
        factor = seconds / previous if previous else float("nan")
        reached &= not factor > 2.3
        print(f"{n:>10}{X.nnz:>14}{seconds:>10.3f}{factor:>12.2f}", flush=True)
        previous = seconds
    return reached


def random_rows(n, n_columns, n_entries):
    """CSR with `n_entries` distinct columns in every row."""
    rng = np.random.default_rng(0)
    step = n_columns // n_entries
    columns = np.arange(n_entries) * step + rng.integers(0, step, (n, n_entries))
    indptr = np.arange(0, n * n_entries + 1, n_entries)
    data = rng.random(n * n_entries)
    return sparse.csr_array((data, columns.ravel(), indptr), shape=(n, n_columns))


def main():
    # scikit-learn's CCA does not converge on enron within its 500 iterations, and warns.
    warnings.simplefilter("ignore", ConvergenceWarning)
    reached = compare(row for rows in (sparse_rows, dense_rows, cca_rows) for row in rows())
    reached &= growth()
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
