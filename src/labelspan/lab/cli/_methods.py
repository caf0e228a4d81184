"""``labelspan methods``."""

from __future__ import annotations

from typing import Annotated

import typer

from labelspan.lab import METHODS, Method
from labelspan.lab.cli import output
from labelspan.lab.methods import LEGEND, SCALERS, grid_of


def command(json: Annotated[bool, typer.Option(help="Print as JSON.")] = False) -> None:
    """List the methods with their parameters."""
    if json:
        output.print_json([_data(method) for method in (*METHODS, *SCALERS)])
        return
    rows = [
        [
            method.name,
            method.kind,
            method.path.partition(":")[2] or "-",
            method.source or "-",
            ", ".join(f"{name}={value!r}" for name, value in parameters(method).items()) or "-",
            "; ".join(f"{name}: {values}" for name, values in grid_of(method).items()) or "-",
        ]
        for method in (*METHODS, *SCALERS)
    ]
    header = ["name", "kind", "class", "source", "parameters", "tuned over"]
    output.print_table(header, rows, n_left=6)
    print(f'\n`compare --tune` tries the value of the plan and those of "tuned over": {LEGEND}.')


def parameters(method: Method) -> dict[str, object]:
    estimator = method.make()
    return {} if estimator is None else estimator.get_params(deep=False)


def _data(method: Method) -> dict[str, object]:
    return {
        "name": method.name,
        "title": method.title,
        "kind": method.kind,
        "class": method.path.replace(":", ".") or None,
        "parameters": parameters(method),
        "tuned_over": {name: str(values) for name, values in grid_of(method).items()},
        "source": method.source,
    }
