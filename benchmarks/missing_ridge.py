"""Is the ridge that "auto" chooses right where labels are missing? Table of docs/missing.md.

Average precision on held-out rows of `MultiOutputRidge()` and of the best of ten fixed ridges in
hindsight. Of at most 800 training rows of a stratified split, labels are hidden at random: rows as
a whole, single entries, or both.

usage: LABELSPAN_DATA=... python benchmarks/missing_ridge.py [SET ...]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from auto_ridge import GRID, problems

from labelspan.classifiers import MultiOutputRidge
from labelspan.metrics import average_precision

SETS = ("emotions", "yeast", "image", "medical")
N_ROWS = 800
# Shares of rows without any label, and of entries of the others.
HIDDEN = ((0.8, 0.0), (0.0, 0.3), (0.0, 0.7), (0.6, 0.5))


def hide(Y, rows, entries, random):
    """NaN in some rows, and in some entries; labels that are left without a row are left out."""
    holes = (random.random(len(Y)) < rows)[:, None] | (random.random(Y.shape) < entries)
    Y = np.where(holes, np.nan, Y)
    return Y, np.nansum(Y, axis=0) > 0


def judged(model, data):
    """Average precision of a fitted model on the held-out rows."""
    X, Y, held, truth = data
    scores = model.fit(X, Y).decision_function(held)
    return average_precision(truth, scores, undefined_rows="skip")


def main():
    """Print the table."""
    warnings.simplefilter("ignore")
    print("| set | rows, entries hidden | `auto` | best of ten |\n|---|---|---|---|")
    for name in sys.argv[1:] or SETS:
        X, Y, held, truth, unit = next(iter(problems(name, 1)))
        X, Y, random = X[:N_ROWS], Y[:N_ROWS].astype(float), np.random.default_rng(0)
        for rows, entries in HIDDEN:
            some, kept = hide(Y, rows, entries, random)
            data = X, some[:, kept], held, truth[:, kept]
            grid = [judged(MultiOutputRidge(unit * each), data) for each in GRID[6:26:2]]
            found = judged(MultiOutputRidge(), data)
            hidden = f"{rows:.0%}, {entries:.0%}"
            print(f"| {name} | {hidden} | {found:.3f} | {max(grid):.3f} |", flush=True)


if __name__ == "__main__":
    main()
