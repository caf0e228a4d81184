"""Run experiments of the papers and judge them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from labelspan.datasets import DataFileError, list_datasets, load_dataset
from labelspan.lab.plan import Plan
from labelspan.lab.runner import Progress, run
from labelspan.lab.store import Store
from labelspan.papers._causes import with_reason
from labelspan.papers._experiment import (
    Experiment,
    Outcome,
    printed_values,
)
from labelspan.papers._values import Values, setting_of, values_of


def reproduce(
    experiments: Iterable[Experiment],
    store: Store,
    *,
    quick: bool = False,
    n_jobs: int | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
    command: str = "",
    retry_failed: bool = False,
    budget: float | None = None,
    stored: bool = False,
) -> Iterator[Outcome]:
    """Run experiments, sharing their cells, and judge each as soon as it is finished.

    With a `budget` in hours, those with most printed values per minute come first, and what exceeds
    the rest is postponed. `stored` runs nothing: it judges data sets whose cells are all in the
    store, and names the others. ``not_run`` of an outcome holds the reason.
    """
    start = time.monotonic()
    workers = (os.cpu_count() or 1) if n_jobs in (None, -1) else max(n_jobs, 1)
    if budget is not None:
        experiments = sorted(experiments, key=lambda one: -values_per_minute(one, quick))

    def run_all(plans: Iterable[Plan]) -> None:
        for plan in plans:
            run(
                plan,
                store,
                n_jobs=n_jobs,
                timeout=timeout,
                progress=progress,
                command=command,
                retry_failed=retry_failed,
            )

    for experiment in experiments:
        if lacking := lacking_data(experiment):
            yield Outcome(experiment, [], quick, not_run=lacking)
            continue
        plans = experiment.plans(quick)
        absent = ""
        if stored:
            plans, absent = complete(plans, store)
            if absent and not plans:
                yield Outcome(experiment, [], quick, not_run=how_to_run(experiment, ""))
                continue
        left = minutes_left(experiment, plans, store, quick) / workers
        if budget is not None and time.monotonic() - start + 60 * left > 3600 * budget:
            why = f"postponed: its {left:.0f} minutes do not fit into the budget of {budget:g} h"
            yield Outcome(experiment, [], quick, not_run=why)
            continue
        run_all(plans)
        values = _measured(experiment, store, plans)
        if experiment.follow_up is not None:
            more = experiment.follow_up(values, quick)
            if stored:
                more, absent = complete(more, store)
            run_all(more)
            plans = (*plans, *more)
            values = _measured(experiment, store, plans)
        printed = printed_values(experiment.paper)
        judged = [
            with_reason(line, printed, experiment.name)
            for line in experiment.judge(values, printed)
        ]
        setting = setting_of(store, plans)
        if absent:
            setting += f" Not run yet: {how_to_run(experiment, absent)}."
        yield Outcome(experiment, judged, quick, values.failed, setting, values=values, plans=plans)


def _measured(experiment: Experiment, store: Store, plans: Iterable[Plan]) -> Values:
    values = values_of(store, plans)
    if experiment.compute is not None:
        values.found.update(experiment.compute())
    return values


def complete(plans: Iterable[Plan], store: Store) -> tuple[tuple[Plan, ...], str]:
    """The plans restricted to data sets whose cells are all stored, and the other data sets."""
    kept: list[Plan] = []
    absent: dict[str, None] = {}
    for plan in plans:
        done = store.finished(plan.cells)
        lacking = {cell.source: None for cell in plan.cells if cell.id not in done}
        absent.update((source.name, None) for source in lacking)
        sources = tuple(source for source in plan.sources if source not in lacking)
        if sources:
            kept.append(replace(plan, sources=sources))
    return tuple(kept), ", ".join(absent)


def how_to_run(experiment: Experiment, absent: str) -> str:
    command = f"labelspan reproduce {experiment.name} runs it"
    minutes = f"about {experiment.minutes:g} processor minutes"
    return f"{absent}; {command}, {minutes}" if absent else f"{command}, {minutes}"


def values_per_minute(experiment: Experiment, quick: bool) -> float:
    """Printed numbers per minute of a table or figure; a figure may print none."""
    table = experiment.name.partition("/")[2].partition("-")[0]
    numbers = numbers_in(printed_values(experiment.paper).get(table, {}))
    return max(numbers, 1) / (experiment.quick_minutes if quick else experiment.minutes)


def numbers_in(content: Any) -> int:
    if isinstance(content, dict | list):
        parts = content.values() if isinstance(content, dict) else content
        return sum(map(numbers_in, parts))
    return 1


def minutes_left(experiment: Experiment, plans: Iterable[Plan], store: Store, quick: bool) -> float:
    cells = {cell.id: cell for plan in plans for cell in plan.cells}
    done = len(store.finished(cells.values()))
    whole = experiment.quick_minutes if quick else experiment.minutes
    return whole * (1 - done / len(cells)) if cells else whole


def lacking_data(experiment: Experiment) -> str:
    """Fetch the data sets of an experiment; return the first error, or ""."""
    where = {info.name: info.where for info in list_datasets()}
    for name in experiment.data:
        if where[name] in ("download", "missing"):
            try:
                load_dataset(name)
            except (OSError, ImportError, DataFileError) as error:
                # The first line states the error; the others say where to put which files.
                return f"the data set {name} is missing ({str(error).splitlines()[0]})"
    return ""
