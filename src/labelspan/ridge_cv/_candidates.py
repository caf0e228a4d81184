"""The settings that are tried: ridges, scalings, kernels and their widths; their table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.stats import rankdata

from labelspan.arrays import dense, rows_at
from labelspan.kernels import KernelMap, kernel_map
from labelspan.linalg import rank, units_of
from labelspan.ridge_cv._row_sample import median_of_pairs

# Ridges in units of the mean eigenvalue.
GRID = np.geomspace(1e-6, 1e3, 28)
# Widths of the RBF kernel in units of the median squared distance of two rows.
WIDTHS = (0.25, 1.0, 4.0)
SCALINGS = ("range", "standard", "rows")
# Rows beyond which a kernel is spanned by landmarks, and their number.
MOST_ROWS, N_LANDMARKS = 3000, 2000


def check_ridges(ridges: Any) -> None:
    """Refuse ridges other than finite positive numbers."""
    if isinstance(ridges, str):
        return
    numbers = np.asarray(ridges, dtype=np.float64)
    wrong = numbers[~(np.isfinite(numbers) & (numbers > 0))]
    if numbers.ndim != 1 or len(numbers) == 0 or len(wrong):
        what = f"holds {wrong[0]:g}" if len(wrong) else f"has shape {numbers.shape}"
        raise ValueError(
            f"ridges {what}; allowed is a list of one or more finite numbers > 0, or 'auto'."
        )


def grid_of(values: Any, most: int | None, null: float) -> np.ndarray:
    """Ridges for eigenvalues of a scatter, of which `most` are not zero; None: count them.

    Those up to `null` of the largest may be rounding.
    """
    values = np.sort(dense(values))[::-1]
    if most is not None:
        return GRID * (float(values.sum()) / most or 1.0)
    # Directions in which the rows do not vary count for nothing.
    most = max(rank(values, len(values)), 1) if null else len(values)
    unit = float(values.sum()) / most or 1.0
    return np.unique(np.outer(units_of(values, np.ones_like(values), unit, null), GRID))


def map_of(kernel: str, rows: Any) -> KernelMap:
    """A kernel against all rows, which are scaled."""
    settings = SimpleNamespace(kernel=kernel, gamma=1.0, degree=3, coef0=1, kernel_params=None)
    return kernel_map(settings, rows)


def widths_of(map_: KernelMap, at: Any, multiples: Sequence[float]) -> list[float | None]:
    """Widths of an RBF kernel, multiples of the median squared distance of some rows."""
    if map_.kernel == "linear":
        return [None]
    unit = median_of_pairs(rows_at(map_.rows, at))
    return [unit * multiple for multiple in multiples]


def at_width(map_: KernelMap, width: float | None) -> KernelMap:
    """The kernel of another width."""
    return map_ if width is None else replace(map_, parameters={"gamma": 1.0 / width})


def table_of(points: list[dict[str, Any]], scores: np.ndarray) -> dict[str, Any]:
    """``cv_results_``: parameters, criterion and rank of each point."""
    columns = {
        f"param_{name}": np.ma.MaskedArray([point[name] for point in points], dtype=object)
        for name in points[0]
    }
    worst = np.where(np.isnan(scores), -np.inf, scores)
    ranks = rankdata(-worst, method="min").astype(np.int32)
    return {**columns, "params": points, "mean_test_score": scores, "rank_test_score": ranks}
