"""The table of a search and the choice from it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import rankdata

from labelspan.choice._candidates import NONE
from labelspan.choice._columns import size_of
from labelspan.extraction import MVMD
from labelspan.search import THRESHOLD, FoldScores, Judge, best_places, results_table


def picking_name(refit: bool | str, names: list[str]) -> str | None:
    """The scorer that chooses; None if there are several and none is named."""
    names = [name for name in names if name != THRESHOLD]
    if refit in names or (refit is False and len(names) > 1):
        return str(refit) if refit else None
    if len(names) > 1 or isinstance(refit, str):
        raise ValueError(
            f"refit={refit!r} does not say which of the scorers {names} picks; pass one "
            "of these names."
        )
    return names[0] if names else None


def table_at_cuts(
    points: list[dict[str, Any]], scores: list[FoldScores], judge: Judge, goal: str | None
) -> dict[str, Any]:
    """``cv_results_``, of each candidate at its best cut if cuts are compared."""
    table: dict[str, Any] = {}
    if judge.axis is not None:
        scores, places = at_best_cuts(scores, goal or next(iter(without_threshold(scores[0]))))
        cuts = np.array([judge.axis.at(int(place)) for place in places])
        table = {"threshold": cuts[:, 0], "min_labels": cuts[:, 1].astype(int)}
    kept = np.array([fold.n_components for fold in scores]).mean(axis=0)
    return {**results_table(points, scores), "mean_n_components": kept, **table}


def threshold_at(table: dict[str, Any], i: int, judge: Judge) -> tuple[float, int]:
    """Threshold and least number of labels of candidate i."""
    if judge.axis is not None:
        return float(table["threshold"][i]), int(table["min_labels"][i])
    known = judge.known[0]
    cut = known.owner._thresholds(None) if known.threshold is None else known.threshold
    return float(cut), known.owner.min_labels


def at_best_cuts(scores: list[FoldScores], goal: str) -> tuple[list[FoldScores], np.ndarray]:
    """Scores at the cut of each candidate with the best mean `goal`, and these cuts (n_points,).

    With the best micro-F1 if no cut changes the goal.
    """
    of_goal = np.array([fold.test[goal] for fold in scores])
    if not np.nanmax(np.ptp(of_goal, axis=2), initial=0.0):
        of_goal = np.array([fold.test[THRESHOLD] for fold in scores])
    places = best_places(of_goal)
    points = np.arange(len(places))
    at_cuts = [
        replace(fold, test={key: values[points, places] for key, values in measured.items()})
        for fold, measured in zip(scores, map(without_threshold, scores), strict=True)
    ]
    return at_cuts, places


def without_threshold(fold: FoldScores) -> dict[str, np.ndarray]:
    """The scores of a fold that were asked for."""
    return {name: values for name, values in fold.test.items() if name != THRESHOLD}


def name_of(reducer: Any) -> str:
    """A reducer as summaries and pictures name it."""
    if isinstance(reducer, str) and reducer == NONE:
        return "all features"
    return "PCA" if isinstance(reducer, MVMD) and reducer.beta == 0 else repr(reducer)


def warn_of_few_directions(table: dict[str, Any]) -> None:
    """Warn of candidates with more directions than available, which repeat each other."""
    names = [size_of(point["reducer"]) for point in table["params"]]
    asked = [p.get(f"reducer__{name}") for p, name in zip(table["params"], names, strict=True)]
    kept = table["mean_n_components"]
    short = [i for i, n in enumerate(asked) if isinstance(n, int) and kept[i] < n]
    if short:
        i = max(short, key=lambda i: asked[i] - kept[i])
        warnings.warn(
            f"{names[i]}={asked[i]} is more than the directions that "
            f"{table['params'][i]['reducer']!r} has, {kept[i]:g} on average over the folds; "
            f"{len(short)} candidates of {len(asked)} have fewer than asked for (see "
            "cv_results_['mean_n_components']).",
            stacklevel=6,
        )


def measured(table: dict[str, Any]) -> list[str]:
    """Names of the scorers; raises if no candidate could be scored."""
    names = [key.removeprefix("mean_test_") for key in table if key.startswith("mean_test_")]
    missing = [np.isnan(table[f"mean_test_{name}"]) for name in names]
    if not names or all(gaps.all() for gaps in missing):
        raise ValueError(
            "No candidate has a score on every fold: on the training rows of some fold no reducer "
            "has a direction, or the scorer gives NaN. Check y for labels or classes without rows, "
            "use fewer folds, or another scorer."
        )
    if any(gaps.any() for gaps in missing):
        n_missing = int(np.any(missing, axis=0).sum())
        warnings.warn(
            f"{n_missing} of {len(missing[0])} candidates have no score on some fold: there the "
            "reducer has no direction, or the scorer gives NaN. They are not chosen.",
            stacklevel=6,
        )
    return names


def chosen_index(table: dict[str, Any], name: str, rule: str, n_folds: int) -> int:
    """Index of the candidate that a rule chooses; the first on ties."""
    if rule == "best":
        return int(np.argmin(table[f"rank_test_{name}"]))
    return smallest_within(table, name, n_folds)


def smallest_within(table: dict[str, Any], name: str, n_folds: int) -> int:
    """The candidate of fewest directions, then best score, within one standard error."""
    within, mean = within_one_error(table, name, n_folds), table[f"mean_test_{name}"]
    return int(within[np.lexsort((-mean[within], table["mean_n_components"][within]))[0]])


def within_one_error(table: dict[str, Any], name: str, n_folds: int) -> np.ndarray:
    """Indices of the candidates within one standard error of the best."""
    mean = table[f"mean_test_{name}"]
    best = int(np.argmin(table[f"rank_test_{name}"]))
    return np.flatnonzero(mean >= mean[best] - standard_error(table, name, n_folds)[best])


def standard_error(table: dict[str, Any], name: str, n_folds: int) -> np.ndarray:
    """Standard errors of the mean scores, from their scatter over the folds."""
    return np.asarray(table[f"std_test_{name}"] / np.sqrt(max(n_folds - 1, 1)))


def method_ranks(table: dict[str, Any], name: str, n_folds: int) -> dict[str, float]:
    """Mean rank over the folds of the best candidate of each method, best first."""
    places = best_of_methods(table, name)
    scores = np.array(
        [table[f"split{i}_test_{name}"][list(places.values())] for i in range(n_folds)]
    )
    ranks = rankdata(-np.nan_to_num(scores, nan=-np.inf), axis=1).mean(axis=0)
    order = np.argsort(ranks, kind="stable")
    methods = list(places)
    return {methods[i]: float(ranks[i]) for i in order}


def best_of_methods(table: dict[str, Any], name: str) -> dict[str, int]:
    """The index of the best candidate of each method, whatever its parameters and kernel."""
    ranks = table[f"rank_test_{name}"]
    places: dict[str, int] = {}
    # Candidates of one setting share its reducer.
    shared = {id(reducer): reducer for reducer in table["param_reducer"]}
    names = {key: name_of(reducer) for key, reducer in shared.items()}
    for i, reducer in enumerate(table["param_reducer"]):
        method = names[id(reducer)]
        if method not in places or ranks[i] < ranks[places[method]]:
            places[method] = i
    return places
