"""What a report shows, as plain data, before any format."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np

from labelspan.lab.analysis import (
    DIGITS,
    LEGEND,
    Analysis,
    Chosen,
    Row,
    analyse,
    caution,
    chosen_values,
    facts_of,
    noise,
    recommendations,
    stored_plan,
    tuning_line,
    verdicts,
)
from labelspan.lab.methods import ALL_MEASURES
from labelspan.lab.plan import scaling_lines
from labelspan.lab.store import Store, damaged, decoded, series_in


@dataclass(frozen=True)
class Line:
    dataset: str
    classifier: str
    method: str
    n_splits: int
    n_cells: int
    n_failed: int
    means: dict[str, float]
    deviations: dict[str, float]
    ranks: dict[str, float]
    directions: float | None
    fit_seconds: float | None
    predict_seconds: float | None
    peak_memory: float | None
    #: Measures on which no ranked method of the block is better.
    best: set[str]

    @property
    def is_whole(self) -> bool:
        """Whether every split has a result; otherwise the mean is not comparable."""
        return self.n_failed == 0 and self.n_cells == self.n_splits

    @property
    def note(self) -> str:
        missing = self.n_splits - self.n_cells
        parts = [f"{self.n_failed} of {self.n_splits} splits failed"] if self.n_failed else []
        parts += [f"{missing} of {self.n_splits} splits missing"] if missing else []
        return ", ".join(parts)

    @property
    def rank(self) -> float | None:
        """Mean of the ranks of all measures among the methods of the same block."""
        return float(np.mean(list(self.ranks.values()))) if self.ranks else None


@dataclass(frozen=True, eq=False)
class Contents:
    analysis: Analysis
    command: str
    created: float
    parameters: dict[str, dict[str, str]]
    facts: dict[str, dict[str, Any]]
    environments: list[dict[str, str]]
    series: dict[str, dict[str, list[float]]]

    @cached_property
    def lines(self) -> list[Line]:
        groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
        for cell in self.analysis.plain:
            groups[(cell["dataset"], cell["classifier"], cell["method"])].append(cell)
        n_splits = self.analysis.plan.splits.n_splits
        return _ranked([_line(key, rows, self.measures, n_splits) for key, rows in groups.items()])

    @property
    def measures(self) -> tuple[str, ...]:
        return self.analysis.plan.measures

    @property
    def verdicts(self) -> list[str]:
        """One sentence per classifier and measure; per measure whether the classifiers agree."""
        return verdicts(self.analysis)

    @property
    def recommendations(self) -> list[str]:
        return recommendations(self.analysis)

    @property
    def noise(self) -> list[str]:
        return noise(self.facts)

    @property
    def caution(self) -> str:
        return caution(self.analysis)

    @property
    def settings(self) -> list[str]:
        """How features were scaled and parameters searched, if they were."""
        lines = [*scaling_lines(self.analysis.plan), tuning_line(self.analysis.plan)]
        return [line for line in lines if line]

    @cached_property
    def chosen(self) -> list[Chosen]:
        """Data set, method, step and parameter, with how often each value was chosen."""
        return chosen_values(self.analysis)

    @property
    def legend(self) -> str:
        return LEGEND

    @cached_property
    def failures(self) -> list[tuple[Row, int]]:
        """Failed cells, one per kind, with their number."""
        counts: Counter[tuple[str, ...]] = Counter()
        first: dict[tuple[str, ...], Row] = {}
        for cell in self.analysis.cells:
            if cell["status"] != "ok":
                key = (cell["dataset"], cell["method"], cell["status"], cell["error"])
                counts[key] += 1
                first.setdefault(key, cell)
        return [(first[key], n) for key, n in counts.most_common()]

    @cached_property
    def warnings(self) -> list[tuple[str, str, int]]:
        counts: Counter[tuple[str, str]] = Counter()
        for cell in self.analysis.plain:
            counts.update((cell["method"], text) for text in cell["warnings"])
        return [(method, text, n) for (method, text), n in counts.most_common(50)]

    @property
    def missing(self) -> str:
        """A sentence about cells without a result; empty if there are none."""
        n_cells, n_done = len(self.analysis.plan.cells), len(self.analysis.cells)
        if n_done == n_cells:
            return ""
        verb = "has" if n_cells - n_done == 1 else "have"
        return (
            f"{n_cells - n_done} of {n_cells} cells {verb} not been run; a method without a result "
            "on every split has no rank. The same command runs the rest."
        )

    @cached_property
    def statuses(self) -> dict[str, int]:
        return dict(Counter(cell["status"] for cell in self.analysis.cells))

    @cached_property
    def period(self) -> tuple[str, str]:
        times = [cell["finished"] for cell in self.analysis.cells] or [self.created]
        return instant(min(times)), instant(max(times))


def contents_of(store: Store, plan: str | None = None) -> Contents:
    analysis = analyse(store, plan)
    row = stored_plan(store, plan)
    contents = Contents(
        analysis=analysis,
        command=row["command"],
        created=row["created"],
        parameters=decoded(row, "parameters", {str: dict}, store.path),
        facts=facts_of(store, analysis.plan),
        environments=store.environments(cell["id"] for cell in analysis.cells),
        series=series_in(store, {cell["id"] for cell in analysis.plain}),
    )
    _check_labels(contents, store)
    return contents


def _check_labels(contents: Contents, store: Store) -> None:
    """Refuse a cell with values of more or fewer labels than its data set has."""
    for cell in contents.analysis.plain:
        names = contents.facts.get(cell["dataset"], {}).get("label_names")
        values = contents.series.get(cell["id"], {}).get("label_f1")
        if names and values and len(values) != len(names):
            row = {"cell": cell["id"], "name": "label_f1"}
            what = f"has {len(values)} values for {len(names)} labels"
            raise damaged(store.path, row, "content", what)


def _line(
    key: tuple[str, str, str], rows: list[Row], measures: Iterable[str], n_splits: int
) -> Line:
    good = [row for row in rows if row["status"] == "ok"]
    values = {
        name: [row["values"][name] for row in good if row["values"].get(name) is not None]
        for name in measures
    }
    known = {name: found for name, found in values.items() if found}
    return Line(
        *key,
        n_splits=n_splits,
        n_cells=len(rows),
        n_failed=len(rows) - len(good),
        means={name: float(np.mean(found)) for name, found in known.items()},
        deviations={
            name: float(np.std(found, ddof=1)) for name, found in known.items() if len(found) > 1
        },
        ranks={},
        directions=_mean(good, "n_components"),
        fit_seconds=_mean(good, "fit_seconds"),
        predict_seconds=_mean(good, "predict_seconds"),
        peak_memory=_mean(good, "peak_memory"),
        best=set(),
    )


def _mean(rows: list[Row], column: str) -> float | None:
    values = [row[column] for row in rows if row[column] is not None]
    return float(np.mean(values)) if values else None


def _ranked(lines: list[Line]) -> list[Line]:
    """Add ranks within data set and classifier; none to a mean that covers fewer splits."""
    blocks: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in lines:
        blocks[(line.dataset, line.classifier)].append(line)
    for block in blocks.values():
        whole = [line for line in block if line.is_whole]
        for name in {name for line in whole for name in line.means}:
            present = [line for line in whole if name in line.means]
            # A model has no competitors in its block, so its rank says nothing.
            if len(present) > 1:
                _rank(name, present)
    return lines


def _rank(name: str, lines: list[Line]) -> None:
    sign = -1 if ALL_MEASURES[name].direction == "max" else 1
    values = np.round([sign * line.means[name] for line in lines], DIGITS)
    for line, value in zip(lines, values, strict=True):
        below = np.count_nonzero(values < value)
        line.ranks[name] = below + (np.count_nonzero(values == value) + 1) / 2
        if not below:
            line.best.add(name)


def instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
