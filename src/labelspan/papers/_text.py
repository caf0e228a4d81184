"""The values behind the page as text: what the judges read, by experiment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelspan.lab.plan import Plan
from labelspan.papers._causes import with_reason
from labelspan.papers._experiment import Experiment, Outcome, printed_values
from labelspan.papers._reproduce import how_to_run
from labelspan.papers._values import Key, Values

FORMAT = 1
# The text is read from a file that may have been edited; the real one has a tenth of this.
MOST_BYTES, LONGEST_LIST, LONGEST_TEXT = 5_000_000, 1000, 5000
# Of an eigenvalue spectrum, which judges read up to the 100th.
MOST_EIGENVALUES = 100
DIGITS = 6
# Paired splits may differ by one prediction in a hundred thousand.
DIGITS_OF_SPLITS = 8


class TextError(ValueError):
    """The text of the values is damaged or has another format."""


@dataclass(frozen=True)
class Kept:
    """The values of an experiment, its setting, and its plans with a digest of their cells."""

    values: Values
    setting: str
    plans: dict[str, tuple[int, str]]

    @property
    def minutes(self) -> float:
        """Processor minutes of all its cells."""
        return sum(self.values.seconds.values()) / 60


def digest_of_cells(plan: Plan) -> tuple[int, str]:
    """How many cells a plan has, and a digest of their keys."""
    keys = sorted(cell.id for cell in plan.cells)
    return len(keys), hashlib.sha256("\n".join(keys).encode()).hexdigest()[:16]


def kept(outcome: Outcome) -> Kept:
    """What the judge of an outcome read."""
    values = outcome.values
    wanted: dict[str, list[Any]] = {}
    for kind, name in sorted(values.asked):
        wanted.setdefault(kind, []).append(name)
    splits = {key: values.found[key] for key in wanted.get("splits", ()) if key in values.found}
    means: dict[Key, tuple[float, float]] = {}
    for kind in ("mean", "error"):
        for key in wanted.get(kind, ()):
            if key not in splits and (summary := values._summary(key)) is not None:
                means[key] = (summary[0], summary[1] if kind == "error" else 0.0)
    for dataset, method, measure in wanted.get("best", ()):
        if (value := values.best(dataset, method, measure)) is not None:
            means[dataset, f"{method}: *", measure] = (value, 0.0)
    curves = {key: values.curves[key] for key in wanted.get("curve", ()) if key in values.curves}
    spectra = {
        key: values.spectra[key][:MOST_EIGENVALUES]
        for key in wanted.get("spectrum", ())
        if key in values.spectra
    }
    plans = {plan.hash: digest_of_cells(plan) for plan in outcome.plans}
    failed = tuple(" ".join(text.split())[:LONGEST_TEXT] for text in values.failed)
    found = Values(splits, failed, curves, spectra, means, values.seconds)
    return Kept(found, outcome.setting, plans)


def write_values(outcomes: Iterable[Outcome], path: Path) -> None:
    """Write what was run now beside what the file already holds."""
    content = read_values(path) if path.exists() else {}
    content.update((item.experiment.name, kept(item)) for item in outcomes if not item.not_run)
    parts = [f"{json.dumps(name)}: {_written(content[name])}" for name in sorted(content)]
    text = f'{{"format": {FORMAT}, "experiments": {{\n' + ",\n".join(parts) + "\n}}\n"
    path.write_text(text, encoding="utf-8")


def _written(item: Kept) -> str:
    """One line for the numbers of a measure on a data set."""
    values = item.values
    numbers: dict[str, dict[Key, Any]] = {
        "means": {
            key: _rounded([mean, error] if error else mean)
            for key, (mean, error) in values.means.items()
        },
        "splits": {key: _rounded(row, DIGITS_OF_SPLITS) for key, row in values.found.items()},
        "curves": {
            key: {str(size): _rounded(value) for size, value in curve.items()}
            for key, curve in values.curves.items()
        },
        "spectra": {(*pair, ""): _rounded(row) for pair, row in values.spectra.items()},
    }
    plans = {
        hash_: [*pair, _rounded(values.seconds.get(hash_, 0.0), 3)]
        for hash_, pair in item.plans.items()
    }
    head = {"setting": item.setting, "failed": values.failed, "plans": plans}
    lines = [f" {json.dumps(name)}: {json.dumps(head[name])}" for name in head]
    for name, rows in numbers.items():
        nested: dict[str, dict[str, dict[str, Any]]] = {}
        for (dataset, method, measure), row in sorted(rows.items()):
            nested.setdefault(dataset, {}).setdefault(measure, {})[method] = row
        inner = [
            f"  {json.dumps(dataset)}: {{\n"
            + ",\n".join(f"   {json.dumps(m)}: {json.dumps(row)}" for m, row in by.items())
            + "}"
            for dataset, by in nested.items()
        ]
        lines.append(f" {json.dumps(name)}: {{" + ("\n" + ",\n".join(inner) if inner else "") + "}")
    return "{\n" + ",\n".join(lines) + "}"


def _rounded(value: Any, digits: int = DIGITS) -> Any:
    if isinstance(value, list):
        return [_rounded(item, digits) for item in value]
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def read_values(path: Path) -> dict[str, Kept]:
    """Read the text, checking every name and number: it may come from anywhere."""
    if path.stat().st_size > MOST_BYTES:
        raise TextError(f"{path} has more than {MOST_BYTES} bytes; write it again.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise TextError(f"{path} is not the text of stored values ({error}).") from None
    try:
        if _table(content).get("format") != FORMAT:
            raise TextError(f"its format is {content.get('format')!r}, expected {FORMAT}")
        return {
            _text(name): _read(_table(item))
            for name, item in _table(content.get("experiments")).items()
        }
    except TextError as error:
        raise TextError(f"{path} is damaged: {error}. Write it again.") from None


def _read(item: dict[str, Any]) -> Kept:
    rows = {name: dict(_rows(item.get(name, {}))) for name in _NUMBERS}
    means = {}
    for key, row in rows["means"].items():
        pair = _numbers(row) if isinstance(row, list) else [_number(row), 0.0]
        if len(pair) != 2:
            raise TextError(f"{key} has {len(pair)} numbers, expected a mean and its error")
        means[key] = (pair[0], pair[1])
    curves = {
        key: {_size(size): _number(value) for size, value in _table(row).items()}
        for key, row in rows["curves"].items()
    }
    spectra = {key[:2]: _numbers(row) for key, row in rows["spectra"].items()}
    splits = {key: _numbers(row) for key, row in rows["splits"].items()}
    failed = tuple(_text(text) for text in _list(item.get("failed")))
    plans, seconds = {}, {}
    for hash_, row in _table(item.get("plans")).items():
        number, digest, used = (*_list(row), None, None, None)[:3]
        plans[_text(hash_)] = (_size(str(number)), _text(digest))
        seconds[hash_] = _number(used)
    setting = _text(item.get("setting"))
    # The page shows it as our own text; failures it escapes.
    if set(setting) & set("<>[]`"):
        raise TextError(f"{_shown(setting)} holds markup")
    return Kept(Values(splits, failed, curves, spectra, means, seconds), setting, plans)


_NUMBERS = ("means", "splits", "curves", "spectra")


def _rows(content: Any) -> Iterator[tuple[tuple[str, str, str], Any]]:
    for dataset, by_measure in _table(content).items():
        for measure, by_method in _table(by_measure).items():
            for method, row in _table(by_method).items():
                yield (_text(dataset), _text(method), _text(measure)), row


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TextError(f"{_shown(value)} is not a table")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > LONGEST_LIST:
        raise TextError(f"{_shown(value)} is not a list of at most {LONGEST_LIST}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or not value.isprintable():
        raise TextError(f"{_shown(value)} is not a line of text")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e100:
        raise TextError(f"{_shown(value)} is not a number")
    return float(value)


def _numbers(value: Any) -> list[float]:
    return [_number(item) for item in _list(value)]


def _size(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise TextError(f"{_shown(text)} is not a whole number")
    return int(text)


def _shown(value: Any) -> str:
    return repr(value)[:60]


def _refuse(name: str) -> float:
    raise TextError(f"{name} is not a number")


def judge_text(experiments: Iterable[Experiment], content: Mapping[str, Kept]) -> Iterator[Outcome]:
    """Judge experiments by the text; those that it lacks were not run."""
    for experiment in experiments:
        item = content.get(experiment.name)
        if item is None:
            yield Outcome(experiment, [], False, not_run=how_to_run(experiment, ""))
            continue
        printed = printed_values(experiment.paper)
        lines = [
            with_reason(line, printed, experiment.name)
            for line in experiment.judge(item.values, printed)
        ]
        yield Outcome(
            experiment, lines, False, item.values.failed, item.setting, values=item.values
        )
