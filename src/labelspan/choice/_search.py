"""The two passes of a search: statistics of the parts, then scores of the held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from numbers import Integral
from operator import add
from typing import Any

import numpy as np
from joblib import delayed

from labelspan.arrays import is_dask_array
from labelspan.choice._candidates import Candidates, candidates_of
from labelspan.choice._columns import is_selector
from labelspan.choice._folds import held_out_projections, score_fold, score_solved, solve_fold
from labelspan.choice._neighbours import first_of_equal_rows
from labelspan.choice._pool import Recipe, Shared, recipe_of
from labelspan.choice._readout_kinds import check_threshold
from labelspan.choice._seeker import Seeker
from labelspan.choice._space import Space
from labelspan.choice._sums import score_from_sums
from labelspan.classifiers import MLkNN
from labelspan.gate import (
    Labels,
    check_label_block,
    check_splits,
    has_holes,
    label_tags,
    refuse_holes,
)
from labelspan.linalg import Route, is_large_sparse, route_of
from labelspan.model_selection import MultilabelStratifiedKFold
from labelspan.moments import Sample, checked, collect_parts
from labelspan.search import (
    Fold,
    FoldScores,
    Judge,
    Parts,
    on_folds,
    parts_of,
    search_measures,
)


@dataclass(frozen=True)
class Search:
    """A search over checked rows: labels in memory, folds with ascending row numbers."""

    X: Any
    labels: Labels
    folds: Sequence[Fold]
    candidates: Candidates
    recipe: Recipe
    judge: Judge
    space: Space
    seeker: Seeker | None

    @cached_property
    def route(self) -> Route:
        """Coordinates of the statistics; those of the row space if X is wide."""
        if len(self.recipe.refitted) == len(self.candidates.settings):
            return Route(Sample(self.X, self.labels.Y, weights=self.labels.weights), "own")
        route = route_of(
            self.X,
            self.labels.Y,
            self.labels.weights,
            advice="Select features first.",
            thin=False,
            ridge_free=any(self.recipe.ridge_free),
        )
        compares = self.seeker is not None or isinstance(self.candidates.readouts[0], MLkNN)
        if route.wide is None or not compares:
            return route
        # Neighbours at equal distances are taken in order, which rounding would change.
        Z = route.sample.X[first_of_equal_rows(self.X)]
        return replace(route, sample=replace(route.sample, X=Z))

    @cached_property
    def parts(self) -> Parts:
        """The parts that training sets consist of."""
        return parts_of(self.folds, self.X.shape[0])

    @cached_property
    def pools(self) -> dict[int, Shared]:
        """Statistics of the parts: the first pass."""
        sample = self.route.sample
        return collect_parts(
            sample.X, sample.Y, self.recipe.statistic(sample.X), self.parts.number, sample.weights
        )

    def pooled(self) -> Shared:
        """Statistics of all rows."""
        pool: Shared = self.parts.pooled(self.pools)
        checked(pool.moments)
        return pool

    @property
    def n_passes(self) -> int:
        """How often the rows are read, apart from the refit."""
        pooled = len(self.recipe.refitted) < len(self.candidates.settings)
        return (self.held_out is None) + pooled + len(self.recipe.refitted) * len(self.folds)

    @cached_property
    def held_out(self) -> list[np.ndarray] | None:
        """The parts that each fold holds out, if their sums tell the measures; else None."""
        plain = self.labels.weights is None and not self.recipe.projects_training
        if not (plain and self.judge.by_sums) or self.route.solver == "own":
            return None
        return self.parts.held_out(self.folds)

    def scores(self, n_jobs: int | None, verbose: int) -> list[FoldScores]:
        """Measures of every candidate on every fold: the second pass."""
        if self.route.solver == "own":
            training: list[Any] = [None] * len(self.folds)
        else:
            training = self.parts.training_sums(self.pools)
        if self.held_out is not None:
            of_fold = self._from_sums(training, self.held_out)
        elif is_dask_array(self.X):
            of_fold = self._streamed(training)
        else:
            of_fold = self._in_memory(training)
        return on_folds(of_fold, len(self.folds), n_jobs, verbose > 0)

    def _from_sums(self, training: list[Any], held_out: list[np.ndarray]) -> Any:
        for (train, _), pool, parts in zip(self.folds, training, held_out, strict=True):
            held = reduce(add, (self.pools[p] for p in parts.tolist()))
            given = self.route.sample, self.X, train, pool, held, self.candidates, self.recipe
            yield delayed(score_from_sums)(*given, list(self.judge.scorer))

    def _in_memory(self, training: list[Any]) -> Any:
        for fold, pool in zip(self.folds, training, strict=True):
            yield delayed(score_fold)(
                self.route.sample,
                self.X,
                fold,
                pool,
                self.candidates,
                self.recipe,
                self.judge,
                self.seeker,
            )

    def _streamed(self, training: list[Any]) -> Any:
        tests = [test for _, test in self.folds]
        solved = [
            solve_fold(
                self.route.sample, self.X, train, pool, self.candidates.settings, self.recipe
            )
            for (train, _), pool in zip(self.folds, training, strict=True)
        ]
        projections = held_out_projections(self.X, tests, solved)
        for each, Z, test in zip(solved, projections, tests, strict=True):
            truth, no_rows = self.judge.target[test], np.empty((len(test), 0))
            yield delayed(score_solved)(each, Z, None, self.candidates, self.judge, truth, no_rows)


def search_in(space: Space, source: Any, X: Any, labels: Labels, folds: list[Fold]) -> Search:
    """The search in one space, with the parameters of a ReducerCV."""
    X = space.features(X)
    shape = min(len(train) for train, _ in folds), X.shape[1], labels.Y.shape[1]
    given, pools = (source.reducers, source.n_components, source.readout), not is_large_sparse(X)
    sought = search_measures(source.scoring)
    seeks = bool(sought)
    candidates = candidates_of(*given, shape, space.ridge, few=not pools, seeks=seeks)
    holes = has_holes(labels.Y)
    if holes:
        refuse_missing(candidates, labels.Y)
    refuse_kernels(candidates, space)
    # Wide rows in memory are reduced to their row space, which has no columns to select.
    sums = is_dask_array(X) or X.shape[0] >= X.shape[1]
    recipe = recipe_of(candidates, shape, pools=pools, sums=sums, holes=holes, seeks=seeks)
    if is_dask_array(X):
        refuse_rows(recipe, candidates)
    seeker = Seeker.of(sought, X, labels)
    threshold = source.threshold
    check_threshold(threshold, candidates.readouts[0])
    cut = threshold == "auto"
    judge = Judge.of(source.scoring, candidates.readouts, labels, cut=cut)
    judge = judge if isinstance(threshold, str) else judge.at(float(threshold))
    return Search(X, labels, folds, candidates, recipe, judge, space, seeker)


def points_of(searches: Sequence[Search]) -> list[dict[str, Any]]:
    """The candidates of all searches, with their kernels if there are several."""
    if len(searches) == 1:
        return searches[0].candidates.points
    return [
        {"kernel": search.space.kernel, **point}
        for search in searches
        for point in search.candidates.points
    ]


def place_in(searches: Sequence[Search], index: int) -> tuple[Search, int]:
    """The search of a candidate, and its place among the candidates of this search."""
    for search in searches:
        n_points = len(search.candidates.points)
        if index < n_points:
            return search, index
        index -= n_points
    raise IndexError(index)


def folds_of(cv: Any, X: Any, labels: Labels, groups: Any) -> list[Fold]:
    """The folds, their rows ascending; a number stands for stratified ones."""
    if isinstance(cv, Integral):
        cv = MultilabelStratifiedKFold(int(cv))
    target, weights = labels.target, labels.weights
    if is_dask_array(X) and weights is not None and not weights.all():
        # Otherwise rows of weight 0 have already been removed.
        numbers = np.flatnonzero(weights)
        rows = np.empty((len(numbers), 0))
        folds = check_splits(cv, rows, target[numbers], weights > 0, groups=groups)
        folds = [(numbers[train], numbers[test]) for train, test in folds]
    else:
        folds = check_splits(cv, X, target, labels.kept, groups=groups)
    for i, (train, _) in enumerate(folds):
        times = np.bincount(train)
        if times.max() > 1:
            raise ValueError(
                f"Fold {i} of cv trains on row {times.argmax()} {times.max()} times; "
                "statistics of parts are pooled, so each row counts once. Drop the copies."
            )
    return [(np.sort(train), np.sort(test)) for train, test in folds]


def in_memory(labels: Labels) -> Labels:
    """Labels in memory, because splits and scorers need them."""
    if not is_dask_array(labels.Y):
        return labels
    return replace(labels, Y=check_label_block(labels.Y.compute()))


def refuse_missing(candidates: Candidates, Y: Any) -> None:
    """Refuse reducers that need every label."""
    for setting in candidates.settings:
        refused = label_tags(setting.reducer).refused
        if "missing_labels" in refused:
            refuse_holes(Y, type(setting.reducer).__name__, refused["missing_labels"])


def refuse_kernels(candidates: Candidates, space: Space) -> None:
    """Refuse selectors of kernel functions."""
    kept = [s.reducer for s in candidates.settings if is_selector(s.reducer)]
    if kept and space.kernel != "linear":
        raise ValueError(
            f"kernel={space.kernel!r} leaves no columns to {type(kept[0]).__name__}; set "
            "kernel='linear', or leave selectors out."
        )


def refuse_rows(recipe: Recipe, candidates: Candidates) -> None:
    """Refuse candidates that need the rows themselves if X is a Dask array."""
    needing = [type(candidates.settings[i].reducer).__name__ for i in recipe.refitted]
    if recipe.seeks:
        needing.append("a measure of search")
    if recipe.projects_training:
        name = needing[0] if needing else type(candidates.readouts[0]).__name__
        raise TypeError(
            f"X is a Dask array, but {name} needs the rows in memory. Leave it out, or compute X "
            "first: X.compute()."
        )
