"""Numbers as people write them: decimal commas, thousands separators, percent signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

POINT, COMMA = ".", ","
THOUSANDS = {POINT: ("", COMMA, " ", "'"), COMMA: ("", POINT, " ", "'")}
# Spaces that do not break, the typographic apostrophe and the minus sign.
TYPOGRAPHY = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'", "\u2212": "-"}
)


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of one column are written; ``%`` divides each of them by 100."""

    decimal: str = POINT
    thousands: str = ""
    percent: bool = False
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole = "[0-9]+"
        if self.thousands:
            # No group starts with 0, so that 0,123 is a decimal and not a thousand.
            whole = f"[1-9][0-9]{{0,2}}(?:{re.escape(self.thousands)}[0-9]{{3}})+|[0-9]{{1,3}}"
        sign = re.escape(self.decimal)
        number = f"(?:{whole})(?:{sign}[0-9]*)?|{sign}[0-9]+"
        power = "" if self.thousands else "(?:[eE][+-]?[0-9]+)?"
        words = "" if self.percent else "|inf|infinity"
        end = " ?%" if self.percent else ""
        pattern = re.compile(f"[+-]?(?:(?:{number}){power}{words}){end}", re.IGNORECASE)
        object.__setattr__(self, "_pattern", pattern)

    def fits(self, text: str) -> bool:
        """Whether a text is a number in this format."""
        return self._pattern.fullmatch(text.strip().translate(TYPOGRAPHY)) is not None

    def values(self, texts: Iterable[str]) -> np.ndarray:
        """Return the numbers of texts that fit; too large ones are infinite."""
        found = np.array([float(self._plain(text)) for text in texts], dtype=np.float64)
        return found / 100 if self.percent else found

    def _plain(self, text: str) -> str:
        text = text.strip().translate(TYPOGRAPHY).rstrip("% ")
        return text.replace(self.thousands, "").replace(self.decimal, POINT)

    def __str__(self) -> str:
        text = f"12{self.thousands}345{self.decimal}6{' %' if self.percent else ''}"
        return f"numbers such as {text}"


PLAIN = NumberFormat()
FORMATS = tuple(
    NumberFormat(decimal, thousands, percent)
    for percent, decimal in product((False, True), (POINT, COMMA))
    for thousands in THOUSANDS[decimal]
)


@dataclass(frozen=True)
class Readings:
    """Formats in which a column is numbers, the simplest first; `each` if no format is common."""

    formats: tuple[NumberFormat, ...]
    each: bool


def readings(texts: Iterable[str], decimal: str | None = None) -> Readings:
    """Find the formats that every text fits, of those with this decimal sign if one is told."""
    told = [form for form in FORMATS if decimal in (None, form.decimal)]
    left, each = told, True
    for text in texts:
        left = [form for form in left if form.fits(text)]
        each = bool(left) or (each and any(form.fits(text) for form in FORMATS))
        if not each:
            break
    return Readings(tuple(left), each)


def differ(formats: Sequence[NumberFormat], texts: Sequence[str]) -> NumberFormat | None:
    """Return a format that gives other numbers than the first one."""
    first = formats[0].values(texts)
    return next((f for f in formats[1:] if not np.array_equal(f.values(texts), first)), None)
