"""``labelspan describe``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from labelspan.cli import _output as output
from labelspan.datasets import describe
from labelspan.experiments import Source
from labelspan.experiments._sources import text_fields


def command(
    data: Annotated[str, typer.Argument(help="Data set: a name or a file.")],
    label_count: Annotated[
        int | None, typer.Option(help="Labels of an ARFF file: first columns, or last if < 0.")
    ] = None,
    xml: Annotated[str, typer.Option(help="Mulan XML file of the labels.")] = "",
    test: Annotated[str, typer.Option(help="File of the test part.")] = "",
    json: Annotated[bool, typer.Option(help="Print as JSON.")] = False,
) -> None:
    """Describe a data set and look for defects; exit code 1 if there are any."""
    source = read_source(data, label_count=label_count, xml=xml, test=test)
    dataset = source.load()
    found = describe(
        dataset.X,
        dataset.Y,
        train=dataset.train,
        test=dataset.test,
        feature_names=dataset.feature_names,
    )
    if json:
        output.print_json({"name": dataset.name, **asdict(found), "problems": found.problems})
    else:
        print(f"{output.clean(dataset.name)}: {found!r}")
    raise typer.Exit(1 if found.problems else 0)


def read_source(data: str, *, label_count: int | None, xml: str, test: str) -> Source:
    """Build a source from an argument and its options; one that is not for the file is refused."""
    options = {"label_count": label_count, "xml": xml, "test": test}
    given = {key: value for key, value in options.items() if value not in ("", None)}
    return Source.from_any({**text_fields(data), **given})
