"""The test of a description: of all rows if that is quick, of some of them otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.arrays import rows_at
from labelspan.linalg.permutation import FEWEST_EFFECTIVE
from labelspan.stats.dependence._dependence import filled, pose, tested
from labelspan.stats.dependence._features import row_work
from labelspan.stats.dependence._result import DependenceResult
from labelspan.stats.dependence._rows import Rows

# Products of numbers in some tenths of a second; the largest side of a matrix that is cubed.
WORK, MOST_SIDE = 2**31, 2000
# Random draws where tails do not hold, and the fewest rows for them.
N_DRAWS, FEWEST_ROWS = 199, 200


def quick_test(X: Any, Y: Any, names: Any, alpha: float = 0.05) -> DependenceResult:
    """Test all labels and each, from validated arrays; `n_rows` of the result were read.

    X is finite, dense or CSR; Y has 0 and 1, and NaN where labels are not observed.
    """
    rng = np.random.default_rng(0)
    per_row, D = row_work(X, X.shape), X.shape[1]
    most = WORK // (per_row * D) if D <= MOST_SIDE else MOST_SIDE
    posed = pose(some(X, Y, names, most, rng), "linear", None, rng)
    features = posed.features
    if features is not None and features.side.effective_rows < FEWEST_EFFECTIVE:
        most = max(int((WORK / N_DRAWS / Y.shape[1]) ** 0.5), FEWEST_ROWS)
        posed = pose(some(X, Y, names, most, rng), "linear", None, rng)
    return tested(posed, "moments", N_DRAWS, alpha, rng, per_label=True)


def some(X: Any, Y: Any, names: Any, most: int, rng: np.random.Generator) -> Rows:
    """All rows, or `most` of them at random, in their order."""
    n = X.shape[0]
    if most < n:
        places = np.sort(rng.choice(n, most, replace=False))
        X, Y = rows_at(X, places), Y[places]
    return Rows(X, filled(Y, None), None, X.shape, names, quick=True)
