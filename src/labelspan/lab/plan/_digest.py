"""Hashes of plans, cells and sources, which identify stored results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from labelspan.lab.methods import (
    AUTO,
    NUMBERED,
    NUMBERS,
    get_method,
    with_auto,
    with_number,
)
from labelspan.lab.plan._sources import ADDED_FIELDS, MISSING_FIELDS

#: Fields added to hashes later; they count only if they are set.
LATER_FIELDS = frozenset((*ADDED_FIELDS, *MISSING_FIELDS, "preprocessing", "scaling", "tune"))


def digest(content: Any) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the canonical JSON text."""
    text = json.dumps(as_stored(content), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def as_stored(content: Any) -> Any:
    """Write tables as in the first version, so that their hashes stay the same."""
    if isinstance(content, list | tuple):
        return [as_stored(item) for item in content]
    if not isinstance(content, Mapping):
        return content
    kept = {
        key: as_stored(value)
        for key, value in content.items()
        # By identity, because a count of 0 equals False.
        if key not in LATER_FIELDS or not (value is None or value is False or value in ("", (), []))
    }
    return {**kept, **_step_as_stored(kept)} if isinstance(kept.get("method"), str) else kept


def _step_as_stored(step: Mapping[str, Any]) -> dict[str, Any]:
    """Name and parameters of a method; a number that was the default in 0.2.0 is left out."""
    method = get_method(step["method"])
    name = method.stored if method in NUMBERED else method.name
    if name not in NUMBERS:
        return {"method": method.stored or step["method"]}
    given = list(step.get("parameters", ()))
    values = {p: number if method in NUMBERED else AUTO for p, number in NUMBERS[name]}
    values.update(given)
    if AUTO in values.values():
        left = [pair for pair in given if pair[1] != AUTO]
        return {"method": with_auto(name), "parameters": left}
    # The papers' plans have always given that of the classifier.
    defaults = [] if name == "ridge" else [list(pair) for pair in NUMBERS[name]]
    left = [pair for pair in given if list(pair) not in defaults]
    return {"method": name, "parameters": left}


def as_written(plan: Any) -> Any:
    """The fields of a plan in which steps with a default of today say so, for the store."""
    return _renamed(plan, with_auto)


def as_read(plan: Any) -> Any:
    """The fields of a stored plan, in which a method without its number has that of 0.2.0."""
    return _renamed(plan, with_number)


#: Names of today by the names that stored plans have for them.
TODAY = {with_auto(name): name for name in NUMBERS}


def _renamed(plan: Any, name_of: Callable[[str], str]) -> Any:
    """The fields with other names for methods whose number is not given."""

    def renamed(step: Any) -> Any:
        name = step["method"]
        if name in TODAY:
            return {**step, "method": TODAY[name]}
        given = dict(step.get("parameters", ()))
        if name not in NUMBERS or all(parameter in given for parameter, _ in NUMBERS[name]):
            return step
        return {**step, "method": name_of(name)}

    kinds = ("reducers", "classifiers", "models")
    return {**plan, **{kind: [renamed(step) for step in plan.get(kind, ())] for kind in kinds}}
