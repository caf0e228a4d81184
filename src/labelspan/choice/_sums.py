"""The squared error of held-out rows from their sums: they are not read again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelspan.arrays import regular_factor, solve_triangular
from labelspan.choice._candidates import Candidates
from labelspan.choice._folds import Solved, solve_fold
from labelspan.choice._pool import Recipe, Shared
from labelspan.choice._readout import first, regression
from labelspan.linalg import AUTO
from labelspan.moments import Moments, Sample
from labelspan.search import FoldScores


@dataclass(frozen=True)
class HeldOut:
    """Sums of held-out rows in some coordinates z, and of their labels t in {-1, +1}.

    `zz` (K, K), `zt` (K, q) and `tt`, the trace, about their means; `shift` (K,) and `level` (q,)
    are these means minus those of the training rows.
    """

    n_rows: float
    shift: np.ndarray
    level: np.ndarray
    zz: np.ndarray
    zt: np.ndarray
    tt: float

    def on(self, L: np.ndarray) -> HeldOut:
        """The same in the coordinates L^-1 z."""
        k = len(L)
        half, zt = solve_triangular(L, self.zz[:k, :k]), solve_triangular(L, self.zt[:k])
        shift, zz = solve_triangular(L, self.shift[:k]), solve_triangular(L, half.T)
        return HeldOut(self.n_rows, shift, self.level, zz, zt, self.tt)

    def error(self, W: np.ndarray) -> float:
        """Mean squared error of the scores W'z + mean, which the first len(W) coordinates give."""
        k, q = W.shape
        scatter = self.tt + np.vdot(W, self.zz[:k, :k] @ W - 2.0 * self.zt[:k])
        off = self.shift[:k] @ W - self.level
        return float(scatter + self.n_rows * (off @ off)) / (self.n_rows * q)


def errors(ridge: Any, training: Moments, held: HeldOut, counts: Sequence[int]) -> list[float]:
    """Errors of the ridge regression on the first k projections, for each k.

    In the coordinates of a Cholesky factor, a regression on k columns has the first k coefficients
    of that on all.
    """
    top = first(training, counts[-1])
    L = None if ridge == AUTO else regular_factor(top.xx, 1.0, ridge)
    if L is None:
        return [held.error(regression(ridge, training, k).coefficients()) for k in counts]
    W = solve_triangular(L, top.xt)
    if len(counts) == 1:
        return [held.error(solve_triangular(L, W, transposed=True))]
    held = held.on(L)
    return [held.error(W[:k]) for k in counts]


def score_from_sums(
    sample: Sample,
    given: Any,
    train: np.ndarray,
    pool: Shared,
    held_out: Shared,
    candidates: Candidates,
    recipe: Recipe,
    names: Sequence[str],
) -> FoldScores:
    """The negative errors of all candidates on one fold, under each of the names."""
    solved = solve_fold(sample, given, train, pool, candidates.settings, recipe)
    n_points = len(candidates.points)
    fit_time, score_time, kept = (np.zeros(n_points) for _ in range(3))
    score = np.full(n_points, np.nan)
    for i, (setting, nested) in enumerate(zip(candidates.settings, solved.nested, strict=True)):
        places, start = setting.places, time.perf_counter()
        fit_time[places] = nested.seconds / places.size
        kept[places] = np.array(nested.counts)[:, None]
        counts = sorted(set(nested.counts) - {0})
        if not counts:
            continue
        assert nested.projected is not None
        held = projected(held_out, pool, solved, i)
        for r, readout in enumerate(candidates.readouts):
            found = errors(readout.ridge, nested.projected, held, counts)
            for place, k in zip(places[:, r], nested.counts, strict=True):
                score[place] = -found[counts.index(k)] if k else np.nan
        score_time[places] = (time.perf_counter() - start) / places.size
    return FoldScores(dict.fromkeys(names, score), fit_time, score_time, kept)


def projected(held_out: Shared, pool: Shared, solved: Solved, i: int) -> HeldOut:
    """Sums of the held-out rows along the directions of setting i, about the training means."""
    P, m = solved.nested[i].vectors, held_out.moments.signed()
    shift = m.x_mean - pool.moments.x_mean
    if P.ndim == 1:
        zz, zt, shift = m.xx[np.ix_(P, P)], m.xt[P], shift[P]
    else:
        (zz, zt), shift = m.along(P), shift @ P
    level = m.t_mean - pool.moments.signed().t_mean
    return HeldOut(m.weight, shift, level, zz, zt, float(np.trace(m.tt)))
