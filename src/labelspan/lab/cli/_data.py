"""What the commands share: the data set of an argument, and what its columns became."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import typer

from labelspan.datasets import ColumnEncoder, MultilabelDataset
from labelspan.datasets.io import numbered, with_features
from labelspan.datasets.io.columns import NumberColumn, TextColumn, WordColumn
from labelspan.lab import Source
from labelspan.lab.cli import options, output
from labelspan.lab.cli._model import LEARNED, Model
from labelspan.lab.plan import fields_of, text_fields

#: Columns, and words of a column, that a line lists.
SHOWN = 4


def read_source(data: str, context: typer.Context) -> Source:
    """Build a source from an argument and its options; refuse options of other file types."""
    return Source.from_any({**text_fields(data), **options.reading_options(context)})


def source_for(model: Model, data: str, context: typer.Context) -> Source:
    """Build a source of rows for a model: read as those it was fitted on, and by the options."""
    fields = {**text_fields(data), **options.reading_options(context)}
    for key in LEARNED:
        learned = model.reading.get(key, "")
        if key in fields and sorted(fields.pop(key)) != sorted(learned):
            told = repr(learned if isinstance(learned, str) else ", ".join(learned))
            raise ValueError(
                f"--{key} is not that of the model, {told if learned else 'which has none'}; leave "
                "it out, or fit a model with it."
            )
    known = fields_of(fields.get("path", ""))
    stored = {**model.reading, "n_features": len(model.features) or None}
    if "xml" in known and not known & {"xml", "label_count"} & set(fields):
        stored["labels"] = model.labels
    fields = {key: stored[key] for key in known.difference(LEARNED) & set(stored)} | fields
    if "text" in known:
        fields["ignore"] = {*fields.get("ignore", ()), *model.ignore}.difference(
            fields.get("labels", ())
        )
    return Source.from_any(fields, needs_labels=False)


def rows_for(model: Model, source: Source) -> MultilabelDataset:
    """Read rows, which need no labels, with the features of a model in their order."""
    dataset = source.load(needs_labels=False, encoder=model.columns)
    names, given = model.features, dataset.feature_names
    _refuse_other_codes(model, dataset)
    if not names or names == given:
        return dataset
    if not (is_numbered(names) or is_numbered(given)):
        return with_features(dataset, names, model.ignore)
    if len(names) != len(given):
        raise ValueError(
            f"{dataset.name} has {len(given)} features, and the model was fitted on {len(names)}; "
            "give the same columns."
        )
    nameless = dataset.name if is_numbered(given) else "the model"
    output.say(f"{nameless} has no names of features, so they are matched by their order")
    return dataset


def _refuse_other_codes(model: Model, dataset: MultilabelDataset) -> None:
    """Refuse words that an ARFF file numbers in another way than the model."""
    learned = {column.name: column for column in _word_columns(model.encoder)}
    for column in _word_columns(dataset.encoder):
        known = learned.get(column.name, column)
        if not column.codes.items() <= known.codes.items():
            raise ValueError(
                f"{dataset.name} declares {_listed(column.categories)} for {column.name!r}, and "
                f"the model {_listed(known.categories)}; declare the same words in this order."
            )


def _word_columns(encoder: ColumnEncoder | None) -> list[WordColumn]:
    columns = [] if encoder is None else encoder.columns
    return [c for c in columns if isinstance(c, WordColumn) and len(c.categories) <= 2]


def is_numbered(names: Sequence[str]) -> bool:
    return tuple(names) == numbered("feature", len(names))


def load(source: Source) -> MultilabelDataset:
    """Read a data set, and say what became of columns that are not plain numbers."""
    dataset = source.load()
    say_columns(dataset)
    return dataset


def say_columns(dataset: MultilabelDataset) -> None:
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
    shown = ", ".join(name[:40] for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
