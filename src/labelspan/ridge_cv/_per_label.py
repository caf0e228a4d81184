"""Labels of which some are not observed: each is learnt from the rows where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelspan.linalg import patterns
from labelspan.moments import Moments
from labelspan.ridge_cv._candidates import map_of
from labelspan.ridge_cv._leave_one_out import Features, Kernel, Linear
from labelspan.ridge_cv._row_sample import Training
from labelspan.ridge_cv._scaling import Scaling


@dataclass(frozen=True)
class Part:
    """The labels that are observed in the same rows, and the space of these rows."""

    labels: np.ndarray
    rows: np.ndarray
    space: Features | Kernel

    @classmethod
    def of(cls, data: Training, labels: np.ndarray, rows: np.ndarray, scaling: Scaling) -> Part:
        """Decompose the rows: their columns, or their inner products if these are fewer."""
        X, w = data.X[rows], None if data.weights is None else data.weights[rows]
        T = 2.0 * data.Y[np.ix_(rows, labels)] - 1.0
        if data.sums.moments.xx is not None:
            moments = Moments.of(scaling.rows(X), T, w, tt=False)
            return cls(labels, rows, Features.of(moments, scaling))
        Z = scaling(X)
        return cls(labels, rows, Kernel.of(map_of("linear", Z), Z, T, w, scaling.scale))


@dataclass(frozen=True)
class PartLeftOut:
    """What gives left-out scores of some rows for each ridge; NaN where a label is not observed."""

    parts: list[tuple[Any, Callable[[float], np.ndarray]]]
    shape: tuple[int, int]

    def __call__(self, ridge: float) -> np.ndarray:
        """Scores (m, q)."""
        L = np.full(self.shape, np.nan)
        for at, of_part in self.parts:
            L[at] = of_part(ridge)
        return L


@dataclass(frozen=True)
class PerLabel:
    """A linear ridge for each label; `mean` is the one that the model is about."""

    parts: list[Part]
    n_labels: int
    mean: np.ndarray

    @classmethod
    def of(cls, data: Training, scaling: Scaling) -> PerLabel:
        """Decompose the rows of each pattern of observed labels; one eigenproblem each."""
        parts = []
        for labels in patterns(data.Y):
            rows = np.flatnonzero(~np.isnan(data.Y[:, labels[0]]))
            if len(rows):
                parts.append(Part.of(data, labels, rows, scaling))
        mean = np.asarray(scaling.rows(data.X).mean(axis=0), dtype=np.float64).ravel()
        return cls(parts, data.Y.shape[1], mean)

    @property
    def values(self) -> np.ndarray:
        """Eigenvalues of all parts."""
        return np.concatenate([part.space.values for part in self.parts])

    @property
    def null(self) -> float:
        """Share of the largest of them up to which they may be rounding."""
        return min(part.space.null for part in self.parts)

    def left_out(self, X: Any, at: Any, T: np.ndarray, weights: np.ndarray | None) -> PartLeftOut:
        """Left-out scores of the training rows `at` for each ridge."""
        found = []
        for part in self.parts:
            places = np.flatnonzero(np.isin(at, part.rows, assume_unique=True))
            own, cells = np.searchsorted(part.rows, at[places]), np.ix_(places, part.labels)
            w = None if weights is None else weights[places]
            found.append((cells, part.space.left_out(X[part.rows], own, T[cells], w)))
        return PartLeftOut(found, T.shape)

    def all_left_out(
        self, X: Any, T: np.ndarray, weights: np.ndarray | None, ridge: float
    ) -> np.ndarray:
        """Left-out scores (n, q) of all rows."""
        L = np.full(T.shape, np.nan)
        for part in self.parts:
            at = np.ix_(part.rows, part.labels)
            w = None if weights is None else weights[part.rows]
            L[at] = part.space.all_left_out(X[part.rows], T[at], w, ridge)
        return L

    def model(self, ridge: float) -> Linear:
        """All labels about one mean; a label that is never observed has the score -1."""
        W, level = np.zeros((len(self.mean), self.n_labels)), np.full(self.n_labels, -1.0)
        for part in self.parts:
            own = part.space.model(ridge)
            assert isinstance(own, Linear)
            W[:, part.labels] = own.W
            level[part.labels] = own.level + (self.mean - own.mean) @ own.W
        return Linear(W, self.mean, level)
