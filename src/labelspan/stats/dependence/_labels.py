"""The test of each label: by enumeration, by draws or by its moments, as its rows require."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from labelspan.arrays import densified
from labelspan.linalg.permutation import (
    FEWEST_EFFECTIVE,
    N_SAMPLED,
    add_one,
    exceeds,
    null_moments,
    of_columns,
    upper_tail,
)
from labelspan.stats.dependence._draws import (
    of_sets_by_gram,
    of_sets_by_rows,
    pair_share,
    permuted,
    row_sets,
    statistic_of,
)
from labelspan.stats.dependence._features import Features, centred_rows, row_work, weighted_mean
from labelspan.stats.dependence._result import LabelDependence
from labelspan.stats.dependence._rows import Rows

# Rows that stand for all if they cannot be fetched one by one.
N_FETCHED = 5000
# A small p-value is drawn again, so many times as often: the error of the draws is the same in all
# labels of one size, and in all data with these rows. Without a Gram matrix, within this work.
SMALL, MORE, WORK = 0.1, 19, 2**29
# Draws that are summed at a time.
TOGETHER = 2**14


@dataclass
class Found:
    """P-values of the labels, their sources, and the smallest ones possible."""

    p_values: np.ndarray
    method: np.ndarray
    smallest: np.ndarray

    def keep(self, places: Any, p: Any, method: str, smallest: Any = 0.0) -> None:
        self.p_values[places], self.method[places], self.smallest[places] = p, method, smallest


def test_labels(
    rows: Rows,
    features: Features,
    statistic: np.ndarray,
    n_draws: int,
    alpha: float,
    rng: np.random.Generator,
) -> LabelDependence:
    """Test each column of the labels, which are filled in where they were missing."""
    Y, q = rows.Y, rows.Y.shape[1]
    side = of_columns(Y)
    found = Found(np.ones(q), np.full(q, "constant", dtype=object), np.ones(q))
    varies = side.T / Y.shape[0] > 1e-12
    effective = np.minimum(side.effective_rows, features.side.effective_rows)
    few = fewer_rows(Y)
    # Labels of a few rows are tested by sums over these rows alone.
    rare = varies & (few > 0) & (few < FEWEST_EFFECTIVE)
    others = varies & ~rare & (effective < FEWEST_EFFECTIVE)
    smooth = varies & ~rare & ~others
    tails = upper_tail(statistic, null_moments(features.side, side))
    found.keep(smooth, tails[smooth], "pearson3")
    test_rare(rows, features, few, np.flatnonzero(rare), statistic, n_draws, rng, found)
    if others.any():
        columns = Y[:, np.flatnonzero(others)]
        columns = columns if features.K is None else densified(columns)
        squares = statistic_of(rows, features.mean, features.K)
        drawn = permuted(columns, squares, n_draws, None, rng)
        p = add_one(exceeds(drawn, statistic[others]).sum(axis=0), n_draws)
        found.keep(others, p, "permutation", 1 / (n_draws + 1))
    names = tuple(str(k) for k in range(q)) if rows.names is None else tuple(map(str, rows.names))
    if len(names) != q:
        # Two classes share a column, that of the second.
        names = names[-q:]
    adjusted = benjamini_hochberg(found.p_values)
    methods = tuple(found.method.tolist())
    return LabelDependence(
        names, statistic, found.p_values, adjusted, methods, found.smallest, alpha
    )


def test_rare(
    rows: Rows,
    features: Features,
    few: np.ndarray,
    rare: np.ndarray,
    statistic: np.ndarray,
    n_draws: int,
    rng: np.random.Generator,
    found: Found,
) -> None:
    """Labels of fewer than 30 rows: enumerate sets of one or two rows, draw larger ones."""
    K, lengths = features.K, features.lengths
    sizes: dict[int, list[int]] = {}
    for label in rare:
        size, least = int(few[label]), statistic[label] * (1 - 1e-10)
        if size == 1:
            largest = lengths >= lengths.max() * (1 - 1e-10)
            found.keep(label, np.mean(lengths >= least), "exact", np.mean(largest))
        elif size == 2 and K is not None:
            found.keep(label, *exact_pairs(K, least))
        else:
            sizes.setdefault(size, []).append(label)
    if not sizes:
        return
    sets, again = Sets.of(rows, features, rng), {}
    for size, drawn in sets.drawn(sizes, n_draws, rng).items():
        labels = np.array(sizes[size])
        above = exceeds(drawn[:, None], statistic[labels]).sum(axis=0)
        found.keep(labels, add_one(above, n_draws), "draws", 1 / (n_draws + 1))
        small = found.p_values[labels] <= SMALL
        if small.any():
            again[size] = labels[small], above[small]
    work = 1 if K is not None or rows.quick else row_work(rows.X, rows.shape)
    n_more = min(MORE * n_draws, WORK // (max(again, default=1) * work))
    for size, drawn in sets.drawn(again, n_more, rng).items():
        labels, above = again[size]
        above = above + exceeds(drawn[:, None], statistic[labels]).sum(axis=0)
        total = n_draws + n_more
        found.keep(labels, add_one(above, total), "draws", 1 / (total + 1))


def exact_pairs(K: np.ndarray, least: float) -> tuple[float, str, float]:
    share, most = pair_share(K, least)
    return share, "exact", most


@dataclass(frozen=True)
class Sets:
    """Numbers of rows that sets are drawn from, and the squared lengths of sums over such sets."""

    n: int
    lengths: Callable[[np.ndarray], np.ndarray]

    @classmethod
    def of(cls, rows: Rows, features: Features, rng: np.random.Generator) -> Sets:
        """Those of all rows, or of some that stand for them."""
        n, X, w = rows.shape[0], rows.X, rows.weights
        if features.K is not None:
            return cls(n, partial(of_sets_by_gram, features.K))
        if rows.quick or not rows.in_memory:
            most = N_SAMPLED if rows.quick else N_FETCHED
            places = np.sort(rng.choice(n, min(n, most), replace=False))
            X, w, n = rows.at(places), None if w is None else w[places], len(places)
        mean = weighted_mean(X, w) if features.mean is None else features.mean
        if not rows.quick:
            return cls(n, partial(of_sets_by_rows, X, w, mean))
        A = centred_rows(X, mean, w)
        return cls(n, partial(of_sets_by_gram, A @ A.T))

    def drawn(
        self, sizes: Collection[int], n_draws: int, rng: np.random.Generator
    ) -> dict[int, np.ndarray]:
        """Squared lengths of sums of rows drawn at random, for each number of rows."""
        order = sorted(sizes)
        found = np.empty((n_draws, len(order)))
        for start in range(0, n_draws if order else 0, TOGETHER):
            stop = min(start + TOGETHER, n_draws)
            sets = row_sets(self.n, order[-1], stop - start, rng)
            found[start:stop] = self.lengths(sets)[:, np.array(order) - 1]
        return dict(zip(order, found.T, strict=True))


def fewer_rows(Y: Any) -> np.ndarray:
    """Rows that have each label, or lack it if these are fewer; 0 for other numbers than 0/1."""
    counts, squares = (np.asarray(A.sum(axis=0)).ravel() for A in (Y, Y * Y))
    # Labels lie between 0 and 1, and only 0 and 1 are their own squares.
    few = np.rint(np.minimum(counts, Y.shape[0] - counts)).astype(np.int64)
    return np.where(counts - squares > 1e-9, 0, few)


def benjamini_hochberg(p_values: np.ndarray) -> np.ndarray:
    """Adjusted p-values: the smallest false discovery rate at which each is rejected."""
    q = len(p_values)
    order = np.argsort(-p_values, kind="stable")
    stepped = np.minimum.accumulate(p_values[order] * q / np.arange(q, 0, -1))
    adjusted = np.empty(q)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
