"""A plan of experiments as frozen data."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from labelspan.experiments._measures import measure_of
from labelspan.experiments._methods import get_method
from labelspan.experiments._sources import Source, Splits

DEFAULT_MEASURES = (
    "micro_f1",
    "macro_f1",
    "hamming_loss",
    "ranking_loss",
    "one_error",
    "average_precision",
)


@dataclass(frozen=True)
class Step:
    """A method with its parameters.

    Parameters
    ----------
    method : str
        A name of `METHODS`, or an import path ``package.module:Class``, see `get_method`.
    parameters : tuple of (str, value)
        Arguments over those of the method.
    label : str
        Name in tables; by default the title of the method and its parameters.

    Examples
    --------
    >>> from labelspan.experiments import Step
    >>> Step("mvmd", (("beta", 0.9),)).title
    'MVMD beta=0.9'
    """

    method: str
    parameters: tuple[tuple[str, Any], ...] = ()
    label: str = ""

    @property
    def title(self) -> str:
        """Name in tables."""
        if self.label:
            return self.label
        values = [f"{name}={value}" for name, value in self.parameters]
        return " ".join([get_method(self.method).title, *values])


@dataclass(frozen=True)
class Cell:
    """One experiment: a data set, a split, a reducer and a classifier.

    Parameters
    ----------
    source : Source
        The data set.
    splits : Splits
        How its rows are split.
    split : int
        Which of the splits.
    reducer, classifier : Step
        What is fitted on the training part, one after the other.
    measures : tuple of str
        What is measured on the test part.
    convention : str
        Conventions of the measures, see `labelspan.metrics.CONVENTIONS`.
    seed : int
        For the splits and for methods with a ``random_state``.
    directions : int or None
        Number of directions in place of the reducer's own rule: a point of a curve.
    """

    source: Source
    splits: Splits
    split: int
    reducer: Step
    classifier: Step
    measures: tuple[str, ...]
    convention: str = "sklearn"
    seed: int = 0
    directions: int | None = None

    @cached_property
    def id(self) -> str:
        """Hash of the content: the same cell in two plans is the same cell."""
        return digest(asdict(self))

    @property
    def is_model(self) -> bool:
        """Whether the classifier is compared as a whole."""
        return get_method(self.classifier.method).kind == "model"

    @property
    def method(self) -> str:
        """Title under which the cell competes: the reducer's, or the model's."""
        return self.classifier.title if self.is_model else self.reducer.title


@dataclass(frozen=True)
class Plan:
    """Data sets x splits x reducers x classifiers, with what to measure.

    Parameters
    ----------
    name : str
        Title of the report.
    sources : tuple of Source
        Data sets.
    reducers, classifiers, models : tuple of Step
        Every reducer goes with every classifier; models stand alone.
    splits : Splits
        How rows are split.
    measures : tuple of str
        Names of `labelspan.metrics.MEASURES`, the first of which is the one that verdicts speak
        of; "encoding_error" and "prediction_error" ask a label-space model.
    convention : str
        Conventions of the measures, see `labelspan.metrics.CONVENTIONS`.
    seed : int
        For splits and for methods with a ``random_state``.
    directions : tuple of int
        Numbers of directions of the curves; empty for none.
    curve_splits : int
        On how many of the splits the curves are measured.

    Examples
    --------
    >>> from labelspan.experiments import Plan, Source, Splits, Step
    >>> plan = Plan(
    ...     "two methods",
    ...     sources=(Source("yeast"),),
    ...     reducers=(Step("mvmd"), Step("mddm-p")),
    ...     classifiers=(Step("ridge"),),
    ...     splits=Splits("folds", n_folds=2, n_repeats=5),
    ... )
    >>> len(plan.cells)
    20
    """

    name: str
    sources: tuple[Source, ...]
    reducers: tuple[Step, ...] = ()
    classifiers: tuple[Step, ...] = ()
    models: tuple[Step, ...] = ()
    splits: Splits = field(default_factory=Splits)
    measures: tuple[str, ...] = DEFAULT_MEASURES
    convention: str = "sklearn"
    seed: int = 0
    directions: tuple[int, ...] = ()
    curve_splits: int = 2

    def __post_init__(self) -> None:
        for measure in self.measures:
            measure_of(measure, self.convention)
        for what, names in (
            ("reducers", [step.title for step in self.reducers]),
            ("classifiers", [step.title for step in (*self.classifiers, *self.models)]),
            ("data sets", [source.name for source in self.sources]),
        ):
            double = [name for name in names if names.count(name) > 1]
            if double:
                raise ValueError(f"two {what} are called {double[0]!r}; give one another label.")
        if any(number < 1 for number in self.directions):
            raise ValueError(f"directions hold {min(self.directions)}; give at least 1.")
        if not self.cells:
            raise ValueError(
                "the plan has no cells; give at least one data set, and a reducer with a "
                "classifier or a model."
            )

    @cached_property
    def hash(self) -> str:
        """Hash of the content."""
        return digest(asdict(self))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, those of a data set together and the curves last."""
        return (*self._plain(), *self._curves())

    def _pairs(self) -> Iterator[tuple[Step, Step]]:
        yield from itertools.product(self.reducers, self.classifiers)
        yield from ((Step("none"), model) for model in self.models)

    def _plain(self) -> Iterator[Cell]:
        for source in self.sources:
            for split in range(self.splits.n_splits):
                for reducer, classifier in self._pairs():
                    yield self._cell(source, split, reducer, classifier)

    def _curves(self) -> Iterator[Cell]:
        for source in self.sources:
            for split in range(min(self.curve_splits, self.splits.n_splits)):
                for reducer, classifier in itertools.product(self.reducers, self.classifiers):
                    if get_method(reducer.method).path:
                        plain = self._cell(source, split, reducer, classifier)
                        yield from (replace(plain, directions=d) for d in self.directions)

    def _cell(self, source: Source, split: int, reducer: Step, classifier: Step) -> Cell:
        return Cell(
            source,
            self.splits,
            split,
            reducer,
            classifier,
            self.measures,
            self.convention,
            self.seed,
        )

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Plan:
        """Build a plan from plain data, as TOML or the store hold it.

        Parameters
        ----------
        content : mapping
            The fields; steps as tables with ``method``, ``parameters``, ``label`` and ``grid``
            (lists of values, every combination of which becomes a step).

        Returns
        -------
        Plan
        """
        content = dict(content)
        unknown = set(content) - set(cls.__dataclass_fields__)
        if unknown:
            raise ValueError(
                f"a plan has no field {sorted(unknown)[0]!r}; it has "
                f"{', '.join(cls.__dataclass_fields__)}."
            )
        for key in ("reducers", "classifiers", "models"):
            content[key] = tuple(step for item in content.get(key, ()) for step in steps_of(item))
        content["sources"] = tuple(Source.from_any(item) for item in content.get("sources", ()))
        content["splits"] = Splits.from_any(content.get("splits", {}))
        for key in ("measures", "directions"):
            if key in content:
                content[key] = tuple(content[key])
        return cls(**content)


def steps_of(item: str | Mapping[str, Any]) -> Sequence[Step]:
    """Give the steps of a table: one, or one for each combination of its grid."""
    if isinstance(item, str):
        return [Step(item)]
    fixed = dict(item.get("parameters", ()))
    grid = dict(item.get("grid", {}))
    label = item.get("label", "")
    steps = []
    for values in itertools.product(*grid.values()):
        chosen = dict(zip(grid, values, strict=True))
        name = " ".join([label, *(f"{k}={v}" for k, v in chosen.items())]) if label else ""
        parameters = tuple((key, freeze(value)) for key, value in {**fixed, **chosen}.items())
        steps.append(Step(item["method"], parameters, name))
    return steps


def load_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan from a TOML file.

    Parameters
    ----------
    path : str or path
        The file; relative paths of data files in it are relative to its folder.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from labelspan.experiments import load_plan
    >>> text = '''
    ... name = "beta of MVMD"
    ... sources = ["yeast"]
    ... classifiers = ["ridge"]
    ... splits = "5x2"
    ... [[reducers]]
    ... method = "mvmd"
    ... grid = { beta = [0.1, 0.5, 0.9] }
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "plan.toml")
    ...     _ = path.write_text(text)
    ...     [step.title for step in load_plan(path).reducers]
    ['MVMD beta=0.1', 'MVMD beta=0.5', 'MVMD beta=0.9']
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from error
    content["sources"] = [
        Source.from_any(item, folder=path.parent) for item in content.get("sources", ())
    ]
    return Plan.from_dict(content)


def freeze(value: Any) -> Any:
    """Turn lists into tuples, all the way down."""
    return tuple(freeze(item) for item in value) if isinstance(value, list | tuple) else value


def digest(content: Any) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the canonical JSON text."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def cell_from_dict(content: Mapping[str, Any]) -> Cell:
    """Build a cell from its JSON form."""
    content = dict(content)
    content["source"] = Source(**content["source"])
    content["splits"] = Splits(**content["splits"])
    for key in ("reducer", "classifier"):
        step = content[key]
        parameters = tuple((name, freeze(value)) for name, value in step["parameters"])
        content[key] = Step(step["method"], parameters, step["label"])
    content["measures"] = tuple(content["measures"])
    return Cell(**content)


def parameters_of(plan: Plan) -> dict[str, dict[str, str]]:
    """Every parameter of every step as text, defaults included: these change with versions."""
    found = {}
    for step in (*plan.reducers, *plan.classifiers, *plan.models):
        method = get_method(step.method)
        try:
            estimator = method.make(dict(step.parameters))
        except (ImportError, AttributeError, TypeError, ValueError):
            # Its cells will say what is wrong.
            estimator = None
        values = {} if estimator is None else estimator.get_params(deep=False)
        found[step.title] = {name: repr(value) for name, value in values.items()}
    return found
