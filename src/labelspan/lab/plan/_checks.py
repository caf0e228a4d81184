"""Check a plan before its first cell: its data, its methods, its preprocessing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags

from labelspan.lab.methods import get_method
from labelspan.lab.plan._missing import refuse_holes
from labelspan.lab.plan._plan import Plan
from labelspan.lab.plan._preprocessing import AUTO, choose_scaler, refuse_non_counts
from labelspan.lab.plan._sources import Source, loaded
from labelspan.lab.plan._step import Step


@dataclass(frozen=True)
class Size:
    n_rows: int
    has_split: bool
    n_not_finite: int  # Values of X.


def check_data(plan: Plan, *, readable: bool) -> None:
    """Refuse data that no cell could use, once; `readable` refuses what cannot be loaded, too."""
    for source in plan.sources:
        try:
            size = size_of(source.whole)
        except Exception:
            if readable:
                raise
            continue
        plan.splits.check_rows(source.name, size.n_rows, size.has_split)
        if size.n_not_finite and not _takes_nan(plan):
            raise ValueError(
                f"X of {source.name} has {size.n_not_finite} values that are NaN or infinite, "
                "which no method of the plan takes; fill them in or remove their rows first."
            )


# A run repeats the checks of the command; the data themselves are not kept.
@lru_cache(maxsize=256)
def size_of(source: Source) -> Size:
    dataset = source.load()
    X = dataset.X
    values = X.data if sparse.issparse(X) else np.asarray(X)
    n_not_finite = values.size - int(np.count_nonzero(np.isfinite(values)))
    return Size(X.shape[0], dataset.train is not None and dataset.test is not None, n_not_finite)


def _takes_nan(plan: Plan) -> bool:
    steps = (*plan.reducers, *plan.classifiers, *plan.models)
    made = (get_method(step.method).make(dict(step.parameters)) for step in steps)
    return any(get_tags(item).input_tags.allow_nan for item in made if item is not None)


def check_methods(plan: Plan, *, elsewhere: bool = False) -> None:
    """Refuse methods that no cell could run, once; modules may be on other machines."""
    if any(source.missing for source in plan.sources):
        for step in (*plan.reducers, *plan.classifiers, *plan.models):
            if (estimator := made(step, elsewhere)) is not None:
                refuse_holes(step, estimator)
    for step in plan.reducers:
        estimator = made(step, elsewhere)
        if estimator is not None and not _has(estimator, "transform"):
            whole = f"; write model:{step.method} to compare it as a whole"
            hint = whole if _has(estimator, "predict") else "; leave it out"
            raise ValueError(f"{step.method} has no transform, so it is not a reducer{hint}.")
    for step in (*plan.classifiers, *plan.models):
        estimator = made(step, elsewhere)
        if estimator is not None and not _has(estimator, "predict"):
            raise ValueError(
                f"{step.method} has no predict, so it is neither classifier nor model; leave it "
                "out, or give it with the reducers."
            )


def made(step: Step, elsewhere: bool) -> Any:
    """Make the estimator of a step; None if only other machines can import its class."""
    try:
        return get_method(step.method).make(dict(step.parameters))
    except ImportError as error:
        if elsewhere:
            return None
        raise ImportError(f"{step.method} cannot be imported: {error}") from error
    except ValueError:
        raise
    except Exception as error:
        # A user's class can raise anything.
        text = f"{step.method} cannot be made: {type(error).__name__}: {error}"
        raise ValueError(text) from error


def _has(estimator: Any, name: str) -> bool:
    # A search gets the methods of its estimator only once it is fitted, but its class has them.
    return hasattr(estimator, name) or hasattr(type(estimator), name)


def parameters_of(plan: Plan) -> dict[str, dict[str, str]]:
    """Every parameter of every step as text, including defaults, which change with versions."""
    found = {}
    for step in (*plan.preprocessing, *plan.reducers, *plan.classifiers, *plan.models):
        try:
            estimator = get_method(step.method).make(dict(step.parameters))
        except (ImportError, ValueError):
            # From a module that only the cluster has, or of a plan that did not run.
            estimator = None
        values = {} if estimator is None else estimator.get_params(deep=False)
        found[step.title] = {name: repr(value) for name, value in values.items()}
    return found


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
