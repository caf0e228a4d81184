"""From the rows of a store to means, ranks and tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from labelspan.lab.analysis._interaction import Interaction, interaction
from labelspan.lab.analysis._ranking import LEAST_BLOCKS, Ranking, ranked
from labelspan.lab.methods import ALL_MEASURES
from labelspan.lab.plan import Cell, Plan, as_read, digest
from labelspan.lab.store import Store, StoreError, cells_in, damaged, decoded, facts_in
from labelspan.system import counted

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Analysis:
    """The data behind tables, verdicts and reports.

    Parameters
    ----------
    plan : Plan
        What was run.
    cells : list of dict
        One row per finished cell, with "values" by measure.
    rankings : dict of str to dict of str to Ranking
        By classifier and measure; measures without two comparable methods are missing. The
        classifier is "" if models were compared alone.
    overall : dict of str to dict of str to float
        By classifier and method: mean over the measures of the average ranks.
    interactions : dict of str to Interaction
        By measure: whether the ranks depend on the classifier. Empty for one classifier.
    excluded : dict of str to str
        Methods without ranks, with the reason.
    blocks_are : {"data sets", "splits"}
        The units that the tests treat as independent.
    """

    plan: Plan
    cells: list[Row]
    rankings: dict[str, dict[str, Ranking]]
    overall: dict[str, dict[str, float]]
    interactions: dict[str, Interaction]
    excluded: dict[str, str]
    blocks_are: str

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """All methods, the best by the mean over the classifiers first."""
        ranks: dict[str, list[float]] = defaultdict(list)
        for overall in self.overall.values():
            for method, rank in overall.items():
                ranks[method].append(rank)
        return _sorted_by(
            self.plain, {name: float(np.mean(found)) for name, found in ranks.items()}
        )

    @property
    def classifiers(self) -> tuple[str, ...]:
        """Titles of the classifiers, each with rankings of its own; "" if there are none."""
        return tuple(self.rankings)

    def methods_under(self, classifier: str) -> tuple[str, ...]:
        """Methods with results under a classifier, the best first; models are under all of them."""
        return _sorted_by(self.under(classifier), self.overall[classifier])

    def under(self, classifier: str) -> list[Row]:
        """Cells of a classifier and of all models, without points of a curve."""
        return _under(classifier, self.plain)

    def ranking_of(self, cell: Row, measure: str) -> Ranking | None:
        """The ranking that a cell is part of; None for a model under several classifiers."""
        found = [name for name in self.classifiers if _under(name, [cell])]
        if len(found) > 1 or cell["directions"] is not None or cell["method"] in self.excluded:
            return None
        return self.rankings[found[0]].get(measure)

    @property
    def is_finished(self) -> bool:
        """Whether every cell of the plan has a result, good or bad."""
        return len(self.cells) == len(self.plan.cells)

    @cached_property
    def plain(self) -> list[Row]:
        """Cells that are not points of a curve."""
        return [cell for cell in self.cells if cell["directions"] is None]

    def mean(self, column: str, method: str, classifier: str) -> float | None:
        """Mean of a column or a measure over the finished cells of a method under a classifier."""
        values = [
            cell["values"].get(column) if column in ALL_MEASURES else cell[column]
            for cell in self.under(classifier)
            if cell["method"] == method and cell["status"] == "ok"
        ]
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if known else None


def analyse(store: Store, plan: str | None = None) -> Analysis:
    """Compute ranks and tests from the stored results of a plan.

    Parameters
    ----------
    store : Store
        The results.
    plan : str, optional
        Hash of the plan; by default the plan run last.

    Returns
    -------
    Analysis

    Examples
    --------
    >>> import tempfile
    >>> from labelspan.lab import Plan, Source, Splits, Step, Store, analyse, run
    >>> plan = Plan(
    ...     "a small one",
    ...     sources=(Source("yeast"),),
    ...     reducers=(Step("none"), Step("mddm-f"), Step("dmlda")),
    ...     classifiers=(Step("ridge"),),
    ...     splits=Splits("folds", n_folds=2, n_repeats=1),
    ... )
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     summary = run(plan, store, n_jobs=0)
    ...     analyse(store).methods[0]
    'no reduction'
    """
    chosen = _read_plan(store, plan)
    cells = cells_of(store, chosen)
    plain = [cell for cell in cells if cell["directions"] is None]
    excluded = _excluded(plain)
    blocks_are = "data sets" if len(chosen.sources) >= LEAST_BLOCKS else "splits"
    competing = [cell for cell in plain if cell["method"] not in excluded]
    found: dict[str, dict[str, Ranking]] = {}
    for classifier in [step.title for step in chosen.classifiers] or [""]:
        under = _under(classifier, competing)
        ranked = ((name, _ranking(name, under, blocks_are)) for name in chosen.measures)
        found[classifier] = {name: ranking for name, ranking in ranked if ranking is not None}
    overall = {classifier: _overall(rankings) for classifier, rankings in found.items()}
    interactions = _interactions(chosen.measures, found)
    return Analysis(chosen, cells, found, overall, interactions, excluded, blocks_are)


def _read_plan(store: Store, plan: str | None) -> Plan:
    row = stored_plan(store, plan)
    content = decoded(row, "content", dict, store.path)
    try:
        return Plan.from_dict(as_read(content))
    except ValueError as error:
        raise damaged(store.path, row, "content", f"is not a plan ({error})") from error


def stored_plan(store: Store, plan: str | None = None) -> Row:
    """The row of a plan by its hash; by default of the plan run last."""
    plans = [row for row in store.plans() if plan in (None, row["hash"])]
    if not plans:
        raise StoreError(f"there is no plan {plan or ''} in {store.folder}.")
    return plans[0]


def facts_of(store: Store, plan: Plan) -> dict[str, dict[str, Any]]:
    """The stored facts about the data sets of a plan, by name."""
    sources = {digest(asdict(source)): source.name for source in plan.sources}
    found = facts_in(store)
    return {sources[source]: found[source] for source in found if source in sources}


def cells_of(store: Store, plan: Plan) -> list[Row]:
    """Stored cells of a plan, in its order."""
    planned = {cell.id: cell for cell in plan.cells}
    places = {id_: place for place, id_ in enumerate(planned)}
    models = {step.title for step in plan.models}
    rows = cells_in(store, planned)
    rows.sort(key=lambda row: places[row["id"]])
    for row in rows:
        _check_cell(row, planned[row["id"]], store)
        row["is_model"] = row["classifier"] in models
    return rows


def _check_cell(row: Row, cell: Cell, store: Store) -> None:
    names = {
        "dataset": cell.source.name,
        "split": cell.split,
        "method": cell.method,
        "reducer": cell.reducer.title,
        "classifier": cell.classifier.title,
        "directions": cell.directions,
    }
    for column, name in names.items():
        if row[column] != name:
            raise damaged(store.path, row, column, f"is {row[column]!r}, {name!r} in the plan")


def _excluded(cells: Sequence[Row]) -> dict[str, str]:
    bad: dict[str, list[Row]] = defaultdict(list)
    for cell in cells:
        if cell["status"] != "ok":
            bad[cell["method"]].append(cell)
    return {
        method: f"{rows[0]['status']} in {counted(len(rows), 'cell')}: {rows[0]['error']}"
        for method, rows in bad.items()
    }


def _under(classifier: str, cells: Sequence[Row]) -> list[Row]:
    """Cells of a classifier, and of the models, which compete under every classifier."""
    return [cell for cell in cells if cell["is_model"] or cell["classifier"] == classifier]


def _sorted_by(cells: Sequence[Row], ranks: dict[str, float]) -> tuple[str, ...]:
    names = dict.fromkeys(cell["method"] for cell in cells)
    return tuple(sorted(names, key=lambda name: ranks.get(name, np.inf)))


def _interactions(
    measures: Sequence[str], rankings: dict[str, dict[str, Ranking]]
) -> dict[str, Interaction]:
    found = {
        measure: interaction(
            {
                name: by_measure[measure]
                for name, by_measure in rankings.items()
                if measure in by_measure
            }
        )
        for measure in measures
    }
    return {measure: item for measure, item in found.items() if item is not None}


def _ranking(measure: str, cells: Sequence[Row], blocks_are: str) -> Ranking | None:
    """Table of blocks by methods; incomplete blocks are left out."""
    methods = tuple(dict.fromkeys(cell["method"] for cell in cells))
    if blocks_are == "data sets":
        cells = _in_every_method(measure, cells)
    table: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        value = cell["values"].get(measure)
        if value is not None:
            table[_block(cell, blocks_are)][cell["method"]].append(value)
    full = {block: row for block, row in table.items() if len(row) == len(methods)}
    if len(methods) < 2 or not full:
        return None
    values = np.array([[np.mean(row[method]) for method in methods] for row in full.values()])
    return ranked(measure, methods, tuple(full), values)


def _in_every_method(measure: str, cells: Sequence[Row]) -> list[Row]:
    """Cells of the splits on which all methods have a value, so that means are comparable."""
    present: dict[tuple[str, int], set[str]] = defaultdict(set)
    for cell in cells:
        if cell["values"].get(measure) is not None:
            present[cell["dataset"], cell["split"]].add(cell["method"])
    everything = {cell["method"] for cell in cells}
    return [cell for cell in cells if present[cell["dataset"], cell["split"]] == everything]


def _block(cell: Row, blocks_are: str) -> str:
    name = str(cell["dataset"])
    return name if blocks_are == "data sets" else f"{name}, split {cell['split']}"


def _overall(rankings: dict[str, Ranking]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for ranking in rankings.values():
        for method, rank in zip(ranking.methods, ranking.ranks, strict=True):
            found[method].append(float(rank))
    return {method: float(np.mean(ranks)) for method, ranks in found.items()}
