"""An experiment of a paper, and the rules by which its values are judged."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from labelspan.lab.plan import Plan
from labelspan.papers._values import Key, Values

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
- A mean with neither is reproduced within 0.02 of the range of its measure: within 0.02 for one
  from 0 to 1, and within 0.16 for an average rank among nine methods. This is our convention,
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
    trivial: str = ""  # why a statement is no finding
    cause: str = ""  # of a difference, one of CAUSES

    @property
    def difference(self) -> float | None:
        """Ours minus the printed value, if both are numbers."""
        if isinstance(self.printed, int | float) and isinstance(self.ours, int | float):
            return float(self.ours - self.printed)
        return None


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper that can be run, in `minutes` of one processor.

    `packages` are those that labelspan does not install. `follow_up` makes plans from what the
    search in `plans` found. `compute` adds values that need no cells.
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
    compute: Callable[[], dict[Key, list[float]]] | None = None

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
    values: Values = field(default_factory=lambda: Values({}, ()))
    plans: tuple[Plan, ...] = ()

    @property
    def summary(self) -> str:
        """One line: how many of the printed values and statements were reproduced."""
        if self.not_run:
            return f"not run: {self.not_run}"
        judged = [line for line in self.judged if line.verdict != "not judged"]
        counted = [line for line in judged if not line.trivial]
        good = sum(line.verdict == "reproduced" for line in counted)
        trivial = len(judged) - len(counted)
        rest = f"; {trivial} trivial" if trivial else ""
        if not judged:
            return f"{len(self.judged)} values; the paper prints none"
        return f"{good} of {len(counted)} printed values and statements reproduced{rest}"


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


def judge_value(
    what: str,
    printed: float,
    ours: float | None,
    *,
    deviation: float | None = None,
    errors: tuple[float, float] | None = None,
    n_printed: int | None = None,
    scale: float = 1.0,
    note: str = "",
) -> Judged:
    """Judge a mean by the printed deviation of `n_printed` sets, standard errors, or its range."""
    if printed is None or math.isnan(printed):
        return Judged(what, None, ours, "not judged", note)
    if deviation is not None:
        tolerance, name = deviation or HALF_DIGIT, "the printed deviation"
    elif errors is not None:
        printed_error, own = errors
        joint = math.hypot(printed_error or HALF_DIGIT, own)
        tolerance, name = STANDARD_ERRORS * joint, "three standard errors"
    else:
        tolerance, name = PLAIN_TOLERANCE * scale, "the rule for means without a spread"
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
