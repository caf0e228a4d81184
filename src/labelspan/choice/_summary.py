"""The result of a search in words."""

from __future__ import annotations

from typing import Any

from labelspan.choice._results import (
    best_of_methods,
    smallest_within,
    standard_error,
    within_one_error,
)
from labelspan.system import counted


def summary_of(search: Any) -> str:
    """The choice, equally good candidates, and one line per reducer."""
    table, n_folds = search.cv_results_, search.n_splits_
    name = search._picked_by
    mean, error = table[f"mean_test_{name}"], standard_error(table, name, n_folds)
    chosen, small = search.best_index_, smallest_within(table, name, n_folds)
    best = int(table[f"rank_test_{name}"].argmin())
    n_within = len(within_one_error(table, name, n_folds))
    lines = [
        f"{counted(len(mean), 'candidate')} on {n_folds} folds, "
        f"{counted(search.n_passes_, 'pass', 'passes')} over the data.",
        f"Chosen ({search.rule.replace('_', ' ')}): {described(table, chosen)}: "
        f"{mean[chosen]:.4f} +- {error[chosen]:.4f}.",
        f"{counted(n_within, 'candidate is', 'candidates are')} within one standard error of the "
        f"best, {mean[best]:.4f}; the smallest is {described(table, small)}: {mean[small]:.4f}.",
        "",
    ]
    return "\n".join(lines + method_lines(search, name))


def method_lines(search: Any, name: str) -> list[str]:
    """The best candidate of each reducer, best rank first."""
    table = search.cv_results_
    places = best_of_methods(table, name)
    width = max(len(described(table, place)) for place in places.values())
    lines = [f"{'best of each reducer':<{width}}  {'score':>8}  {'+-':>7}  {'mean rank':>9}"]
    error = standard_error(table, name, search.n_splits_)
    for method, rank in search.method_ranks_.items():
        i = places[method]
        score = table[f"mean_test_{name}"][i]
        lines.append(f"{described(table, i):<{width}}  {score:8.4f}  {error[i]:7.4f}  {rank:9.2f}")
    return lines


def described(table: dict[str, Any], i: int) -> str:
    """A candidate in words: the reducer, its directions, its parameters and the readout's."""
    point = table["params"][i]
    n_kept = table["mean_n_components"][i]
    told = [f"{n_kept:g} direction{'s' if n_kept != 1 else ''}"]
    for name, value in point.items():
        step, _, parameter = name.partition("__")
        if parameter and parameter != "n_components":
            shown = f"{value:g}" if isinstance(value, int | float) else repr(value)
            told.append(f"{'readout ' if step == 'readout' else ''}{parameter} {shown}")
    return f"{point['reducer']!r}, " + ", ".join(told)
