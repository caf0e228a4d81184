"""The searched and chosen parameters of ``--tune``, for tables and reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from labelspan.lab.analysis._analysis import Analysis
from labelspan.lab.methods import ALL_MEASURES, LEGEND, get_method, grid_of
from labelspan.lab.plan import Plan
from labelspan.lab.runner import N_FOLDS

#: Data set, method, step and parameter; and how often each value was chosen.
Chosen = tuple[tuple[str, ...], str]


def chosen_values(analysis: Analysis, keys: Sequence[str] = ("dataset", "method")) -> list[Chosen]:
    """Chosen values by the keys, step and parameter, the most frequent first."""
    counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for cell in analysis.plain:
        for step, parameter, _, shown in cell["chosen"]:
            counts[(*(cell[key] for key in keys), step, parameter)][shown] += 1
    return [
        (key, ", ".join(f"{shown} ({n})" for shown, n in values.most_common()))
        for key, values in counts.items()
    ]


def untuned(plan: Plan) -> list[str]:
    steps = (*plan.reducers, *plan.classifiers, *plan.models)
    found = []
    for step in steps:
        try:
            grid = grid_of(get_method(step.method), dict(step.parameters))
        except ImportError:
            # From a module that only the cluster has; grids exist only for our methods.
            grid = {}
        found += [] if grid else [step.title]
    return found


def tuning_line(plan: Plan) -> str:
    """How parameters were searched, in a sentence; empty if they were not."""
    if not plan.tune:
        return ""
    measure = ALL_MEASURES[plan.measures[0]].title
    none = ", ".join(untuned(plan))
    return (
        f"parameters were searched by {N_FOLDS}-fold cross-validation of {measure} within each "
        "training part" + (f"; nothing to search: {none}" if none else "")
    )


def tuning_lines(analysis: Analysis) -> list[str]:
    """The searched and chosen parameters, for a terminal."""
    if not analysis.plan.tune:
        return []
    chosen = [
        f"  {step}: {parameter} {values}"
        for (step, parameter), values in chosen_values(analysis, ())
    ]
    head = f"{tuning_line(analysis.plan)}; chosen (number of cells in brackets):"
    return [head, *chosen, f"  ({LEGEND})"]
