"""Check and choose the preprocessing of a plan before its first cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from labelspan.lab.plan._methods_of_plan import made
from labelspan.lab.plan._plan import Plan
from labelspan.lab.plan._preprocessing import AUTO, choose_scaler, refuse_non_counts
from labelspan.lab.plan._sources import Source, loaded


def check_scaling(plan: Plan, *, elsewhere: bool = False) -> None:
    """Refuse preprocessing that no cell could run, once; modules may be on other machines."""
    for step in plan.preprocessing:
        estimator = made(step, elsewhere)
        if estimator is not None and not hasattr(estimator, "transform"):
            raise ValueError(f"{step.method} has no transform, so it cannot be preprocessing.")
    if elsewhere or "tfidf" not in [step.method for step in plan.preprocessing]:
        return
    for source, X in _readable(plan):
        refuse_non_counts(plan.preprocessing, X, source.name)


def _readable(plan: Plan) -> Iterator[tuple[Source, Any]]:
    """Features of the data sets; a file that cannot be read fails in its cells."""
    for source in plan.sources:
        try:
            dataset = loaded(source)
        except Exception:
            continue
        yield source, dataset.X


def with_scaling(plan: Plan) -> Plan:
    """Fill in the choice of the scaler "auto" for each data set, and the reason."""
    if plan.preprocessing != AUTO or plan.scaling:
        return plan
    chosen = tuple((source.name, *choose_scaler(loaded(source).X)) for source in plan.sources)
    return replace(plan, scaling=chosen)


def scaling_lines(plan: Plan) -> list[str]:
    """Describe how the features are scaled, one line per data set for "auto"."""
    if plan.preprocessing != AUTO:
        names = ", then ".join(step.title for step in plan.preprocessing)
        return [f"scaling: {names}, fitted on each training part"] if names else []
    return [f"scaling of {name}: {scaler} ({why})" for name, scaler, why in plan.scaling]
