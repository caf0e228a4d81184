"""How often the dependence test rejects labels that were permuted: levels .05 and .01.

    LABELSPAN_DATA=... python benchmarks/dependence_calibration.py [--draws 20000] [SET ...]

The moments of a permuted set are those of the set, so a draw costs one product with X. "/w" has
weights of rows drawn from an exponential distribution; "/x3" repeats each row's features three
times, with labels of other rows. Writes dependence.csv, of which inference_page.py makes a table of
docs/inference.md.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from pathlib import Path

import numpy as np

from labelspan.arrays import densified
from labelspan.datasets import load_dataset
from labelspan.linalg.permutation import (
    FEWEST_EFFECTIVE,
    Null,
    add_one,
    null_moments,
    of_columns,
    upper_tail,
)
from labelspan.stats.dependence._dependence import by_moments, pose
from labelspan.stats.dependence._draws import permuted, statistic_of
from labelspan.stats.dependence._labels import MORE, Sets, fewer_rows
from labelspan.stats.dependence._rows import rows_of

RESULTS = Path(__file__).with_name("dependence.csv")
SETS = ("yeast", "enron", "medical", "genbase", "emotions/w", "scene/x3")
LEVELS, N_DRAWS = (0.05, 0.01), 9999
COLUMNS = (
    "set", "rows", "draws", "third moment", "all .05", "all .01", "tail labels",
    "worst tail .05", "worst tail .01", "rare labels", "worst rare .05", "worst rare .01",
)  # fmt: skip


def load(name):
    """Features, labels and weights of a set."""
    rng = np.random.default_rng(1)
    plain, _, how = name.partition("/")
    data = load_dataset(plain)
    X, Y = data.X, densified(data.Y).astype(float)
    weights = rng.exponential(size=len(Y)) if how == "w" else None
    if how == "x3":
        places = np.repeat(rng.choice(len(Y), 700, replace=False), 3)
        X, Y = X[places], Y[rng.permutation(len(Y))[: len(places)]]
    return X, Y, weights


def p_values_of_labels(rows, features, rng):
    """A function from statistics (draws, q) to p-values, and the labels by their source."""
    side = of_columns(rows.Y)
    few = fewer_rows(rows.Y)
    effective = np.minimum(side.effective_rows, features.side.effective_rows)
    null = null_moments(features.side, side)
    rare = (few > 0) & (few < FEWEST_EFFECTIVE)
    smooth = (side.T > 1e-9) & ~rare & (effective >= FEWEST_EFFECTIVE)
    # Those that decide about p-values up to .1.
    sets = Sets.of(rows, features, rng)
    known = sets.drawn(set(few[rare].tolist()), N_DRAWS * (1 + MORE), rng)
    known = {size: np.sort(lengths) for size, lengths in known.items()}

    def p_values(statistics):
        p = np.ones(statistics.shape)
        p[:, smooth] = np.array([upper_tail(row, null) for row in statistics])[:, smooth]
        for label in np.flatnonzero(rare):
            least = statistics[:, label] * (1 - 1e-10)
            lengths, exact = known[int(few[label])], enumerated(features, few[label])
            lengths = lengths if exact is None else exact
            above = len(lengths) - np.searchsorted(lengths, least)
            p[:, label] = add_one(above, len(lengths)) if exact is None else above / len(lengths)
        return p

    return p_values, smooth, rare


def enumerated(features, size):
    """Lengths of all sums of one or two rows, ascending; None for more rows."""
    lengths, K = features.lengths, features.K
    if size == 2:
        i, j = np.triu_indices(len(K), 1)
        lengths = lengths[i] + lengths[j] + 2 * K[i, j]
    return np.sort(lengths) if size < 3 else None


def rates_of(name, n_draws):
    """A line of the table."""
    X, Y, weights = load(name)
    rng = np.random.default_rng(0)
    rows = rows_of(X, Y, weights, None)
    posed = pose(rows, "linear", None, rng)
    result = by_moments(posed, rng)[1]
    drawn = permuted(rows.Y, statistic_of(rows, posed.mean, None), n_draws, None, rng)
    null = Null(result.null_mean, result.null_std**2, result.null_skewness)
    p = upper_tail(drawn.sum(axis=1), null)
    cells = [result.third_moment, *(f"{np.mean(p <= a):.4f}" for a in LEVELS)]
    p_values, smooth, rare = p_values_of_labels(rows, posed.features, rng)
    p = p_values(drawn)
    rates = np.array([(p <= a).mean(axis=0) for a in LEVELS])
    for part in (smooth, rare):
        worst = [f"{r[part].max():.4f}" if part.any() else "" for r in rates]
        cells += [np.count_nonzero(part), *worst]
    return [name, rows.shape[0], n_draws, *cells]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=20000)
    parser.add_argument("sets", nargs="*", default=SETS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for name in arguments.sets:
            lines.writerow(rates_of(name, arguments.draws))
            file.flush()


if __name__ == "__main__":
    sys.exit(main())
