"""``labelspan describe``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from labelspan.datasets import MultilabelDataset, describe, realign, write_npz
from labelspan.lab.cli import options, output
from labelspan.lab.cli._data import load, read_source


@options.reads_files
def command(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help="Data set: a name or a file.")],
    out: Annotated[
        Path | None,
        typer.Option("--realign", help="File for the repaired data (labels moved back), npz."),
    ] = None,
    json: Annotated[bool, typer.Option(help="Print as JSON.")] = False,
) -> None:
    """Describe a data set and look for defects; exit code 1 if there are any."""
    if out is not None:
        options.check_suffix(out, "realign", ".npz")
    source = read_source(data, context)
    options.check_outputs({"realign": out}, source.files)
    dataset = load(source)
    if out is not None:
        dataset = _realigned(dataset, out)
    found = describe(
        dataset.X,
        dataset.Y,
        train=dataset.train,
        test=dataset.test,
        feature_names=dataset.feature_names,
        label_names=dataset.label_names,
    )
    if json:
        output.print_json({"name": dataset.name, **asdict(found), "problems": found.problems})
    else:
        print(f"{output.clean(dataset.name)}: {found!r}")
    raise typer.Exit(1 if found.problems else 0)


def _realigned(dataset: MultilabelDataset, out: Path) -> MultilabelDataset:
    repaired = realign(dataset)
    if repaired is dataset:
        raise ValueError(f"--realign: no misaligned rows in {dataset.name}; nothing was written.")
    write_npz(repaired, out)
    output.say(f"{repaired.source.rpartition('; ')[2]}; written to {out}")
    return repaired
