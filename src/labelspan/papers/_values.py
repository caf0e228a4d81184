"""What the cells of an experiment measured, as its judge reads it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from labelspan.lab.analysis import cells_of
from labelspan.lab.plan import Plan
from labelspan.lab.runner import PACKAGES
from labelspan.lab.store import Store, series_in

Key = tuple[str, str, str]


@dataclass(frozen=True)
class Values:
    """What was measured, by data set, method and measure; `failed` names the cells that failed.

    `asked` collects what a judge reads: that much of the store is kept as text.
    """

    found: dict[Key, list[float]]  # lists over the splits
    failed: tuple[str, ...]
    curves: dict[Key, dict[int, float]] = field(default_factory=dict)  # by size
    spectra: dict[tuple[str, str], list[float]] = field(default_factory=dict)  # of the first split
    means: dict[Key, tuple[float, float]] = field(default_factory=dict)  # with standard errors
    seconds: dict[str, float] = field(default_factory=dict)  # of the processor, by hash of the plan
    asked: set[tuple[str, tuple[str, ...]]] = field(default_factory=set, compare=False)

    @property
    def datasets(self) -> list[str]:
        return sorted({dataset for dataset, _, _ in (*self.found, *self.means)})

    def mean(self, dataset: str, method: str, measure: str) -> float | None:
        self.asked.add(("mean", (dataset, method, measure)))
        found = self._summary((dataset, method, measure))
        return None if found is None else found[0]

    def error(self, dataset: str, method: str, measure: str) -> float:
        """Standard error of the mean over the splits; 0 for one split."""
        self.asked.add(("error", (dataset, method, measure)))
        found = self._summary((dataset, method, measure))
        return 0.0 if found is None else found[1]

    def splits(self, dataset: str, method: str, measure: str) -> list[float]:
        """The values of all splits, for tests that pair them."""
        self.asked.add(("splits", (dataset, method, measure)))
        return self.found.get((dataset, method, measure), [])

    def curve(self, dataset: str, method: str, measure: str) -> dict[int, float]:
        self.asked.add(("curve", (dataset, method, measure)))
        return self.curves.get((dataset, method, measure), {})

    def spectrum(self, dataset: str, method: str) -> list[float]:
        self.asked.add(("spectrum", (dataset, method)))
        return self.spectra.get((dataset, method), [])

    def best(self, dataset: str, method: str, measure: str) -> float | None:
        """The largest mean over the points of a search, "method: point"."""
        if (whole := self.means.get((dataset, f"{method}: *", measure))) is not None:
            return whole[0]
        self.asked.add(("best", (dataset, method, measure)))
        points = [
            float(np.mean(self.found[key]))
            for key in self.found
            if (key[0], key[2]) == (dataset, measure) and key[1].startswith(f"{method}: ")
        ]
        return max(points, default=None)

    def over(self, datasets: Iterable[str], method: str, measure: str) -> float | None:
        values = [self.mean(dataset, method, measure) for dataset in datasets]
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if len(known) == len(values) and known else None

    def _summary(self, key: Key) -> tuple[float, float] | None:
        values = self.found.get(key)
        if not values:
            return self.means.get(key)
        error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
        return float(np.mean(values)), float(error)


def values_of(store: Store, plans: Iterable[Plan]) -> Values:
    found: dict[Key, list[float]] = defaultdict(list)
    points: dict[Key, dict[int, list[float]]] = defaultdict(dict)
    spectra: dict[tuple[str, str], list[float]] = {}
    failed: dict[str, None] = {}
    seconds: dict[str, float] = {}
    for plan in plans:
        cells = cells_of(store, plan)
        seconds[plan.hash] = sum(cell["total_seconds"] or 0.0 for cell in cells)
        spectra.update(_spectra(store, cells))
        for cell in cells:
            if cell["status"] != "ok":
                text = f"{cell['method']} on {cell['dataset']}: {cell['status']}: {cell['error']}"
                failed.setdefault(text)
            row = {**cell["values"], "n_components": cell["n_components"]}
            row["fit_seconds"] = cell["fit_seconds"]
            for measure, value in row.items():
                key = (cell["dataset"], cell["method"], measure)
                if value is not None and cell["directions"] is None:
                    found[key].append(value)
                elif value is not None:
                    points[key].setdefault(cell["directions"], []).append(value)
    curves = {
        key: {size: float(np.mean(items)) for size, items in sorted(sizes.items())}
        for key, sizes in points.items()
    }
    return Values(dict(found), tuple(failed), curves, spectra, seconds=seconds)


def setting_of(store: Store, plans: Iterable[Plan]) -> str:
    sets: dict[str, list[str]] = defaultdict(list)
    wanted: set[str] = set()
    for plan in plans:
        names = [source.name for source in plan.sources]
        sets[plan.splits.title] += [name for name in names if name not in sets[plan.splits.title]]
        wanted.update(cell.id for cell in plan.cells)
    packages = dict.fromkeys(
        ", ".join(f"{name} {item[name]}" for name in (*PACKAGES, "code") if name in item)
        for item in store.environments(wanted)
    )
    if not wanted:
        return "Computed from the data and the printed values."
    split = "; ".join(f"{', '.join(names)}: {title}" for title, names in sets.items())
    return f"{len(wanted)} cells. {split}. With {' and '.join(packages) or 'no results'}."


def _spectra(store: Store, cells: list[dict[str, Any]]) -> dict[tuple[str, str], list[float]]:
    first = {
        cell["id"]: (cell["dataset"], cell["method"])
        for cell in cells
        if cell["split"] == 0 and cell["directions"] is None
    }
    series = series_in(store, first)
    return {
        first[id_]: lists["eigenvalues"] for id_, lists in series.items() if "eigenvalues" in lists
    }
