"""Chunks for classifiers that learn from one regression."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from labelspan.base._chunked import Chunked
from labelspan.base._classifier import remember
from labelspan.gate import Labels, check_square
from labelspan.linalg import chunk_statistics, route_of, solver_that_fits, too_large
from labelspan.moments import Sample

# What to do about so many features that their scatter matrix does not fit.
ADVICE = (
    "Fit X in memory, or as a Dask array, which may be read more than once, or select features "
    "first."
)


class ChunkedRegression(Chunked):
    """Chunks for classifiers that learn from one regression of all labels on the features."""

    # Whether the eigenvectors that labels share, and the label scatter, will be needed.
    _shared: ClassVar[bool] = False
    _scatter: ClassVar[bool] = False
    _one_dimensional: bool
    classes_: np.ndarray

    @abstractmethod
    def _prices(self) -> tuple[float, ...]:
        """The ridges, but for factors; if one is zero, QR factors are kept."""

    def _chunk_solver(self, n_features: int, n_labels: int) -> str:
        if self._scatter:
            check_square(n_labels, "The label scatter matrix", "Fit X and y in memory instead.")
        return route_of(
            np.empty((0, n_features)),
            np.empty((0, n_labels)),
            advice=ADVICE,
            streamed=True,
            ridge_free=min(self._prices()) == 0,
        ).solver

    def _n_targets(self, n: int, D: int, q: int, sparse: bool) -> int:
        """Columns that are regressed on the features, for the cost model."""
        return q

    def _solver_for(self, n: int, D: int, q: int, sparse: bool) -> str:
        """The solver for rows in memory, for the cost model; refuses what ``fit`` refuses."""
        q, free = self._n_targets(n, D, q, sparse), min(self._prices()) == 0
        few = not (self._shared or too_large(D, q))
        needs = {"sparse": sparse, "streamed": False, "ridge_free": free, "few": few}
        return solver_that_fits(n, D, q, advice=ADVICE, **needs)

    def _iterated(self, solver: str, n: int, D: int, q: int) -> tuple[int, int, int]:
        """Length and number of vectors, see :class:`labelspan.base.LinearReducer`."""
        n_targets = self._n_targets(n, D, q, True)
        if solver == "products" and min(self._prices()) == 0 and n <= D:
            # Vectors of independent rows. Without a ridge the steps are more, and there is a test
            # of independence before them.
            return n, n_targets, 3
        return D, n_targets, 1

    def _solve_flops(self, side: int, n_labels: int, thin: bool) -> tuple[float, float]:
        """A factor, and a solution for each ridge; see :class:`labelspan.base.LinearReducer`."""
        return len(self._prices()) * (side**3 / 3 + 2.0 * side**2 * n_labels), 0.0

    def _summarise(self, sample: Sample) -> Any:
        return chunk_statistics(sample, shared=self._shared, tt=self._scatter)

    def _remember(self, labels: Labels) -> None:
        remember(self, labels)

    def _known_classes(self) -> np.ndarray | None:
        return self.classes_ if self._one_dimensional else None
