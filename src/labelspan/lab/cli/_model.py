"""Fitted models on disk, without pickle, with what is needed to read new files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from labelspan.datasets import ColumnEncoder, DataFileError, Limits, MultilabelDataset
from labelspan.datasets.io.columns import NumberColumn
from labelspan.lab import Source
from labelspan.lab.methods import SCALERS
from labelspan.lab.plan import EMPTY, fields_of
from labelspan.system import require

VERSION = 1
#: Fields of a source whose answers the encoder of the columns holds.
LEARNED = ("text", "decimal")
#: Fields of a source that hold for later files, too.
READING = (*LEARNED, "separator", "delimiter", "encoding", "variables", "first_feature")
LISTS = ("features", "labels", "ignore")
FIELDS = {"version", "reading", "encoder", *LISTS}
NOT_SAVED = "is not a model that `labelspan reduce` or `labelspan choose` saved"


@dataclass(frozen=True)
class Model:
    """A fitted estimator or pipeline, and how the columns of later files become its features."""

    estimator: Any
    features: tuple[str, ...] = ()  # None if the model was saved by Python.
    labels: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)  # Fields of a source.
    encoder: ColumnEncoder | None = None

    @classmethod
    def of(cls, estimator: Any, dataset: MultilabelDataset, source: Source) -> Model:
        encoder = dataset.encoder
        columns = dataset.feature_names if encoder is None else encoder.column_names
        others = dict.fromkeys((*source.labels, *source.ignore, *dataset.label_names))
        if source.first_feature is None and "first_feature" in fields_of(source.path):
            source = replace(source, first_feature=_first_feature(source))
        return cls(
            estimator,
            dataset.feature_names,
            dataset.label_names,
            tuple(name for name in others if name not in set(columns)),
            {key: value for key in READING if (value := getattr(source, key)) not in EMPTY},
            encoder,
        )

    @property
    def columns(self) -> ColumnEncoder | None:
        """What the columns of a CSV file become: numbers, if the model did not learn from one."""
        if self.encoder is None and self.features:
            return ColumnEncoder(tuple(map(NumberColumn, self.features)))
        return self.encoder

    @property
    def reducer(self) -> Any:
        if not isinstance(self.estimator, Pipeline):
            return self.estimator
        steps = self.estimator.steps
        if len(steps) > 1 and not hasattr(steps[-1][1], "transform"):
            steps = steps[:-1]
        return steps[0][1] if len(steps) == 1 else Pipeline(steps)

    def to_json(self) -> str:
        names = {key: getattr(self, key) for key in LISTS}
        encoder = None if self.encoder is None else self.encoder.to_json()
        about = {"version": VERSION, "reading": dict(self.reading), "encoder": encoder}
        return json.dumps({**names, **about})


def _first_feature(source: Source) -> int:
    """Number of the first feature of a LibSVM file: a later file may not name feature 0."""
    try:
        replace(source, first_feature=1).load()
    except DataFileError:
        return 0
    return 1


def save_model(model: Model, path: Path) -> None:
    skops = require("skops.io", "cli", "saving a model")
    skops.dump({"estimator": model.estimator, "columns": model.to_json()}, path)


def load_model(path: Path) -> Model:
    """Read a model; a file with types from outside this package is refused."""
    # Here, because it imports every estimator, and most commands read no model.
    from labelspan.interop import trusted_types

    skops = require("skops.io", "cli", "reading a model")
    if not path.is_file():
        raise FileNotFoundError(f"there is no model {path}; make one with --model.")
    own = set(trusted_types())
    try:
        foreign = [name for name in skops.get_untrusted_types(file=path) if name not in own]
        found = None if foreign else skops.load(path, trusted=sorted(own))
        model = _model_of(found)
    except Exception as error:
        # The content can be anything, so skops may raise anything.
        raise ValueError(f"{path} {NOT_SAVED}.") from error
    if foreign:
        raise ValueError(
            f"{path} holds {', '.join(sorted(foreign)[:3])}, which is not of labelspan: it is "
            "not loaded, because it could run any code."
        )
    if not _is_ours(model.estimator, own):
        kind = type(model.estimator).__name__
        raise ValueError(f"{path} holds a {kind}, not a reducer of labelspan.")
    return model


@contextmanager
def refusing(path: Path, name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"{path} cannot be applied to {name}: {type(error).__name__}: {error}"
        ) from error


def _model_of(found: Any) -> Model:
    """The model of a file; what `to_json` cannot have written raises any exception."""
    if not isinstance(found, dict):
        return Model(found, _names(getattr(found, "feature_names_in_", ())))
    about = _text(found["columns"])
    if len(about) > (limits := Limits()).max_bytes or set(found) != {"estimator", "columns"}:
        raise ValueError("unknown parts")
    about = json.loads(about)
    known = set(about) == FIELDS and about["version"] == VERSION
    if not known or not set(about["reading"]) <= set(READING):
        raise ValueError("unknown fields")
    text = about["encoder"]
    encoder = None if text is None else ColumnEncoder.from_json(text, limits=limits)
    lists = {key: _names(about[key]) for key in LISTS}
    # A source checks the types of its fields.
    reading = {key: getattr(Source("new", **about["reading"]), key) for key in about["reading"]}
    return Model(found["estimator"], reading=reading, encoder=encoder, **lists)


def _names(values: Any) -> tuple[str, ...]:
    return tuple(_text(value) for value in values)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return value


def _is_ours(estimator: Any, own: set[str]) -> bool:
    scalers = tuple(cls for method in SCALERS if isinstance(cls := method.load(), type))
    steps = [estimator]
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if type(step) not in scalers]
    kinds = [type(step) for step in steps]
    return bool(kinds) and all(f"{kind.__module__}.{kind.__qualname__}" in own for kind in kinds)
