"""Check the methods of a plan before its first cell."""

from __future__ import annotations

from typing import Any

from labelspan.lab.methods import get_method
from labelspan.lab.plan._missing import refuse_holes
from labelspan.lab.plan._plan import Plan
from labelspan.lab.plan._step import Step


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
