"""How often the intervals of bootstrap contain the eigenvalues of the population.

    python benchmarks/bootstrap_coverage.py [--runs 1000] [--rows 1000]

X has 6 independent normal columns; labels are 1 where a linear score with noise is positive. The
eigenvalues of the population, per row, are those of 2,000,000 rows. Writes bootstrap_coverage.csv,
of which inference_page.py makes a table of docs/inference.md: the coverage of 95 % intervals of the
first two eigenvalues, those of the result, reflected ones and percentiles.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import numpy as np

from labelspan import MDDM, OPLS, LabelCCA
from labelspan.inspection import bootstrap

RESULTS = Path(__file__).with_name("bootstrap_coverage.csv")
KINDS = ("result", "reflected", "percentile")
# Eigenvalues per row^power do not depend on the number of rows.
MODELS = {
    "MDDM": (MDDM(2), 2),
    "OPLS": (OPLS(2, ridge=1.0), 1),
    "LabelCCA": (LabelCCA(2, ridge=1.0, label_ridge=1.0), 0),
}


def drawn(rng, n):
    X = rng.normal(size=(n, 6)) * [2.0, 1.5, 1, 1, 1, 1]
    scores = np.column_stack([X[:, 0], 0.7 * X[:, 1], X[:, 0] + 0.3 * X[:, 2], 0.2 * X[:, 3]])
    return X, (scores + rng.normal(size=(n, 4)) > 0.3).astype(float)


def covers(found, known):
    """Whether each kind of interval contains each eigenvalue, (3, 2)."""
    low, high = np.quantile(found.resampled, [0.025, 0.975], axis=0)
    own = found.eigenvalues
    kinds = (found.intervals.T, (2 * own - high, 2 * own - low), (low, high))
    return np.array([(a <= known) & (known <= b) for a, b in kinds])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--rows", type=int, nargs="*", default=[1000])
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    X, Y = drawn(rng, 2_000_000)
    truth = {n: m.fit(X, Y).eigenvalues_[:2] / len(X) ** p for n, (m, p) in MODELS.items()}
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["rows", "runs", "reducer", "interval", "first", "second"])
        for n in given.rows:
            hits = {name: np.zeros((3, 2)) for name in MODELS}
            for run in range(given.runs):
                X, Y = drawn(rng, n)
                for name, (model, power) in MODELS.items():
                    found = bootstrap(model.fit(X, Y), X, Y, random_state=run)
                    hits[name] += covers(found, truth[name] * n**power)
            for name, count in hits.items():
                for kind, rates in zip(KINDS, count / given.runs, strict=True):
                    lines.writerow([n, given.runs, name, kind, *(f"{v:.3f}" for v in rates)])
            file.flush()


if __name__ == "__main__":
    sys.exit(main())
