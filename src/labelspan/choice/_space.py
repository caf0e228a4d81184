"""What reducers read: scaled rows, or kernel functions of landmarks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.arrays import cast, is_dask_array, precision_of
from labelspan.gate import Labels, has_holes
from labelspan.kernels import KernelMap
from labelspan.linalg import rank
from labelspan.ridge_cv import WIDTHS, MultilabelRidgeCV, Scaling

# Landmarks of a kernel, and fewer to find out whether it pays, and which widths: the average
# precision of left-out scores is no more than this below that of the columns, or the best width.
N_LANDMARKS, N_FIRST, CLOSE = 600, 150, 0.01
# Rows up to which all of them span a regression on more columns than rows.
MOST_ROWS = 3000


@dataclass(frozen=True)
class Space:
    """Features for reducers, from checked rows: scaled, or kernel values against landmarks.

    `root` (m, r) makes the kernel functions orthonormal; `ridge`: a good one for a regression on
    all features, if known; `n_reads`: how often the rows were read to find all this.
    """

    kernel: str = "linear"
    scaling: Scaling | None = None
    ridge: float | None = None
    map_: KernelMap | None = None
    root: np.ndarray | None = None
    n_reads: int = 0

    def features(self, X: Any) -> Any:
        """Features of the rows, in their precision."""
        if self.scaling is None:
            return X
        Z = self.scaling(X)
        if self.map_ is not None:
            assert self.root is not None
            Z = self.map_.values(Z) @ self.root
        return cast(Z, precision_of(X))


def spaces_of(X: Any, labels: Labels, kernel: str, scale: Any, *, default: bool) -> Iterator[Space]:
    """The spaces to search; `default`: "auto" stands for what left-out scores find.

    They choose the scaling, the ridge, and the width of the kernel. With missing labels, and for
    Dask arrays, rows stay as they are.
    """
    if is_dask_array(X) or has_holes(labels.Y) or not default:
        kernel = "linear" if kernel == "auto" else kernel
        scale = None if scale == "auto" else scale
        if kernel == "linear" and scale is None:
            yield Space()
            return
    given = X, labels.target, labels.weights
    n_landmarks = N_LANDMARKS if X.shape[0] > MOST_ROWS else "auto"
    settings = {"kernel": "linear", "scale": scale, "n_landmarks": n_landmarks}
    columns = MultilabelRidgeCV(**settings).fit(*given)
    if kernel != "rbf":
        yield Space("linear", scaling_of(columns), columns.ridge_, n_reads=2)
    settings = {"kernel": "rbf", "scale": columns.scaling_}
    model = MultilabelRidgeCV(**settings, n_landmarks=N_LANDMARKS)
    if kernel == "auto":
        first = MultilabelRidgeCV(**settings, n_landmarks=N_FIRST).fit(*given)
        kernel = "rbf" if first.best_score_ >= columns.best_score_ - CLOSE else "linear"
        model._multiples = promising(first.cv_results_)
    if kernel == "rbf":
        yield landmarks(model.fit(*given))


def promising(results: dict[str, Any]) -> tuple[float, ...]:
    """The widths whose best score is close to that of the best width."""
    best: dict[float, float] = {}
    for point, score in zip(results["params"], results["mean_test_score"], strict=True):
        best[point["width"]] = np.fmax(best.get(point["width"], -np.inf), score)
    least = max(best.values()) - CLOSE
    return tuple(w for w, score in zip(WIDTHS, best.values(), strict=True) if score >= least)


def landmarks(model: MultilabelRidgeCV) -> Space:
    """The space of a kernel regression on landmarks."""
    map_ = model._map
    values, vectors = linalg.eigh(map_.compare(map_.rows), check_finite=False)
    r = rank(values[::-1], len(values))
    root = vectors[:, -r:] / np.sqrt(values[-r:])
    return Space("rbf", scaling_of(model), model.ridge_, map_, root, n_reads=4)


def scaling_of(model: MultilabelRidgeCV) -> Scaling | None:
    """The scaling that a model found best; None if it leaves rows as they are."""
    if model.scaling_ is None:
        return None if model.kernel_ == "linear" else Scaling(np.ones_like(model.scale_))
    return Scaling(model.scale_, model.low_ if model.scaling_ == "rows" else None)
