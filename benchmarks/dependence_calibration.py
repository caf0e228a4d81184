"""How often the dependence test rejects labels that were permuted: levels .05 and .01.

    LABELSPAN_DATA=... python benchmarks/dependence_calibration.py [--draws 20000] [SET ...]

The moments of a permuted set are those of the set, so a draw costs one product with X. "set/w" has
weights of rows drawn from an exponential distribution, "set/n" its first n rows; "x3" repeats each
row's features three times, with labels of other rows. Prints the tables of docs/inference.md.
"""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

from labelspan.arrays import densified
from labelspan.datasets import load_dataset
from labelspan.linalg.permutation import (
    FEWEST_EFFECTIVE,
    add_one,
    null_moments,
    of_columns,
    upper_tail,
)
from labelspan.stats.dependence._dependence import by_moments, filled, pose
from labelspan.stats.dependence._draws import permuted, statistic_of
from labelspan.stats.dependence._labels import draws_of_sizes, fewer_rows
from labelspan.stats.dependence._rows import rows_of

SETS = (
    "yeast",
    "enron",
    "medical",
    "genbase",
    "emotions/w",
    "yahoo-mlknn-arts/w",
    "bibtex",
    "scene x3",
)
LEVELS = (0.05, 0.01)


def load(name):
    """Features, labels and weights of a set."""
    rng = np.random.default_rng(1)
    plain, _, how = name.replace(" ", "/").partition("/")
    data = load_dataset(plain)
    X, Y = data.X, densified(data.Y).astype(float)
    weights = rng.exponential(size=len(Y)) if how == "w" else None
    if how == "x3":
        places = np.repeat(rng.choice(len(Y), 700, replace=False), 3)
        X, Y = X[places], Y[rng.permutation(len(Y))[: len(places)]]
    return X, Y, weights


def tails_of_labels(rows, features, rng, n_draws):
    """A function from statistics (draws, q) to p-values, and the labels by their source."""
    Y = rows.Y
    side = of_columns(Y)
    few, effective = fewer_rows(Y), np.minimum(side.effective_rows, features.side.effective_rows)
    null = null_moments(features.side, side)
    rare = (few > 0) & (few < FEWEST_EFFECTIVE)
    sizes = sorted(set(few[rare].tolist()) - {1})
    drawn = draws_of_sizes(rows, features, sizes, n_draws, rng) if sizes else {}
    smooth = (side.T > 1e-9) & ~rare & (effective >= FEWEST_EFFECTIVE)

    def p_values(statistics):
        p = np.ones(statistics.shape)
        p[:, smooth] = np.array([upper_tail(row, null) for row in statistics])[:, smooth]
        for label in np.flatnonzero(rare):
            size = int(few[label])
            s = statistics[:, label] * (1 - 1e-10)
            if size == 1:
                known = np.sort(features.lengths)
                p[:, label] = 1 - np.searchsorted(known, s) / len(known)
            elif size == 2 and features.K is not None:
                continue
            else:
                known = np.sort(drawn[size])
                p[:, label] = add_one(len(known) - np.searchsorted(known, s), len(known))
        return p

    return p_values, smooth, rare


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=20000)
    parser.add_argument("sets", nargs="*", default=SETS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        "| set | rows | method | effective rows | .05 | .01 | labels by tails: worst .05 | .01 "
        "| mean .05 | .01 | rare labels: worst .05 | .01 |"
    )
    for name in arguments.sets:
        X, Y, weights = load(name)
        rng = np.random.default_rng(0)
        rows = rows_of(X, Y, weights, None)
        rows = rows.__class__(**{**vars(rows), "Y": filled(rows.Y, None)})
        posed = pose(rows, "linear", None, rng)
        tried, result = by_moments(posed, rng)
        features = posed.features
        squares = statistic_of(rows, posed.mean, None)
        drawn = permuted(rows.Y, squares, arguments.draws, None, rng)
        total, cells = drawn.sum(axis=1), []
        if result is None:
            cells = [tried.trouble.split(" rows")[0] + " rows: permutations", "", ""]
        else:
            null = type(
                "N",
                (),
                {
                    "mean": result.null_mean,
                    "variance": result.null_std**2,
                    "skewness": result.null_skewness,
                },
            )
            p = upper_tail(total, null)
            cells = [
                f"{result.method}, {result.third_moment}",
                *(f"{np.mean(p <= a):.4f}" for a in LEVELS),
            ]
        p_values, smooth, rare = tails_of_labels(rows, features, rng, 9999)
        p = p_values(drawn)
        rates = np.array([(p <= a).mean(axis=0) for a in LEVELS])
        for part, statistics in ((smooth, ("max", "mean")), (rare, ("max",))):
            for what in statistics:
                cells += [f"{getattr(np, what)(r[part]):.4f}" if part.any() else "" for r in rates]
        effective = f"{float(features.side.effective_rows):.0f}"
        print(
            f"| {name} | {X.shape[0]} | {cells[0]} | {effective} | " + " | ".join(cells[1:]) + " |",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
