"""From the rows of a store to means, ranks and tests."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import rankdata

from labelspan.lab.methods import ALL_MEASURES
from labelspan.lab.plan import Plan
from labelspan.lab.store import Store, StoreError, cells_in
from labelspan.stats import (
    FriedmanResult,
    NemenyiResult,
    average_ranks,
    friedman,
    nemenyi,
    wilcoxon,
)

ALPHA = 0.05
# No verdict from fewer data sets or splits. If two methods are equally good, one of them wins on
# all n by chance with probability 2 / 2**n. This is the smallest p-value of any exact test of the
# pair: 0.0625 for 5, 0.03125 for 6. With fewer data sets, the tests use splits as blocks.
LEAST_BLOCKS = 6
# Differences in the last digits are rounding, not rank.
DIGITS = 10

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Ranking:
    """One measure: values of all methods on all blocks, ranks and tests.

    Parameters
    ----------
    measure : str
        Name of the measure.
    methods : tuple of str
        Methods that have a value on every block.
    blocks : tuple of str
        Data sets; or splits of them, by classifier.
    n_parts : int
        Number of distinct data sets or splits among the blocks; several classifiers on one split
        count once.
    values : ndarray of shape (n_blocks, n_methods)
        Measured values.
    ranks : ndarray of shape (n_methods,)
        Average ranks; 1 is best.
    friedman : FriedmanResult or None
        None for fewer than 3 methods or 2 blocks.
    nemenyi : NemenyiResult or None
        None for fewer than `LEAST_BLOCKS` parts.
    pair : float or None
        Wilcoxon's p-value, signed ranks, if there are just two methods and 2 blocks or more.
    """

    measure: str
    methods: tuple[str, ...]
    blocks: tuple[str, ...]
    n_parts: int
    values: np.ndarray
    ranks: np.ndarray
    friedman: FriedmanResult | None
    nemenyi: NemenyiResult | None
    pair: float | None = None

    @property
    def order(self) -> tuple[str, ...]:
        """The methods, the best first: by average ranks, or for two methods by signed ranks."""
        # Many small gains can have a better average rank but a smaller sum of signed ranks.
        key = self.ranks if self.pair is None else self._signed_ranks()
        return tuple(self.methods[place] for place in np.argsort(key, kind="stable"))

    def _signed_ranks(self) -> np.ndarray:
        """Minus the sum of signed ranks of each of two methods; ties cancel."""
        sign = 1 if ALL_MEASURES[self.measure].direction == "max" else -1
        gains = sign * np.round(self.values, DIGITS) @ np.array([1, -1])
        total = float(np.sign(gains) @ rankdata(np.abs(gains)))
        return np.array([-total, total])

    @property
    def has_enough(self) -> bool:
        """Whether there are enough parts for a verdict."""
        return self.n_parts >= LEAST_BLOCKS

    @property
    def differ(self) -> bool:
        """Whether Friedman's test, or Wilcoxon's for two, rejects that all methods are equal."""
        if not self.has_enough:
            return False
        if self.pair is not None:
            return self.pair < ALPHA
        return self.friedman is not None and self.friedman.p_value < ALPHA

    def separated(self, first: str, second: str) -> bool:
        """Whether Nemenyi's test (after Friedman's rejected) or Wilcoxon's separates two methods.

        Parameters
        ----------
        first, second : str
            Methods.

        Returns
        -------
        bool
        """
        if not self.differ or self.nemenyi is None:
            return False
        if self.pair is not None:
            return first != second
        i, j = self.methods.index(first), self.methods.index(second)
        return bool(self.nemenyi.significant[i, j])


@dataclass(frozen=True, eq=False)
class Analysis:
    """The data behind tables, verdicts and reports.

    Parameters
    ----------
    plan : Plan
        What was run.
    cells : list of dict
        One row per finished cell, with "values" by measure.
    rankings : dict of str to Ranking
        By measure; measures without two comparable methods are missing.
    overall : dict of str to float
        Mean over the measures of the average ranks.
    excluded : dict of str to str
        Methods without ranks, with the reason.
    blocks_are : {"data sets", "splits"}
        The units that the tests treat as independent.
    """

    plan: Plan
    cells: list[Row]
    rankings: dict[str, Ranking]
    overall: dict[str, float]
    excluded: dict[str, str]
    blocks_are: str

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """All methods, the best first."""
        names = dict.fromkeys(cell["method"] for cell in self.plain)
        return tuple(sorted(names, key=lambda name: self.overall.get(name, np.inf)))

    @property
    def is_finished(self) -> bool:
        """Whether every cell of the plan has a result, good or bad."""
        return len(self.cells) == len(self.plan.cells)

    @cached_property
    def plain(self) -> list[Row]:
        """Cells that are not points of a curve."""
        return [cell for cell in self.cells if cell["directions"] is None]

    def mean(self, column: str, method: str) -> float | None:
        """Mean of a column or a measure over the finished cells of a method.

        Parameters
        ----------
        column : str
            A column of the cells, or a measure.
        method : str
            The method.

        Returns
        -------
        float or None
        """
        return self._means(column).get(method)

    def _means(self, column: str) -> dict[str, float]:
        found: dict[str, list[float]] = defaultdict(list)
        for cell in self.plain:
            value = cell["values"].get(column) if column in ALL_MEASURES else cell[column]
            if cell["status"] == "ok" and value is not None:
                found[cell["method"]].append(value)
        return {method: float(np.mean(values)) for method, values in found.items()}


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
    'MDDM_f'
    """
    chosen = Plan.from_dict(json.loads(stored_plan(store, plan)["content"]))
    cells = cells_of(store, chosen)
    plain = [cell for cell in cells if cell["directions"] is None]
    excluded = _excluded(plain)
    datasets = len(chosen.sources)
    blocks_are = "data sets" if datasets >= LEAST_BLOCKS else "splits"
    competing = [cell for cell in plain if cell["method"] not in excluded]
    found = {
        measure: ranking
        for measure in chosen.measures
        if (ranking := _ranking(measure, competing, blocks_are)) is not None
    }
    return Analysis(chosen, cells, found, _overall(found), excluded, blocks_are)


def stored_plan(store: Store, plan: str | None = None) -> Row:
    """The row of a plan by its hash; by default of the plan run last."""
    plans = [row for row in store.plans() if plan in (None, row["hash"])]
    if not plans:
        raise StoreError(f"there is no plan {plan or ''} in {store.folder}.")
    return plans[0]


def cells_of(store: Store, plan: Plan) -> list[Row]:
    """Stored cells of a plan, in its order."""
    wanted = {cell.id: place for place, cell in enumerate(plan.cells)}
    models = {step.title for step in plan.models}
    rows = cells_in(store, wanted)
    rows.sort(key=lambda row: wanted[row["id"]])
    for row in rows:
        row["is_model"] = row["classifier"] in models
    return rows


def _excluded(cells: Sequence[Row]) -> dict[str, str]:
    bad: dict[str, list[Row]] = defaultdict(list)
    for cell in cells:
        if cell["status"] != "ok":
            bad[cell["method"]].append(cell)
    return {
        method: f"{rows[0]['status']} in {len(rows)} cells: {rows[0]['error']}"
        for method, rows in bad.items()
    }


def _ranking(measure: str, cells: Sequence[Row], blocks_are: str) -> Ranking | None:
    """Table of blocks by methods; incomplete blocks are left out."""
    methods = tuple(dict.fromkeys(cell["method"] for cell in cells))
    classifiers = dict.fromkeys(cell["classifier"] for cell in cells if not cell["is_model"])
    if blocks_are == "data sets":
        cells = _in_every_method(measure, cells)
    table: dict[tuple[Any, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        value = cell["values"].get(measure)
        for key in _keys(cell, tuple(classifiers), blocks_are) if value is not None else ():
            table[key][cell["method"]].append(value)
    full = {key: row for key, row in table.items() if len(row) == len(methods)}
    if len(methods) < 2 or not full:
        return None
    values = np.array([[np.mean(row[method]) for method in methods] for row in full.values()])
    # A key is a data set, or a data set, a split and a classifier.
    n_parts = len({key[:2] for key in full})
    return _tested(measure, methods, tuple(_block_name(key) for key in full), n_parts, values)


def _in_every_method(measure: str, cells: Sequence[Row]) -> list[Row]:
    """Cells of the splits on which all methods have a value, so that means are comparable."""
    present: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
    for cell in cells:
        if cell["values"].get(measure) is not None:
            present[cell["dataset"], cell["split"]].add((cell["method"], cell["classifier"]))
    everything = {(cell["method"], cell["classifier"]) for cell in cells}
    return [cell for cell in cells if present[cell["dataset"], cell["split"]] == everything]


def _keys(cell: Row, classifiers: tuple[str, ...], blocks_are: str) -> list[tuple[Any, ...]]:
    """Blocks of a cell; a model competes with the reducers under every classifier."""
    if blocks_are == "data sets":
        return [(cell["dataset"],)]
    names = (classifiers or ("",)) if cell["is_model"] else (cell["classifier"],)
    return [(cell["dataset"], cell["split"], name) for name in names]


def _block_name(key: tuple[Any, ...]) -> str:
    if len(key) == 1:
        return str(key[0])
    return f"{key[0]}, split {key[1]}" + (f", {key[2]}" if key[2] else "")


def _tested(
    measure: str,
    methods: tuple[str, ...],
    blocks: tuple[str, ...],
    n_parts: int,
    values: np.ndarray,
) -> Ranking:
    larger = ALL_MEASURES[measure].direction == "max"
    rounded = np.round(values, DIGITS)
    ranks = average_ranks(rounded, greater_is_better=larger, names=methods)
    enough = len(blocks) >= 2
    return Ranking(
        measure=measure,
        methods=methods,
        blocks=blocks,
        n_parts=n_parts,
        values=values,
        ranks=ranks.average,
        friedman=friedman(rounded, greater_is_better=larger, names=methods)
        if enough and len(methods) >= 3
        else None,
        nemenyi=nemenyi(rounded, greater_is_better=larger, names=methods, alpha=ALPHA)
        if n_parts >= LEAST_BLOCKS
        else None,
        pair=float(wilcoxon(rounded).holm.adjusted[0]) if enough and len(methods) == 2 else None,
    )


def _overall(rankings: dict[str, Ranking]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for ranking in rankings.values():
        for method, rank in zip(ranking.methods, ranking.ranks, strict=True):
            found[method].append(float(rank))
    return {method: float(np.mean(ranks)) for method, ranks in found.items()}
