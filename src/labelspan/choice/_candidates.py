"""The candidates: which reducers, with which parameters, dimensions and readouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from labelspan.base import LinearReducer
from labelspan.choice._columns import AllFeatures, is_selector, size_of
from labelspan.classifiers import MLkNN, MultiOutputRidge
from labelspan.compat import HasMethods
from labelspan.extraction import MDDM, MVMD, OPLS, EmbeddingReducer, LabelCCA

# Ridges of the readout, on the scale of sums over rows, where none is known to be good for all
# features; and multiples of a known one.
READOUT_RIDGES = (0.01, 1.0, 100.0)
MULTIPLES = (0.1, 1.0, 10.0)
# Number of dimensions tried, equally spaced in their logarithms, up to this or the number of
# labels.
N_DIMENSIONS = 10
LARGEST_DIMENSION = 100
# The same for search, where indexes take powers of two.
SEARCH_DIMENSIONS = (8, 16, 32, 64, 128)
# What a pipeline of scikit-learn calls a step that does nothing.
NONE = "passthrough"


@dataclass(frozen=True)
class Setting:
    """A reducer of the largest dimension of the grid, which contains all `dimensions`.

    `places` (n_dimensions, n_readouts) are their indices in the list of all candidates.
    """

    reducer: Any
    dimensions: list[Any]
    places: np.ndarray


@dataclass(frozen=True)
class Candidates:
    """All candidates: grids and points of a pipeline "reducer", "readout", also grouped by reducer.

    The readouts are in the order of the second axis of ``Setting.places``.
    """

    grids: list[dict[str, list[Any]]]
    points: list[dict[str, Any]]
    settings: list[Setting]
    readouts: list[Any]


def candidates_of(
    reducers: Any,
    n_components: Any,
    readout: Any,
    shape: tuple[int, int, int],
    ridge: float | None = None,
    few: bool = False,
    seeks: bool = False,
) -> Candidates:
    """The candidates for (fewest training rows, D, q); `ridge` is a good one for all features.

    `few`: only those reducers by default that differ most, because each is fitted to each fold;
    `seeks`: those for search, with a ridge readout that chooses its own ridge.
    """
    if seeks and readout == "ridge":
        readout = MultiOutputRidge()
    base, readout_grid = readout_of(readout, ridge, few)
    chosen = [pair_of(item) for item in reducers or ()]
    if reducers is None and few:
        chosen = few_reducers(ridge)
    elif reducers is None:
        chosen = search_reducers() if seeks else default_reducers(ridge)
    if not chosen:
        raise ValueError("reducers is empty; pass at least one extractor, or None for all of them.")
    grids: list[dict[str, list[Any]]] = []
    points: list[dict[str, Any]] = []
    settings: list[Setting] = []
    for reducer, grid in chosen:
        size = size_of(reducer)
        if isinstance(reducer, AllFeatures):
            grid = {"n_components": [None]}
        elif size not in grid:
            grid = {**grid, size: dimensions_of(n_components, reducer, shape, seeks)}
        grid = {name: listed(name, values, reducer) for name, values in grid.items()}
        check_dimensions(grid[size], reducer)
        settings += settings_of(reducer, grid, readout_grid, len(points))
        full = {f"readout__{name}": values for name, values in readout_grid.items()}
        if isinstance(reducer, AllFeatures):
            full |= {"reducer": [NONE]}
        else:
            full |= {"reducer": [reducer], **{f"reducer__{name}": v for name, v in grid.items()}}
        grids.append(full)
        points += list(ParameterGrid(full))
    readouts = [clone(base).set_params(**point) for point in ParameterGrid(readout_grid)]
    for each in (*readouts, *(setting.reducer for setting in settings)):
        if hasattr(each, "_validate_params"):
            each._validate_params()
    return Candidates(grids, points, settings, readouts)


def default_reducers(ridge: float | None) -> list[tuple[Any, dict[str, Any]]]:
    """No reduction, PCA, and extractors whose statistics need one pass, with their grids."""
    plain: list[tuple[Any, dict[str, Any]]] = [
        (AllFeatures(), {}),
        (MVMD(beta=0.0), {}),
        (MDDM(), {}),
        (MVMD(), {}),
    ]
    if ridge is None:
        return [
            *plain,
            (MDDM(constraint="feature"), {}),
            (LabelCCA(), {}),
            (OPLS(), {}),
        ]
    # MDDM by features is the regression with the ridge (1 - mu) / mu.
    return [
        *plain,
        (MDDM(constraint="feature"), {"mu": [1 / (1 + ridge)]}),
        (LabelCCA(), {"ridge": [ridge]}),
        (OPLS(), {"ridge": [ridge]}),
    ]


def search_reducers() -> list[tuple[Any, dict[str, Any]]]:
    """No reduction, PCA, and reducers whose projections keep a scale."""
    found = (AllFeatures(), MVMD(beta=0.0), MVMD(), OPLS(), EmbeddingReducer())
    return [(each, {}) for each in found]


def few_reducers(ridge: float | None) -> list[tuple[Any, dict[str, Any]]]:
    """No reduction, PCA to at most 50 directions, and one reducer of each kind of metric."""
    opls = (OPLS(), {} if ridge is None else {"ridge": [ridge]})
    return [
        (AllFeatures(), {}),
        (MVMD(beta=0.0), {"n_components": [10, 20, 50]}),
        (MDDM(), {}),
        opls,
    ]


def pair_of(item: Any) -> tuple[Any, dict[str, Any]]:
    """An estimator, or a pair of an estimator and its grid."""
    reducer, grid = item if isinstance(item, tuple) and len(item) == 2 else (item, {})
    reducer = BY_NAME[reducer]() if isinstance(reducer, str) and reducer in BY_NAME else reducer
    if not (isinstance(reducer, LinearReducer) or is_selector(reducer)):
        raise TypeError(
            f"reducers holds {reducer!r}; allowed are linear extractors and selectors by a ranking "
            "of labelspan, pairs (reducer, grid of its parameters), 'none' and 'pca'. Search over "
            "others with sklearn.model_selection.GridSearchCV."
        )
    unknown = sorted(set(grid) - set(reducer.get_params()))
    if unknown:
        raise ValueError(
            f"{type(reducer).__name__} has no parameter {unknown[0]!r}; its parameters are "
            f"{', '.join(sorted(reducer.get_params()))}."
        )
    return reducer, dict(grid)


def readout_of(
    readout: Any, ridge: float | None = None, few: bool = False
) -> tuple[Any, dict[str, list[Any]]]:
    """The readout and the grid of its parameters; `few`: the known ridge alone."""
    if isinstance(readout, str):
        if readout == "ridge":
            multiples = (1.0,) if few else MULTIPLES
            ridges = READOUT_RIDGES if ridge is None else [ridge * each for each in multiples]
            return MultiOutputRidge(), {"ridge": list(ridges)}
        return MLkNN(), {"n_neighbors": [10]}
    base, grid = readout if isinstance(readout, tuple) and len(readout) == 2 else (readout, {})
    if isinstance(base, type) or not (
        HasMethods(["fit", "decision_function"]).is_satisfied_by(base)
        or HasMethods(["fit", "predict_proba"]).is_satisfied_by(base)
    ):
        raise TypeError(
            f"readout={readout!r}; allowed are 'ridge', 'mlknn', a classifier with "
            "decision_function or predict_proba, or a pair (classifier, grid of its parameters)."
        )
    if isinstance(base, MLkNN) and (base.metric != "euclidean" or base.algorithm != "auto"):
        raise ValueError(
            f"readout={base!r}; distances of nested dimensions add up for metric='euclidean' and "
            "algorithm='auto' only. Search over others with sklearn.model_selection.GridSearchCV."
        )
    return base, {name: listed(name, values, base) for name, values in grid.items()}


BY_NAME: dict[str, Callable[[], LinearReducer]] = {
    "none": AllFeatures,
    "pca": lambda: MVMD(beta=0.0),
}


def listed(name: str, values: Any, owner: Any) -> list[Any]:
    """Candidates of one parameter as a list; plain numbers, not those of NumPy."""
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise TypeError(
            f"The grid of {type(owner).__name__} holds {name}={values!r}; give a list of "
            f"candidates: [{values!r}]."
        )
    if len(values) == 0:
        raise ValueError(f"The grid of {type(owner).__name__} has no candidate for {name}.")
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def dimensions_of(
    n_components: Any, reducer: Any, shape: tuple[int, int, int], seeks: bool = False
) -> list[Any]:
    """Candidates of `n_components` for a reducer whose grid has none."""
    if n_components is not None:
        return [n_components] if isinstance(n_components, Real) else list(n_components)
    n_rows, n_features, n_labels = shape
    largest = min(n_features, n_rows - 1)
    most = SEARCH_DIMENSIONS[-1] if seeks else max(n_labels, LARGEST_DIMENSION)
    if is_selector(reducer):
        largest = min(n_features, most)
    else:
        # A thin factor F has no more directions than labels.
        thin = reducer._pencil((n_rows, n_labels)).thin
        largest = min(largest, n_labels if thin else most)
    if seeks:
        return [*(k for k in SEARCH_DIMENSIONS if k < largest), max(largest, 1)]
    spaced = np.geomspace(1, max(largest, 1), N_DIMENSIONS)
    return np.unique(np.rint(spaced).astype(int)).tolist()


def check_dimensions(values: Sequence[Any], reducer: Any) -> None:
    """Refuse candidates of `n_components` that the reducer does not accept."""
    if is_selector(reducer):
        wrong = [value for value in values if not (is_number(value) and isinstance(value, int))]
        if wrong:
            raise ValueError(
                f"{size_of(reducer)} of {type(reducer).__name__} holds {wrong[0]!r}; allowed are "
                f"integers >= 1. Give it numbers of its own: ({type(reducer).__name__}(), "
                f"{{'{size_of(reducer)}': [10, 50]}})."
            )
        return
    wrong = [value for value in values if not (value is None or is_number(value))]
    if wrong:
        raise ValueError(
            f"n_components holds {wrong[0]!r}; allowed are integers >= 1, shares in (0, 1) and "
            "None for all directions."
        )


def is_number(value: Any) -> bool:
    """Whether a candidate of `n_components` is a number of directions or a share."""
    if isinstance(value, bool | np.bool_):
        return False
    if isinstance(value, Integral):
        return int(value) >= 1
    return isinstance(value, Real) and 0 < float(value) < 1


def settings_of(
    reducer: Any, grid: dict[str, list[Any]], readout: dict[str, list[Any]], start: int
) -> list[Setting]:
    """Group the points of one grid, with indices from `start`, by everything but the dimension.

    By the dimension too if smaller ones are no part of the largest.
    """
    size = size_of(reducer)
    # Indices instead of values, so that points can be looked up for any kind of values.
    named = {f"readout__{name}": range(len(values)) for name, values in readout.items()}
    named |= {f"reducer__{name}": range(len(values)) for name, values in grid.items()}
    groups: dict[tuple[int, ...], list[list[int]]] = {}
    for place, point in enumerate(ParameterGrid(named), start):
        key = tuple(point[f"reducer__{name}"] for name in grid if name != size)
        rows = groups.setdefault(key, [[] for _ in grid[size]])
        rows[point[f"reducer__{size}"]].append(place)
    names = [name for name in grid if name != size]
    settings = []
    for key, places in groups.items():
        values = {name: grid[name][i] for name, i in zip(names, key, strict=True)}
        alone = is_selector(reducer) and not reducer._nested
        parts = [slice(i, i + 1) for i in range(len(places))] if alone else [slice(None)]
        for part in parts:
            dimensions = grid[size][part]
            each = clone(reducer).set_params(**{size: largest_of(dimensions)}, **values)
            settings.append(Setting(each, dimensions, np.array(places[part])))
    return settings


def largest_of(dimensions: Sequence[Any]) -> Any:
    """The dimension whose directions contain those of all others; None if not all are integers."""
    whole = all(isinstance(value, Integral) for value in dimensions)
    return max(dimensions) if whole else None
