"""What the commands share: the data set of an argument, and what its columns became."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import typer

from labelspan.datasets import ColumnEncoder, MultilabelDataset
from labelspan.datasets.io.columns import NumberColumn, TextColumn
from labelspan.lab import Source
from labelspan.lab.cli import options, output
from labelspan.lab.plan import text_fields

#: Columns, and words of a column, that a line lists.
SHOWN = 4


def read_source(data: str, context: typer.Context, *, needs_labels: bool = True) -> Source:
    """Build a source from an argument and its options; refuse options of other file types."""
    fields = {**text_fields(data), **options.reading_options(context)}
    return Source.from_any(fields, needs_labels=needs_labels)


def load(source: Source) -> MultilabelDataset:
    """Read a data set, and say what became of columns that are not plain numbers."""
    dataset = source.load()
    say_columns(dataset)
    return dataset


def say_columns(dataset: MultilabelDataset) -> None:
    """Say in one line what became of columns that are not plain numbers."""
    if dataset.encoder is not None and (told := list(_told(dataset.encoder))):
        output.say(f"{dataset.name}: {'; '.join(told)}")


def _told(encoder: ColumnEncoder) -> Iterator[str]:
    numbers = [c for c in encoder.columns if isinstance(c, NumberColumn)]
    texts = [c for c in encoder.columns if isinstance(c, TextColumn)]
    words = [c for c in encoder.columns if not isinstance(c, NumberColumn | TextColumn)]
    if words:
        yield "words became 0/1 columns: " + _listed(
            [f"{c.name!r} ({_listed(c.categories)})" for c in words]
        )
    if texts:
        yield "text became weights of words: " + _listed(
            [f"{c.name!r} ({len(c.words)})" for c in texts]
        )
    if percent := [repr(c.name) for c in numbers if c.format.percent]:
        yield f"percentages became shares: {_listed(percent)}"
    if commas := [repr(c.name) for c in numbers if c.format.decimal == ","]:
        yield f"commas are decimal signs: {_listed(commas)}"


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many follow."""
    shown = ", ".join(name[:40] for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
