"""Chunks for classifiers that learn from one regression."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from labelspan.base._chunked import Chunked
from labelspan.base._classifier import remember
from labelspan.gate import Labels, check_square
from labelspan.linalg import chunk_statistics, route_of
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

    def _summarise(self, sample: Sample) -> Any:
        return chunk_statistics(sample, shared=self._shared, tt=self._scatter)

    def _remember(self, labels: Labels) -> None:
        remember(self, labels)

    def _known_classes(self) -> np.ndarray | None:
        return self.classes_ if self._one_dimensional else None
