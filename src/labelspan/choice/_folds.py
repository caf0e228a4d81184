"""All candidates on one fold: directions, projections, scores, measures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from labelspan.arrays import values_of
from labelspan.base import label_scores
from labelspan.choice._candidates import Candidates, Setting
from labelspan.choice._columns import (
    AllFeatures,
    columns_of,
    is_selector,
    moments_of,
    order_of,
    ranked,
)
from labelspan.choice._pool import Recipe, Shared, quiet
from labelspan.choice._readout import Training, buffer_for, readout_scores
from labelspan.choice._seeker import Seeker
from labelspan.gate import NoDirectionError, check_block
from labelspan.linalg import n_directions
from labelspan.moments import Moments, Sample, dask_blocks, mean_of, project, row_blocks
from labelspan.search import Fold, FoldScores, Judge


@dataclass(frozen=True)
class Nested:
    """Directions (D, k) of one setting, of which each candidate dimension keeps the first `counts`.

    Or selected columns (k,). `projected`: moments of the projected training rows, None if they must
    come from rows; `seconds`: time of the setting.
    """

    vectors: np.ndarray
    counts: list[int]
    projected: Moments | None
    seconds: float


@dataclass(frozen=True)
class Solved:
    """The directions of all settings on the training rows of a fold, whose mean is (D,)."""

    mean: np.ndarray
    nested: list[Nested]

    def project(self, X: Any, given: Any) -> np.ndarray:
        """Projections of rows on the directions of all settings, side by side, in float64.

        Selected columns are those of the rows as they were `given`, and not centred.
        """
        Z = np.empty((X.shape[0], self.columns()[-1].stop))
        kept = [each.vectors.ndim == 1 for each in self.nested]
        places = [np.arange(place.start, place.stop) for place in self.columns()]
        if not all(kept):
            of = np.concatenate([p for p, own in zip(places, kept, strict=True) if not own])
            directions = [each.vectors.T for each in self.nested if each.vectors.ndim == 2]
            Z[:, of] = project(X, self.mean, np.vstack(directions))
        for place, each in zip(self.columns(), self.nested, strict=True):
            if each.vectors.ndim == 1:
                Z[:, place] = columns_of(given, each.vectors)
        return Z

    def columns(self) -> list[slice]:
        """Columns of the projections of each setting among all."""
        ends = np.cumsum([each.vectors.shape[-1] for each in self.nested]).tolist()
        return [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]


def solve_fold(
    sample: Sample,
    given: Any,
    train: np.ndarray,
    pool: Shared | None,
    settings: Sequence[Setting],
    recipe: Recipe,
) -> Solved:
    """Directions of every setting: from pooled statistics, or by a fit to the training rows.

    Selectors read the rows as they were `given`, because a sample may be in other coordinates.
    """
    n_features = sample.X.shape[1]
    solved = []
    for i, setting in enumerate(settings):
        start = time.perf_counter()
        projected = None
        try:
            with quiet():
                if is_selector(setting.reducer):
                    rows = replace(sample, X=given)
                    vectors, projected = selected(setting.reducer, i, rows, train, pool, recipe)
                    values = np.ones(len(vectors))
                elif i in recipe.refitted and isinstance(setting.reducer, AllFeatures):
                    # As many directions as features would not fit; see `score_whole`.
                    values, vectors = np.zeros(0), np.zeros((n_features, 0))
                elif i in recipe.refitted:
                    reducer = clone(setting.reducer).fit(*sample.at(train))
                    values, vectors = reducer.eigenvalues_, reducer.components_.T
                else:
                    assert pool is not None
                    pairs = pool.directions(i, setting.reducer, recipe.ridge_free[i])
                    values, vectors = pairs.values, pairs.vectors
                    projected = pool.projected(vectors, recipe.ridge_free[i])
        except NoDirectionError:
            values, vectors = np.zeros(0), np.zeros((n_features, 0))
        counts = [kept_of(value, values, vectors.shape[-1]) for value in setting.dimensions]
        solved.append(Nested(vectors, counts, projected, time.perf_counter() - start))
    mean = mean_of(sample.X[train]) if pool is None else pool.moments.x_mean
    return Solved(mean, solved)


def selected(
    selector: Any, i: int, rows: Sample, train: np.ndarray, pool: Shared | None, recipe: Recipe
) -> tuple[np.ndarray, Moments | None]:
    """Columns that setting i selects, the best first, and their moments if they are pooled."""
    if i not in recipe.refitted:
        assert pool is not None
        columns = order_of(ranked(clone(selector), pool.own.get(i, pool.moments)))
        return columns, moments_of(pool.moments, columns)
    return order_of(fitted_to(selector, rows, train)), None


def fitted_to(selector: Any, rows: Sample, train: Any) -> Any:
    """A selector fitted to some of the rows."""
    X, Y, *weights = rows.at(train)
    given = {"sample_weight": weights[0]} if weights else {}
    return clone(selector).fit(X, Y, **given)


def kept_of(dimension: Any, values: np.ndarray, n_found: int) -> int:
    """How many of the directions that were found a candidate dimension keeps."""
    if isinstance(dimension, int) or n_found == 0:
        return min(int(dimension or 0), n_found)
    return n_directions(values, float(values.sum()), dimension)


def score_solved(
    solved: Solved,
    Z: np.ndarray,
    training: Sample | None,
    candidates: Candidates,
    judge: Judge,
    truth: Any,
    rows: Any,
    target: Any = None,
) -> FoldScores:
    """Measures of all candidates from the projections Z of the held-out rows.

    `training` are the projections of the training rows, `target` their labels, if they are needed.
    """
    n_points = len(candidates.points)
    measures: dict[str, np.ndarray] = {}
    fit_time, score_time, kept = (np.zeros(n_points) for _ in range(3))
    buffer = buffer_for(len(Z), judge.n_labels)
    zipped = zip(candidates.settings, solved.nested, solved.columns(), strict=True)
    for setting, nested, columns in zipped:
        places = setting.places
        fit_time[places] = nested.seconds / places.size
        kept[places] = np.array(nested.counts)[:, None]
        counts = sorted(set(nested.counts) - {0})
        mine = None if training is None else replace(training, X=training.X[:, columns])
        known = Training(nested.projected, mine, target)
        start = time.perf_counter()
        found = readout_scores(candidates.readouts, known, Z[:, columns], counts, buffer)
        for r, some, scores in found:
            # Dimensions beyond the available ones repeat the largest.
            kept_by = np.searchsorted(some, nested.counts)
            told = [i for i, k in enumerate(nested.counts) if k in some]
            for name, values in measured_by(judge, scores, rows, truth, r).items():
                shape = (n_points, *values.shape[1:])
                column = measures.setdefault(name, np.full(shape, np.nan))
                column[places[told, r]] = values[kept_by[told]]
        score_time[places] = (time.perf_counter() - start) / places.size
    return FoldScores(measures, fit_time, score_time, kept)


def measured_by(
    judge: Judge, scores: np.ndarray, rows: Any, truth: Any, place: int
) -> dict[str, np.ndarray]:
    """Measures (k,) of several scores, or (k, n_cuts) if thresholds are compared."""
    if judge.axis is not None:
        return judge.at_cuts(scores, rows, truth, place)
    found = judge.measure(scores, rows, truth, place=place)
    return {name: np.asarray(values) for name, values in found.items()}


def score_fold(
    sample: Sample,
    given: Any,
    fold: Fold,
    pool: Shared | None,
    candidates: Candidates,
    recipe: Recipe,
    judge: Judge,
    seeker: Seeker | None,
) -> FoldScores:
    """All candidates on one fold of rows in memory: held-out rows are read once."""
    train, test = fold
    solved = solve_fold(sample, given, train, pool, candidates.settings, recipe)
    Z, training = projected(sample.X, given, test, solved), None
    if recipe.projects_training:
        weights = None if sample.weights is None else sample.weights[train]
        Z_train = projected(sample.X, given, train, solved)
        training = Sample(Z_train, sample.Y[train], weights=weights)
    rows = sample.X[test] if judge.reads_rows else np.empty((len(test), 0))
    truth, target = judge.target[test], None
    if recipe.keeps_rows:
        target = judge.target[train]
        target = target.astype(np.int64) if target.dtype == bool else target
    found = score_solved(solved, Z, training, candidates, judge, truth, rows, target)
    for i in recipe.refitted:
        if isinstance(candidates.settings[i].reducer, AllFeatures):
            score_whole(found, sample, fold, candidates, i, judge, rows)
    if seeker is not None:
        assert training is not None
        pairs = [(Z[:, columns], training.X[:, columns]) for columns in solved.columns()]
        counts = [nested.counts for nested in solved.nested]
        shape = () if judge.axis is None else (len(judge.axis),)
        seeker.add(found, candidates, counts, pairs, fold, shape)
    return found


def score_whole(
    found: FoldScores,
    sample: Sample,
    fold: Fold,
    candidates: Candidates,
    i: int,
    judge: Judge,
    rows: Any,
) -> None:
    """Add the measures of readouts that are fitted to all features, setting i."""
    (train, test), truth = fold, judge.target[fold[1]]
    X, Y, *weights = sample.at(train)
    for r, place in enumerate(candidates.settings[i].places[0]):
        start = time.perf_counter()
        model = clone(candidates.readouts[r]).fit(X, Y, *weights)
        found.fit_time[place] = time.perf_counter() - start
        scores = label_scores(model, sample.X[test], judge.n_labels)[None]
        for name, values in measured_by(judge, scores, rows, truth, r).items():
            shape = (len(found.fit_time), *values.shape[1:])
            found.test.setdefault(name, np.full(shape, np.nan))[place] = values[0]
        if found.n_components is not None:
            found.n_components[place] = sample.X.shape[1]


def projected(X: Any, given: Any, rows: np.ndarray, solved: Solved) -> np.ndarray:
    """Projections of some rows; at most one block is copied at a time."""
    stored = np.broadcast_to(0.0, (len(rows), values_of(X).size // X.shape[0]))
    blocks = [rows[block] for block in row_blocks(stored)]
    Z = np.empty((len(rows), solved.columns()[-1].stop))
    stop = 0
    for block in blocks:
        start, stop = stop, stop + len(block)
        Z[start:stop] = solved.project(X[block], given[block])
    return Z


def held_out_projections(
    X: Any, tests: Sequence[np.ndarray], solved: Sequence[Solved]
) -> list[np.ndarray]:
    """Projections of the held-out rows of each fold, ascending, in one compute.

    Only these leave the workers: as many numbers per row as there are directions.
    """
    import dask

    project = dask.delayed(block_projections, pure=False)
    known = dask.delayed(list(solved), pure=False)
    masks = np.zeros((len(tests), X.shape[0]), dtype=bool)
    for mask, test in zip(masks, tests, strict=True):
        mask[test] = True
    pieces = dask.compute([project(b, masks[:, rows], known) for b, rows in dask_blocks(X)])[0]
    return [np.vstack(of_fold) for of_fold in zip(*pieces, strict=True)]


def block_projections(X: Any, masks: np.ndarray, solved: Sequence[Solved]) -> list[np.ndarray]:
    """Projections of the rows of one block that each fold holds out."""
    rows = check_block(X)
    return [each.project(rows[mask], rows[mask]) for mask, each in zip(masks, solved, strict=True)]
