"""A plan of experiments as frozen data."""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from labelspan.lab.methods import MODEL, get_method, measure_of
from labelspan.lab.plan._digest import digest
from labelspan.lab.plan._fields import check_keys, check_text, check_whole, list_of
from labelspan.lab.plan._preprocessing import (
    AUTO,
    check_preprocessing,
    preprocessing_of,
    scaling_of,
)
from labelspan.lab.plan._sources import Source, sources_of
from labelspan.lab.plan._splits import Splits
from labelspan.lab.plan._step import Step, freeze, is_bare_path, steps_of
from labelspan.system import escaped

DEFAULT_MEASURES = (
    "micro_f1", "macro_f1", "hamming_loss", "ranking_loss", "one_error", "average_precision",
)  # fmt: skip

# An upper limit that can still be listed; a plan of 1e8 repeats would hang.
MOST_CELLS = 1_000_000
# Range of seeds in NumPy.
LARGEST_SEED = 2**32 - 1
#: Where a method of a kind is given, on the command line and in a plan.
PLACES = {
    "reducer": "--methods, or reducers in a plan",
    "classifier": "--classifiers, or classifiers in a plan",
    "model": "--methods, or models in a plan",
    "scaler": "--scale, or preprocessing in a plan",
}


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
        Number of directions instead of the reducer's own rule, for a point of a curve.
    preprocessing : tuple of Step
        What is fitted on the training part before the reducer, one after the other.
    tune : bool
        Whether parameters are searched within the training part.
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
    preprocessing: tuple[Step, ...] = ()
    tune: bool = False

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
        Every reducer is combined with every classifier; models are used alone.
    splits : Splits
        How rows are split.
    measures : tuple of str
        Names of `labelspan.metrics.MEASURES`; verdicts are about the first. "encoding_error" and
        "prediction_error" need a label-space model.
    convention : str
        Conventions of the measures, see `labelspan.metrics.CONVENTIONS`.
    seed : int
        For splits and for methods with a ``random_state``.
    directions : tuple of int
        Numbers of directions of the curves; empty for none.
    curve_splits : int
        On how many of the splits the curves are measured.
    preprocessing : tuple of Step
        A scaler or the steps of a pipeline, fitted on the training part of each split.
    scaling : tuple of (str, str, str)
        The choice of the scaler "auto" for each data set, and the reason; empty until the plan is
        run.
    tune : bool
        Whether the parameters of each method are searched by cross-validation within the
        training part of each split.

    Examples
    --------
    >>> from labelspan.lab import Plan, Source, Splits, Step
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
    preprocessing: tuple[Step, ...] = ()
    scaling: tuple[tuple[str, str, str], ...] = ()
    tune: bool = False

    def __post_init__(self) -> None:
        check_text(self.name, "name")
        check_text(self.convention, "convention")
        check_whole(self.seed, "seed", 0, LARGEST_SEED)
        check_whole(self.curve_splits, "curve_splits", 0)
        for number in self.directions:
            check_whole(number, "a number of directions", 1)
        if self._n_cells() > MOST_CELLS:
            raise ValueError(
                f"the plan has {self._n_cells()} cells; give at most {MOST_CELLS}: fewer splits, "
                "data sets, methods or directions."
            )
        self._check_measures()
        self._check_kinds()
        self._check_names()
        check_preprocessing(self.preprocessing, self.scaling)
        if not isinstance(self.tune, bool):
            raise ValueError(f"tune is {self.tune!r}; give true or false.")
        if not self.cells:
            raise ValueError(
                "the plan has no cells; give at least one data set, and a reducer with a "
                "classifier or a model."
            )

    def _check_measures(self) -> None:
        if not self.measures:
            raise ValueError("measures are empty; give at least one, such as micro_f1.")
        for measure in self.measures:
            check_text(measure, "a measure")
            measure_of(measure, self.convention)
        double = _double(self.measures)
        if double:
            raise ValueError(f"the measure {double[0]!r} is given twice; give it once.")

    def _check_kinds(self) -> None:
        """A method given by its path fits any list."""
        for kind, steps in self._steps().items():
            for step in (step for step in steps if not is_bare_path(step.method)):
                known = get_method(step.method).kind
                if known != kind:
                    alone = "; with the reducer none it sees all features"
                    raise ValueError(
                        f"{step.method} is a {known}, not a {kind}; give it with the {known}s "
                        f"({PLACES[known]}){alone if known == 'classifier' else ''}."
                    )

    def _check_names(self) -> None:
        lists = {kind: [step.title for step in steps] for kind, steps in self._steps().items()}
        for kind, titles in lists.items():
            if double := _double(titles):
                raise ValueError(f"two {kind}s are called {double[0]!r}; give one another label.")
        for one, other in itertools.combinations(lists, 2):
            if shared := [title for title in lists[one] if title in lists[other]]:
                raise ValueError(
                    f"a {one} and a {other} are called {shared[0]!r}; give one another label."
                )
        names = [source.name for source in self.sources]
        if double := _double(names):
            raise ValueError(
                f"two data sets are called {double[0]!r}; rename one in a plan, "
                'as { name = "other", path = "..." }.'
            )
        for name in (self.name, *names, *itertools.chain(*lists.values())):
            if escaped(name) != name:
                raise ValueError(
                    f"the name {escaped(name)!r} contains characters UTF-8 cannot encode; "
                    "rename it."
                )

    def _steps(self) -> dict[str, tuple[Step, ...]]:
        return {"reducer": self.reducers, "classifier": self.classifiers, "model": self.models}

    @cached_property
    def hash(self) -> str:
        """Hash of the content."""
        return digest(asdict(self))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, those of a data set together and the curves last."""
        return (*self._plain(), *self._curves())

    def _n_cells(self) -> int:
        n_pairs = len(self.reducers) * len(self.classifiers)
        n_curves = min(self.curve_splits, self.splits.n_splits) * n_pairs * len(self.directions)
        n_plain = self.splits.n_splits * (n_pairs + len(self.models))
        return len(self.sources) * (n_plain + n_curves)

    def _pairs(self) -> Iterator[tuple[Step, Step]]:
        yield from itertools.product(self.reducers, self.classifiers)
        for model in self.models:
            # A method named by its path is compared as a whole.
            bare = is_bare_path(model.method)
            yield Step("none"), replace(model, method=MODEL + model.method) if bare else model

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
            preprocessing=self._preprocessing(source),
            tune=self.tune,
        )

    def _preprocessing(self, source: Source) -> tuple[Step, ...]:
        taken = {name: scaler for name, scaler, _ in self.scaling}
        if self.preprocessing != AUTO or source.name not in taken:
            return self.preprocessing
        return preprocessing_of(taken[source.name])

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Plan:
        """Build a plan from plain data, as in TOML or the store.

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
        check_keys(content, cls.__dataclass_fields__, "a plan")
        if "name" not in content:
            raise ValueError('a plan has no name; add name = "...", the title of its report.')
        for key in ("reducers", "classifiers", "models"):
            items = list_of(content.get(key, ()), key)
            content[key] = tuple(step for item in items for step in steps_of(item, key))
        content["sources"] = sources_of(list_of(content.get("sources", ()), "sources"))
        content["splits"] = Splits.from_any(content.get("splits", {}))
        content["preprocessing"] = preprocessing_of(content.get("preprocessing", ()))
        content["scaling"] = scaling_of(content.get("scaling", ()))
        for key in ("measures", "directions"):
            if key in content:
                content[key] = tuple(list_of(content[key], key))
        return cls(**content)


def _double(names: Sequence[str]) -> list[str]:
    return [name for name in names if names.count(name) > 1]


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
    >>> from labelspan.lab import load_plan
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
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from error
    sources = list_of(content.get("sources", []), "sources")
    content["sources"] = sources_of(sources, folder=path.parent)
    return Plan.from_dict(content)


def cell_from_dict(content: Mapping[str, Any]) -> Cell:
    """Build a cell from its JSON form."""
    content = dict(content)
    content["source"] = Source(**content["source"])
    content["splits"] = Splits(**content["splits"])
    for key in ("reducer", "classifier"):
        content[key] = _step_from_dict(content[key])
    steps = content.get("preprocessing", ())
    content["preprocessing"] = tuple(_step_from_dict(step) for step in steps)
    content["measures"] = tuple(content["measures"])
    return Cell(**content)


def _step_from_dict(step: Mapping[str, Any]) -> Step:
    parameters = tuple((name, freeze(value)) for name, value in step["parameters"])
    return Step(step["method"], parameters, step["label"], step.get("missing", ""))
