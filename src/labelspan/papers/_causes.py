"""Why printed values were not reproduced: by another protocol that was run, for a lack, or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from labelspan.papers._experiment import Judged, Outcome, printed_values

#: The causes of a difference: shown by a second protocol or by a test that the reason names.
SHOWN, UNDECIDABLE, UNEXPLAINED = "shown", "undecidable", "unexplained"
CAUSES = (SHOWN, UNDECIDABLE, UNEXPLAINED)


def with_reason(line: Judged, printed: dict[str, Any], name: str) -> Judged:
    """Add the known reasons of a difference with its cause, and why a statement is trivial."""
    where = f"{name}: {line.what}"
    if trivial := next(_known(printed.get("trivial", {}), where), ""):
        line = replace(line, trivial=trivial)
    if line.verdict != "not reproduced":
        return line
    reasons = dict.fromkeys(line.reasons)
    cause = UNEXPLAINED
    for kind in CAUSES:
        found = list(_known(printed.get("reasons", {}).get(kind, {}), where))
        if found:
            reasons.update(dict.fromkeys(found))
            cause = kind
            break
    return replace(line, reasons=tuple(reasons), cause=cause)


def _known(table: dict[str, str], where: str) -> Iterator[str]:
    """Texts of the places that a line belongs to; "..." in a place stands for anything."""
    for places, text in table.items():
        for place in places.split(" | "):
            # Whole words, because a reason about SVM does not hold for SVM_perf.
            pattern = re.escape(place).replace(r"\.\.\.", ".*")
            if re.search(rf"{pattern}(?!\w)", where):
                yield text
                break


def variants_of(paper: str) -> dict[str, dict[str, str]]:
    """By table: other protocols of it that were run, each with why the paper may have used it.

    A protocol without a reason was refuted; it shows nothing.
    """
    found: dict[str, dict[str, str]] = printed_values(paper).get("variants", {})
    return found


def is_variant(name: str) -> bool:
    paper, _, table = name.partition("/")
    return any(table in others for others in variants_of(paper).values())


def with_variants(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Where another protocol reproduces a missed value, that experiment shows the cause."""
    outcomes = list(outcomes)
    good = {
        (item.experiment.name, line.what)
        for item in outcomes
        for line in item.judged
        if line.verdict == "reproduced"
    }
    return [
        replace(item, judged=[_shown(line, item, good) for line in item.judged])
        for item in outcomes
    ]


def _shown(line: Judged, item: Outcome, good: set[tuple[str, str]]) -> Judged:
    if line.verdict != "not reproduced":
        return line
    paper, _, table = item.experiment.name.partition("/")
    for variant, why in variants_of(paper).get(table, {}).items():
        if why and (f"{paper}/{variant}", line.what) in good:
            text = f"reproduced by {paper}/{variant}: {why}"
            return replace(line, reasons=(text,), cause=SHOWN)
    return line


def printed_numbers(outcomes: Iterable[Outcome]) -> list[Judged]:
    """Lines with a printed number, each once: of the protocols that the papers state."""
    return [
        line
        for item in outcomes
        if not is_variant(item.experiment.name)
        for line in item.judged
        if isinstance(line.printed, int | float) and not line.trivial
    ]


def cause_of(line: Judged) -> str:
    """Reproduced, or why not; a value that other data keep from being judged is undecidable."""
    if line.verdict == "reproduced":
        return "reproduced"
    return UNDECIDABLE if line.verdict == "not judged" else line.cause
