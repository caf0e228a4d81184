"""An experiment of a paper, and the rules by which its values are judged."""

from __future__ import annotations

import math
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from labelspan.lab.analysis import cells_of
from labelspan.lab.plan import Plan
from labelspan.lab.runner import PACKAGES
from labelspan.lab.store import Store, series_in

FOLDER = Path(__file__).parent
# Two means over random splits may differ by this many standard errors of their difference.
STANDARD_ERRORS = 3.0
# Used for a standard error or deviation that is printed as 0.0000.
HALF_DIGIT = 5e-5

# The Yahoo sets that differ from those of the papers, and the evidence.
OTHER_PAGES = {
    "business": "another collection: 11182 pages and 17749 words remain, the paper has "
    "9968 and 16621"
}

#: The rules of the verdicts.
RULES = """\
- A count is reproduced if it is equal.
- A mean with a printed standard deviation is reproduced within that deviation. Deviations between
  data sets are large, so a second count, "strictly", requires one printed standard error of the
  mean: the deviation over the square root of the number of sets.
- A mean with a printed standard error is reproduced within three standard errors of the
  difference, which combine the printed one and that of our splits. Chance alone exceeds this
  once in 370 times. An error or deviation printed as 0.0000 counts as half of its last digit.
- A mean with neither is reproduced within 0.02 (of a measure from 0 to 1). This is our convention,
  because the paper prints no measure of spread.
- A statement about an order (A is better than B) is reproduced if our values have that order.
- A value that the paper does not print, or prints over other data sets, is not judged.
"""
PLAIN_TOLERANCE = 0.02


@dataclass(frozen=True)
class Judged:
    """A printed value or statement, and ours, judged according to `RULES`."""

    what: str
    printed: float | str | None  # None if the paper prints nothing
    ours: float | str | None
    verdict: str
    note: str = ""  # the rule with its tolerance
    reasons: tuple[str, ...] = ()  # known ones for a difference
    strictly: bool | None = None  # None if there is no stricter rule

    @property
    def difference(self) -> float | None:
        """Ours minus the printed value, if both are numbers."""
        if isinstance(self.printed, int | float) and isinstance(self.ours, int | float):
            return float(self.ours - self.printed)
        return None


@dataclass(frozen=True)
class Values:
    """What was measured, by data set, method and measure; `failed` names the cells that failed."""

    found: dict[tuple[str, str, str], list[float]]  # lists over the splits
    failed: tuple[str, ...]
    curves: dict[tuple[str, str, str], dict[int, float]] = field(default_factory=dict)  # by size
    spectra: dict[tuple[str, str], list[float]] = field(default_factory=dict)  # of the first split

    def mean(self, dataset: str, method: str, measure: str) -> float | None:
        values = self.found.get((dataset, method, measure))
        return float(np.mean(values)) if values else None

    def error(self, dataset: str, method: str, measure: str) -> float:
        """Standard error of the mean over the splits; 0 for one split."""
        values = self.found.get((dataset, method, measure), [])
        return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0

    def over(self, datasets: Iterable[str], method: str, measure: str) -> float | None:
        values = [self.mean(dataset, method, measure) for dataset in datasets]
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if len(known) == len(values) and known else None


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper that can be run, in `minutes` on two processors.

    `packages` are those that labelspan does not install. `follow_up` makes plans from what the
    search in `plans` found.
    """

    name: str
    title: str
    data: tuple[str, ...]
    minutes: float
    quick_minutes: float
    plans: Callable[[bool], tuple[Plan, ...]]
    judge: Callable[[Values, dict[str, Any]], list[Judged]]
    packages: tuple[str, ...] = ()
    follow_up: Callable[[Values, bool], tuple[Plan, ...]] | None = None

    @property
    def paper(self) -> str:
        """Short name of the paper."""
        return self.name.partition("/")[0]


@dataclass(frozen=True)
class Outcome:
    """An experiment with its judged values; `not_run` says why nothing was run."""

    experiment: Experiment
    judged: list[Judged]
    quick: bool
    failed: tuple[str, ...] = field(default=())
    setting: str = ""
    not_run: str = ""

    @property
    def summary(self) -> str:
        """One line: how many of the printed values and statements were reproduced."""
        if self.not_run:
            return f"not run: {self.not_run}"
        counted = [line for line in self.judged if line.verdict != "not judged"]
        good = sum(line.verdict == "reproduced" for line in counted)
        if not counted:
            return f"{len(self.judged)} values; the paper prints none"
        return f"{good} of {len(counted)} printed values and statements reproduced"


@lru_cache(maxsize=8)
def printed_values(paper: str) -> dict[str, Any]:
    """Read the data file of a paper."""
    return tomllib.loads(
        (FOLDER / paper.replace("-", "_") / "printed.toml").read_text(encoding="utf-8")
    )


def experiments_of(paper: str, runs: dict[str, tuple[Any, ...]]) -> tuple[Experiment, ...]:
    """Experiments by name: data sets, plans, judge; title and minutes are in the data file."""
    return tuple(
        Experiment(f"{paper}/{name}", title, data, minutes, quick_minutes, *run)
        for name, (data, *run) in runs.items()
        for title, minutes, quick_minutes in [printed_values(paper)["experiments"][name]]
    )


def values_of(store: Store, plans: Iterable[Plan]) -> Values:
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    points: dict[tuple[str, str, str], dict[int, list[float]]] = defaultdict(dict)
    spectra: dict[tuple[str, str], list[float]] = {}
    failed: dict[str, None] = {}
    for plan in plans:
        cells = cells_of(store, plan)
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
    return Values(dict(found), tuple(failed), curves, spectra)


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
        return "Computed from the printed values alone."
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


def judge_value(
    what: str,
    printed: float,
    ours: float | None,
    *,
    deviation: float | None = None,
    errors: tuple[float, float] | None = None,
    n_printed: int | None = None,
    note: str = "",
) -> Judged:
    """Judge a mean by the printed deviation of `n_printed` sets, standard errors, or neither."""
    if printed is None or math.isnan(printed):
        return Judged(what, None, ours, "not judged", note)
    if deviation is not None:
        tolerance, name = deviation or HALF_DIGIT, "the printed deviation"
    elif errors is not None:
        printed_error, own = errors
        joint = math.hypot(printed_error or HALF_DIGIT, own)
        tolerance, name = STANDARD_ERRORS * joint, "three standard errors"
    else:
        tolerance, name = PLAIN_TOLERANCE, "the rule for means without a spread"
    distance = math.inf if ours is None else abs(ours - printed) - 1e-12
    strictly = None
    if deviation is not None and n_printed is not None:
        strictly = distance <= tolerance / math.sqrt(n_printed)
    text = f"within {tolerance:.2g}, {name}" + (f"; {note}" if note else "")
    verdict = "reproduced" if distance <= tolerance else "not reproduced"
    return Judged(what, printed, ours, verdict, text, strictly=strictly)


def unjudged(lines: Iterable[Judged], note: str) -> list[Judged]:
    """Lines for data that differ from the paper's: shown with its values, without a verdict."""
    return [replace(line, verdict="not judged", note=note, strictly=None) for line in lines]


def judge_statement(what: str, printed: str, ours: str, holds: bool, note: str = "") -> Judged:
    return Judged(what, printed, ours, "reproduced" if holds else "not reproduced", note)
