"""Labels of a frame: columns of 0 and 1, or one column that lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._nominal import FALSE_WORDS, TRUE_WORDS
from labelspan.datasets.io._tables import REAL_KINDS
from labelspan.datasets.io.columns import column_values, complete_values
from labelspan.datasets.io.frames._tags import read_tags

FILL_TAGS = "a row without labels has an empty list or text"
BOTH = FALSE_WORDS | TRUE_WORDS
DIGITS = ("0", "1", "-1")
ALLOWED = "allowed are 0, 1 and -1, and an empty cell where the label was not observed"


def read_labels(
    frame: Any,
    columns: Mapping[str, Any],
    targets: Sequence[str],
    separator: str | None,
    limits: Limits,
    file: str,
) -> tuple[tuple[str, ...], np.ndarray]:
    """Return label names and indicators, with NaN where a label was not observed."""
    found = [column_values(frame, columns[name]) for name in targets]
    if len(found) == 1 and found[0][0].dtype.kind not in REAL_KINDS:
        cells = complete_values(frame, columns[targets[0]], targets[0], file, FILL_TAGS)
        return read_tags(cells.tolist(), separator, targets[0], limits, file)
    if separator is not None:
        message = f"separator={separator!r} is for one column of text; leave it out"
        raise DataFileError(message, file=file)
    Y = [indicator(*f, name, file) for f, name in zip(found, targets, strict=True)]
    return tuple(targets), np.column_stack(Y)


def indicator(values: np.ndarray, missing: np.ndarray, name: str, file: str) -> np.ndarray:
    known = values[~missing]
    if known.dtype.kind not in REAL_KINDS:
        present = _present_words(known, name, file)
    else:
        wrong = ~np.isin(known, (0, 1, -1))
        if wrong.any():
            row = int(np.flatnonzero(~missing)[np.flatnonzero(wrong)[0]])
            message = f"label {name!r} is {values[row]:g} in row {row + 1}; {ALLOWED}"
            raise DataFileError(message, file=file)
        present = known > 0
    if not missing.any():
        return present.astype(np.uint8)
    labels = np.full(len(values), np.nan)
    labels[~missing] = present
    return labels


def _present_words(known: np.ndarray, name: str, file: str) -> np.ndarray:
    words = [str(value).lower() for value in known]
    if wrong := [v for v, word in zip(known, words, strict=True) if word not in BOTH]:
        first = next((v for v in wrong if str(v) not in DIGITS), wrong[0])
        what = f"{type(first).__name__} such as {str(first)[:40]!r}"
        message = f"label {name!r} holds {what}; give columns of 0 and 1"
        raise DataFileError(f"{message}, or one column of lists or of text", file=file)
    return np.isin(words, list(TRUE_WORDS))
