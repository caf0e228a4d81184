"""``labelspan methods``."""

from __future__ import annotations

from typing import Annotated

import typer

from labelspan.cli import _output as output
from labelspan.experiments import METHODS, Method


def command(json: Annotated[bool, typer.Option(help="Print as JSON.")] = False) -> None:
    """List the methods with their parameters."""
    if json:
        output.print_json([_data(method) for method in METHODS])
        return
    rows = [
        [
            method.name,
            method.kind,
            method.path.partition(":")[2] or "-",
            method.source or "-",
            ", ".join(f"{name}={value!r}" for name, value in parameters(method).items()) or "-",
        ]
        for method in METHODS
    ]
    output.print_table(["name", "kind", "class", "source", "parameters"], rows, n_left=5)


def parameters(method: Method) -> dict[str, object]:
    """Parameters of a method and their values."""
    estimator = method.make()
    return {} if estimator is None else estimator.get_params(deep=False)


def _data(method: Method) -> dict[str, object]:
    return {
        "name": method.name,
        "title": method.title,
        "kind": method.kind,
        "class": method.path.replace(":", ".") or None,
        "parameters": parameters(method),
        "source": method.source,
    }
