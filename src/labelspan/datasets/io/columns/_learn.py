"""Decide what a column of a frame becomes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._nominal import identifier_message, is_identifier
from labelspan.datasets.io._tables import REAL_KINDS, listed
from labelspan.datasets.io.columns._kinds import (
    Column,
    NumberColumn,
    WordColumn,
    refuse_other_than_text,
)
from labelspan.datasets.io.columns._number_format import (
    COMMA,
    POINT,
    NumberFormat,
    differ,
    readings,
)

#: Mean number of blanks in a value from which it is text and no longer a word.
BLANKS_OF_TEXT = 2.0


@dataclass(frozen=True)
class Learned:
    """A column, and what to say if commas are the decimal signs of another column."""

    column: Column
    doubt: str = ""


def learn_column(
    values: np.ndarray, name: str, decimal: str | None, is_categorical: bool, file: str
) -> Learned:
    """Learn numbers, or words if they are no numbers."""
    if values.dtype.kind in REAL_KINDS:
        return Learned(NumberColumn(name))
    refuse_other_than_text(values, name, file)
    texts = sorted(set(values))
    if not is_categorical and (numbers := _numbers(texts, name, decimal, file)) is not None:
        return numbers
    _check_words(texts, len(values), name, is_categorical, file)
    return Learned(WordColumn(name, tuple(str(text) for text in texts)))


def _numbers(texts: Sequence[str], name: str, decimal: str | None, file: str) -> Learned | None:
    """The only reading as numbers; None for words, refused if there are several."""
    found = readings(texts, decimal)
    if not found.each:
        return None
    if not found.formats:
        where = "" if decimal is None else f" with decimal={decimal!r}"
        message = f"column {name!r} holds numbers, but not in one format{where}: {listed(texts)}"
        raise DataFileError(f"{message}; write all of them alike", file=file)
    first = found.formats[0]
    other = differ(found.formats, texts)
    if other is None:
        return Learned(NumberColumn(name, first))
    doubt = _doubt(name, texts, first, other)
    if first.decimal == POINT and not first.thousands:
        # What every program reads, unless another column has decimal commas.
        return Learned(NumberColumn(name, first), doubt)
    raise DataFileError(doubt, file=file)


def _doubt(name: str, texts: Sequence[str], first: NumberFormat, other: NumberFormat) -> str:
    text = next(t for t in texts if not np.array_equal(first.values([t]), other.values([t])))
    point, comma = sorted((first, other), key=lambda form: form.decimal == COMMA)
    return (
        f"column {name!r} can be read in two ways: {text!r} is {point.values([text])[0]:.12g} with "
        f"decimal='.' (--decimal .), and {comma.values([text])[0]:.12g} with decimal=',' "
        "(--decimal ,); pass one of them"
    )


def refuse_doubts(learned: Sequence[Learned], file: str) -> None:
    """Refuse ``1.500`` beside a column of decimal commas, where it may be a thousand."""
    commas = [found.column.name for found in learned if _has_commas(found.column)]
    doubts = [found.doubt for found in learned if found.doubt]
    if commas and doubts:
        message = f"{doubts[0]}; column {commas[0]!r} has decimal commas"
        raise DataFileError(message, file=file)


def _has_commas(column: Column) -> bool:
    return isinstance(column, NumberColumn) and column.format.decimal == COMMA


def _check_words(
    texts: Sequence[str], n_rows: int, name: str, is_categorical: bool, file: str
) -> None:
    """Refuse identifiers and text, and say if few rows all differ."""
    is_text = np.mean([text.count(" ") for text in texts]) >= BLANKS_OF_TEXT
    if is_identifier(len(texts), n_rows):
        message = identifier_message(name, len(texts), n_rows) + _strays(texts)
        message = _text_message(name) if is_text else message
        raise DataFileError(message, file=file)
    if len(texts) == n_rows > 2 and not is_categorical:
        repair = f"text=[{name!r}] (--text {name!r}) for text, or " if is_text else ""
        warnings.warn(
            f"column {name!r} has a different value in each of the {n_rows} rows, and became "
            f"one 0/1 column per value ({listed(texts)}){_strays(texts)}; pass {repair}"
            f"ignore=[{name!r}] (--ignore {name!r}) to leave it out",
            stacklevel=6,
        )


def _text_message(name: str) -> str:
    return (
        f"column {name!r} holds text; pass text=[{name!r}] (--text {name!r}) for weights of its "
        "words, as sklearn.feature_extraction.text.TfidfVectorizer computes them, or leave it out "
        f"by ignore=[{name!r}] (--ignore {name!r})"
    )


def _strays(texts: Sequence[str]) -> str:
    """Name the texts that keep a column from being numbers, if most are numbers."""
    strays = [text for text in texts if not readings([text]).formats]
    if not strays or 2 * len(strays) >= len(texts):
        return ""
    return f"; all but {listed(strays)} are numbers: should these cells be empty?"
