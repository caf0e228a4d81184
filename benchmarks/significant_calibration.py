"""How often n_components="significant" keeps too many directions, and how often it finds all.

    python benchmarks/significant_calibration.py [--runs 3000] [--rows 300]

X has 10 independent uniform columns of different scales; 6 labels are 1 with the probability 0.5 +
strength * sum_a x_a u_a for 0 to 3 directions u_a, orthonormal and at random. "Too many" is the
family-wise error at .05. Beside them, on canonical correlations: Bartlett and Lawley's chi-square,
and parallel analysis (each eigenvalue above the 95 % quantile of that of 99 orders of the rows).
The steps are those of the estimators without the checks of their input, which would take most of
the time: the tests compare both. Writes significant.csv, of which inference_page.py makes the
tables of docs/inference.md.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import stats

from labelspan.linalg import partial_least_squares
from labelspan.linalg.permutation import by_scores, by_singular_vectors, step_down

METHODS = ("MDDM", "OPLS", "LabelCCA", "LabelPLS")
RESULTS = Path(__file__).with_name("significant.csv")
# The ridge of OPLS and LabelCCA.
RIDGE = 1.0
# Directions that are always found, and directions that are found sometimes: (true, strength).
CELLS = ((0, 0.0), (1, 0.45), (2, 0.45), (3, 0.45), (1, 0.25), (2, 0.25), (3, 0.25))


def drawn(rng, n, n_true, strength, D=10, q=6):
    scales = np.linspace(1.5, 1, D)
    X = rng.uniform(-1, 1, size=(n, D))
    U = np.linalg.qr(rng.normal(size=(q, q)))[0][:, :n_true]
    P = np.clip(0.5 + strength * X[:, :n_true] @ U.T, 0, 1)
    return X * scales, (rng.random((n, q)) < P).astype(float)


def squared_correlations(X, Y):
    bases = (np.linalg.qr(A - A.mean(axis=0))[0] for A in (X, Y))
    Q, R = bases
    return np.linalg.svd(Q.T @ R, compute_uv=False) ** 2


def bartlett_lawley(X, Y, alpha=0.05):
    """Lawley's correction of Bartlett's test that the correlations after the first k are zero."""
    (n, p), q, r = X.shape, Y.shape[1], squared_correlations(X, Y)
    for k in range(len(r)):
        factor = n - 1 - k - (p + q + 1) / 2 + np.sum(1 / r[:k])
        chi = -factor * np.sum(np.log(1 - r[k:]))
        if stats.chi2.sf(chi, (p - k) * (q - k)) > alpha:
            return k
    return len(r)


def parallel_analysis(X, Y, rng, n_draws=99):
    r = squared_correlations(X, Y)
    Q = np.linalg.qr(X - X.mean(axis=0))[0]
    R = np.linalg.qr(Y - Y.mean(axis=0))[0]
    null = [
        np.linalg.svd(Q.T @ R[rng.permutation(len(R))], compute_uv=False) for _ in range(n_draws)
    ]
    above = r > np.quantile(np.array(null) ** 2, 0.95, axis=0)
    return len(r) if above.all() else int(np.argmin(above))


def kept(X, Y, rng):
    """How many directions each method keeps."""
    A, T = X - X.mean(axis=0), Y - Y.mean(axis=0)
    W = np.linalg.solve(np.linalg.cholesky(A.T @ A + RIDGE * np.eye(A.shape[1])), A.T).T
    values, vectors = np.linalg.eigh(T.T @ T)
    pls = partial_least_squares(lambda v: A.T @ (A @ v), A.T @ T, T.shape[1])
    pairs = (
        by_singular_vectors(A, T),
        by_singular_vectors(W, T),
        by_singular_vectors(W, T @ vectors / np.sqrt(values + RIDGE / 4)),
        by_scores(A, T, A @ pls.R, pls.C, None),
    )
    return [int(np.count_nonzero(step_down(steps, 0.05, rng) <= 0.05)) for steps in pairs]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--rows", type=int, default=300)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [*METHODS, "Bartlett-Lawley", "parallel analysis"]
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["true", "strength", "rows", "runs", "method", "too_many", "all_found"])
        for cell, (n_true, strength) in enumerate(CELLS):
            rng = np.random.default_rng(cell)
            counts = np.zeros((given.runs, len(names)))
            for run in range(given.runs):
                X, Y = drawn(rng, given.rows, n_true, strength)
                counts[run] = *kept(X, Y, rng), bartlett_lawley(X, Y), parallel_analysis(X, Y, rng)
            for name, column in zip(names, counts.T, strict=True):
                rates = [f"{np.mean(hit):.4f}" for hit in (column > n_true, column >= n_true)]
                lines.writerow([n_true, strength, given.rows, given.runs, name, *rates])
            file.flush()


if __name__ == "__main__":
    sys.exit(main())
