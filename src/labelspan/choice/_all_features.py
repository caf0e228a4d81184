"""No reduction, as a candidate among reducers."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.extraction import MVMD
from labelspan.linalg import EigenPairs, Pencil


class AllFeatures(MVMD):
    """Every feature as a direction of its own."""

    def __init__(self, n_components: Any = None):
        super().__init__(n_components, beta=0.0)

    def _directions(self, statistics: Any, pencil: Pencil) -> EigenPairs:
        D = len(statistics.x_mean)
        return EigenPairs(np.ones(D), np.eye(D))

    def _project(self, X: Any) -> Any:
        return X
