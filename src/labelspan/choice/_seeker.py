"""Measures of search: the nearest training rows of the held-out rows, by cosine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.choice._candidates import Candidates
from labelspan.choice._columns import AllFeatures
from labelspan.gate import Labels, refuse_holes
from labelspan.metrics import SearchMeasure, nearest
from labelspan.search import Fold, FoldScores

# Held-out rows of a fold that ask.
N_QUERIES = 2000


@dataclass(frozen=True)
class Seeker:
    """Measures by name, the rows as they are, and their labels (n, q)."""

    measures: Mapping[str, SearchMeasure]
    X: Any
    Y: Any

    @classmethod
    def of(cls, measures: Mapping[str, SearchMeasure], X: Any, labels: Labels) -> Seeker | None:
        """Without measures there is none."""
        if not measures:
            return None
        refuse_holes(labels.Y, "a measure of search", "rows are relevant by all their labels")
        Y = sparse.csr_array(labels.Y > 0)
        if labels.classes is not None and Y.shape[1] == 1:
            # Of two classes, rows of the first also have something in common.
            Y = sparse.csr_array(np.hstack([Y.toarray(), ~Y.toarray()]))
        return cls(measures, X, Y)

    def asking(self, test: np.ndarray) -> np.ndarray:
        """Places of the held-out rows that ask: those with labels, evenly spaced."""
        labelled = np.flatnonzero(np.diff(self.Y.indptr)[test])
        if len(labelled) <= N_QUERIES:
            return labelled
        return labelled[np.linspace(0, len(labelled) - 1, N_QUERIES).astype(np.int64)]

    def add(
        self,
        found: FoldScores,
        candidates: Candidates,
        counts: list[list[int]],
        projections: list[tuple[np.ndarray, np.ndarray]],
        fold: Fold,
        shape: tuple[int, ...],
    ) -> None:
        """Add the measures of each setting, `shape` times each, to those of a fold.

        `counts` are its numbers of dimensions, `projections` those of held-out and training rows.
        """
        train, test = fold
        asking = self.asking(test)
        for name in self.measures:
            found.test[name] = np.full((len(candidates.points), *shape), np.nan)
        for setting, of_setting, (Z, T) in zip(
            candidates.settings, counts, projections, strict=True
        ):
            start, known = time.perf_counter(), {}
            for places, k in zip(setting.places, of_setting, strict=True):
                if isinstance(setting.reducer, AllFeatures):
                    # Their cosines are those of the rows, whose mean is not subtracted.
                    Z, T, k = self.X[test], self.X[train], self.X.shape[1]
                if k not in known:
                    known[k] = self.measured(Z[asking, :k], T[:, :k], test[asking], train)
                for name, value in known[k].items():
                    found.test[name][places] = value
            found.score_time[setting.places] += (time.perf_counter() - start) / setting.places.size

    def measured(self, Z: Any, T: Any, queries: np.ndarray, index: np.ndarray) -> dict[str, float]:
        """Measures of held-out rows Z among training rows T."""
        if not len(queries) or not T.shape[1]:
            return {}
        near = nearest(Z, T, max(measure.k for measure in self.measures.values()))
        own, of_index = self.Y[queries], self.Y[index]
        return {name: each(own, of_index, near) for name, each in self.measures.items()}
