"""A method with its parameters, as a plan names it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labelspan.lab.methods import MODEL, get_method
from labelspan.lab.plan._fields import check_keys, check_plain, check_text, list_of, table_of

# More than a table can show.
MOST_STEPS = 10_000
STEP_FIELDS = ("method", "parameters", "label", "grid", "missing")
#: Suffix of a method name: missing labels are replaced by 0.
ZERO = "zero"


@dataclass(frozen=True)
class Step:
    """A method with its parameters.

    Parameters
    ----------
    method : str
        A name of `METHODS`, or an import path ``package.module:Class``, see `get_method`.
    parameters : tuple of (str, value)
        Arguments that override those of the method.
    label : str
        Name in tables; by default the title of the method and its parameters.
    missing : {"zero", ""}
        "zero" replaces missing labels by 0; by default the method receives NaN.

    Examples
    --------
    >>> from labelspan.lab import Step
    >>> Step("mvmd", (("beta", 0.9),)).title
    'MVMD beta=0.9'
    """

    method: str
    parameters: tuple[tuple[str, Any], ...] = ()
    label: str = ""
    missing: str = ""

    def __post_init__(self) -> None:
        if self.missing not in ("", ZERO):
            raise ValueError(f"missing of {self.method} is {self.missing!r}; give {ZERO!r}.")

    @property
    def title(self) -> str:
        """Name in tables."""
        if self.label:
            return self.label
        values = [f"{name}={value}" for name, value in self.parameters]
        title = " ".join([get_method(self.method).title, *values])
        return f"{title} (missing = 0)" if self.missing else title


def is_bare_path(method: str) -> bool:
    return ":" in method and not method.startswith(MODEL)


def steps_of(item: Any, key: str = "reducers") -> list[Step]:
    """Return the steps of a name or table: one, or one for each combination of its grid."""
    if isinstance(item, str):
        name = item.removesuffix(f"+{ZERO}")
        return [Step(name, missing=ZERO if name != item else "")]
    if not isinstance(item, Mapping):
        raise ValueError(f"{key} hold {item!r}; give a name of a method or a table with one.")
    check_keys(item, STEP_FIELDS, f"a step of {key}")
    if "method" not in item:
        raise ValueError(f'a step of {key} has no method; add method = "mvmd" or another name.')
    label = item.get("label", "")
    check_text(item["method"], f"method of {key}")
    check_text(label, f"label of {item['method']}")
    missing = item.get("missing", "")
    check_text(missing, f"missing of {item['method']}")
    fixed = table_of(item.get("parameters", ()), f"parameters of {item['method']}")
    grid = _grid(item)
    steps = []
    for values in itertools.product(*grid.values()):
        chosen = dict(zip(grid, values, strict=True))
        name = " ".join([label, *(f"{k}={v}" for k, v in chosen.items())]) if label else ""
        parameters = {**fixed, **chosen}
        for parameter, value in parameters.items():
            check_plain(value, f"{parameter} of {item['method']}")
        frozen = tuple((parameter, freeze(value)) for parameter, value in parameters.items())
        steps.append(Step(item["method"], frozen, name, missing))
    return steps


def _grid(item: Mapping[str, Any]) -> dict[str, list[Any]]:
    where = f"grid of {item['method']}"
    grid = table_of(item.get("grid", {}), where)
    values = {name: list_of(found, f"{name} in the {where}") for name, found in grid.items()}
    empty = [name for name, found in values.items() if not found]
    if empty:
        raise ValueError(f"{empty[0]} in the {where} is empty; give its values.")
    size = math.prod(len(found) for found in values.values())
    if size > MOST_STEPS:
        raise ValueError(f"the {where} has {size} combinations; give at most {MOST_STEPS}.")
    return values


def freeze(value: Any) -> Any:
    return tuple(freeze(item) for item in value) if isinstance(value, list | tuple) else value
