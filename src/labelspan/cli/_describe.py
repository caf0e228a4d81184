"""``labelspan describe``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from labelspan.cli import _options as options
from labelspan.cli import _output as output
from labelspan.datasets import describe
from labelspan.experiments import Source
from labelspan.experiments.plan import text_fields


def command(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help="Data set: a name or a file.")],
    test: options.Test = "",
    xml: options.Xml = "",
    label_count: options.LabelCount = None,
    labels: options.Labels = None,
    ignore: options.Ignore = None,
    separator: options.Separator = "",
    delimiter: options.Delimiter = "",
    variables: options.Variables = None,
    first_feature: options.FirstFeature = None,
    first_label: options.FirstLabel = None,
    n_features: options.NFeatures = None,
    n_labels: options.NLabels = None,
    encoding: options.Encoding = "",
    json: Annotated[bool, typer.Option(help="Print as JSON.")] = False,
) -> None:
    """Describe a data set and look for defects; exit code 1 if there are any."""
    dataset = read_source(data, context).load()
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


def read_source(data: str, context: typer.Context) -> Source:
    """Build a source from an argument and its options; one that is not for the file is refused."""
    return Source.from_any({**text_fields(data), **options.reading_options(context)})
