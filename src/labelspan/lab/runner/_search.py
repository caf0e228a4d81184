"""Parameters by cross-validation within the training part of a cell."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.kernels import kernel_path
from labelspan.lab.methods import UNITS, defaults, get_method, grid_of, measure_of
from labelspan.lab.plan import (
    OUTPUTS,
    Cell,
    Step,
    dense,
    learnt,
    loaded,
    made_preprocessing,
    made_step,
)
from labelspan.model_selection import MultilabelStratifiedKFold

#: Folds of the training part.
N_FOLDS = 3
# Differences in the last digits are rounding; then the earlier candidate wins.
DIGITS = 10
# Parameters that `kernel_path` cannot share.
WIDTH = "gamma"

#: A number and its unit.
Number = tuple[float, str]


@dataclass(frozen=True)
class Point:
    """A step at one point of its grid; `numbers` are the values that differ from the plan."""

    step: Step
    names: tuple[str, ...] = ()
    numbers: Mapping[str, Number] = field(default_factory=dict)

    def on(self, X: Any) -> Step:
        values = tuple((k, UNITS[unit](x, X)) for k, (x, unit) in self.numbers.items())
        return replace(self.step, parameters=(*self.step.parameters, *values))

    def record(self, step: Step) -> Iterator[list[Any]]:
        """Title of the step, parameter, value and how tables show it."""
        made = get_method(step.method).load()
        values = {**(defaults(made) if made else {}), **dict(step.parameters)}
        for name in self.names:
            value = values[name]
            shown = f"{value:g}" if isinstance(value, float) else repr(value)
            if name in self.numbers:
                number, unit = self.numbers[name]
                shown = f"{number:g}{unit}"
            yield [self.step.title, name, value, shown]


@dataclass(frozen=True)
class TunedSteps:
    reducer: Point
    classifier: Point


def points_of(step: Step) -> list[Point]:
    """All points of the grid of a step; the first is the plan's own."""
    grid = grid_of(get_method(step.method), dict(step.parameters))
    axes = [
        [(name, None), *((name, (number, item.unit)) for number in item.numbers)]
        for name, item in grid.items()
    ]
    return [
        Point(step, tuple(grid), {name: number for name, number in point if number is not None})
        for point in itertools.product(*axes)
    ]


def tuned_steps(cell: Cell, X: Any, Y: Any) -> TunedSteps:
    """Choose the parameters of a cell by its first measure in folds of its training part."""
    if not cell.tune:
        return TunedSteps(Point(cell.reducer), Point(cell.classifier))
    reducers, classifiers = points_of(cell.reducer), points_of(cell.classifier)
    if len(reducers) * len(classifiers) == 1:
        return TunedSteps(reducers[0], classifiers[0])
    folds = MultilabelStratifiedKFold(N_FOLDS, shuffle=True, random_state=cell.seed)
    search = Search(cell, reducers, classifiers)
    with warnings.catch_warnings():
        # Warnings of rejected candidates; the final fit issues its own.
        warnings.simplefilter("ignore")
        scores = np.array([search.scores(X, Y, fold) for fold in folds.split(X, Y)])
    place = best_place(scores, search.errors, cell.measures[0])
    return TunedSteps(reducers[place[0]], classifiers[place[1]])


def best_place(scores: np.ndarray, errors: Sequence[str], measure: str) -> tuple[int, int]:
    """Reducer and classifier of the best mean of scores (folds, reducers, classifiers).

    Larger is better, the first wins ties; NaN where a candidate failed or the measure is
    undefined.
    """
    # A fold on which the measure is not defined is ignored for all candidates.
    useful = scores[~np.isnan(scores).all(axis=(1, 2))]
    if not len(useful) and not errors:
        warnings.warn(
            f"{measure} is not defined within the training part: nothing was tuned", stacklevel=3
        )
        return 0, 0
    means = np.round(useful.mean(axis=0), DIGITS) if len(useful) else np.array([np.nan])
    if np.isnan(means).all():
        raise ValueError(
            f"no candidate has a value of {measure} on every fold of the training part"
            + (f"; the first error: {errors[0]}" if errors else "")
        )
    if errors:
        text = f"{len(errors)} fits of the search failed and are left out: {errors[0]}"
        warnings.warn(text, stacklevel=3)
    place = np.unravel_index(np.nanargmax(means), means.shape)
    return int(place[0]), int(place[1])


class Search:
    """Measures of all candidates of a cell on the folds of its training part."""

    def __init__(self, cell: Cell, reducers: list[Point], classifiers: list[Point]) -> None:
        self.cell = cell
        self.reducers = reducers
        self.classifiers = classifiers
        self.measure = measure_of(cell.measures[0], cell.convention)
        self.errors: list[str] = []

    def scores(self, X: Any, Y: Any, fold: Any) -> np.ndarray:
        train, test = fold
        X_train, X_test, Y_train, Y_test = X[train], X[test], Y[train], dense(Y[test])
        found = np.full((len(self.reducers), len(self.classifiers)), np.nan)
        # Scaling is fitted without the held-out rows, as the cell is without its test part.
        cell = self.cell
        dataset = loaded(cell.source)
        scaler = made_preprocessing(cell.preprocessing, dataset.X, dataset.name, cell.seed)
        if scaler is not None:
            X_train, X_test = scaler.fit_transform(X_train), scaler.transform(X_test)
        for i, (Z_train, Z_test) in self._reduced(X_train, Y_train, X_test):
            for j, model in self._fitted(self.classifiers, Z_train, Y_train, None):
                found[i, j] = self._attempt(np.nan, self._score, model, Z_test, Y_test)
        return found

    def _reduced(self, X: Any, Y: Any, X_test: Any) -> Iterator[tuple[int, tuple[Any, Any]]]:
        """Each reducer once, for all classifiers."""
        for i, model in self._fitted(self.reducers, X, Y, self.cell.directions):
            pair = self._attempt(None, _projected, model, X, X_test)
            if pair is not None:
                yield i, pair

    def _fitted(
        self, points: list[Point], X: Any, Y: Any, directions: int | None
    ) -> Iterator[tuple[int, Any]]:
        groups: dict[Any, list[int]] = {}
        for i, point in enumerate(points):
            groups.setdefault(point.numbers.get(WIDTH), []).append(i)
        for places in groups.values():
            made = [made_step(points[i].on(X), self.cell.seed, directions) for i in places]
            if len(made) > 1 and hasattr(made[0], "_ridges"):
                names = {name for i in places for name in points[i].numbers} - {WIDTH}
                T = learnt(points[places[0]].step, Y)
                models = self._attempt((), _path, made, sorted(names), X, T)
                yield from zip(places, models, strict=False)
                continue
            for i, model in zip(places, made, strict=True):
                T = learnt(points[i].step, Y)
                if model is None or self._attempt(None, model.fit, X, T) is not None:
                    yield i, model

    def _score(self, model: Any, X: Any, Y: np.ndarray) -> float:
        # One output only, because a second one would cost ML-kNN a second neighbour search.
        output = OUTPUTS[self.measure.needs](model, X, Y.shape[1])
        if self.measure.needs == "scores" and not np.isfinite(output).all():
            raise ValueError("scores that are not finite")
        try:
            value = float(self.measure(Y, output))
        except ValueError:
            # Not defined on these rows, as in the cell itself.
            return np.nan
        return value if self.measure.direction == "max" else -value

    def _attempt(self, otherwise: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a call; a candidate that fails is left out and counted."""
        try:
            return function(*arguments)
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}")
            return otherwise


def _path(models: list[Any], names: list[str], X: Any, Y: Any) -> list[Any]:
    """Kernel methods that differ only in their ridges, from one kernel matrix."""
    points = [{name: model.get_params()[name] for name in names} for model in models]
    grid = {name: list(dict.fromkeys(point[name] for point in points)) for name in names}
    path = kernel_path(models[0], X, Y, grid)
    return [path.estimators[path.params.index(point)] for point in points]


def _projected(model: Any, X: Any, X_test: Any) -> tuple[Any, Any]:
    if model is None:
        return X, X_test
    pair = model.transform(X), model.transform(X_test)
    for part in pair:
        if not np.isfinite(part.data if sparse.issparse(part) else np.asarray(part)).all():
            raise ValueError("projections that are not finite")
    return pair
