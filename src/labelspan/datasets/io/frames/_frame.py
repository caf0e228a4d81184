"""Data sets from frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._nominal import expand, expanded_names
from labelspan.datasets.io._tables import REAL_KINDS, check_names, refuse_unknown
from labelspan.datasets.io.arff import first_repeat
from labelspan.datasets.io.frames._frame_columns import (
    FILL_LABELS,
    column_values,
    feature,
    indicator,
)
from labelspan.datasets.io.frames._tags import read_tags


def from_frame(
    frame: Any,
    labels: str | Sequence[str],
    *,
    ignore: Sequence[str] = (),
    separator: str | None = None,
    name: str = "frame",
    limits: Limits | None = None,
) -> MultilabelDataset:
    """Make a data set from a frame of pandas or polars.

    Parameters
    ----------
    frame : DataFrame
        One row per sample; the index of a pandas frame is not used.
    labels : str or sequence of str
        Names of columns of 0 and 1, one per label; or the name of one column that lists the
        labels of each row, as a list, tuple or set, or as text such as ``"red, round"``.
    ignore : sequence of str, default=()
        Names of columns to leave out, such as an identifier.
    separator : str, optional
        Separator of labels in a text; by default the one of ``,``, ``;`` and ``|`` that occurs.
        Text of the form ``['red', 'round']`` is read as a list.
    name : str, default="frame"
        Name of the data set.
    limits : Limits, optional
        Largest matrices and longest names to make.

    Returns
    -------
    MultilabelDataset
        `X` as float64, `Y` as int64. The labels of a column of lists are sorted.

    Notes
    -----
    A column with two distinct words becomes 0 and 1; with more words, one 0/1 column per word,
    called ``column=word``. If it has more than 20 distinct words, and more than half as many as
    rows, it is refused as an identifier. Missing values are refused.

    Examples
    --------
    >>> import pandas as pd
    >>> from labelspan.datasets import from_frame
    >>> frame = pd.DataFrame(
    ...     {"size": [1.5, 2, 4], "colour": ["red", "blue", "red"], "tags": ["a, b", "", "b"]}
    ... )
    >>> toy = from_frame(frame, labels="tags")
    >>> toy.label_names, toy.Y.tolist()
    (('a', 'b'), [[1, 1], [0, 0], [0, 1]])
    """
    limits = Limits() if limits is None else limits
    columns = _columns(frame, name)
    targets = _as_list(labels, "labels")
    left_out = _as_list(ignore, "ignore")
    if not targets:
        raise DataFileError("labels is empty; name at least one column", file=name)
    refuse_unknown(targets, list(columns), "labels", name)
    refuse_unknown(left_out, list(columns), "ignore", name)
    label_names, Y = _labels(frame, columns, targets, separator, limits, name)
    kept = [column for column in columns if column not in {*targets, *left_out}]
    if not kept:
        raise DataFileError("no columns are left for features", file=name)
    features = [
        feature(column_values(frame, columns[column], column, name), i, column, name)
        for i, column in enumerate(kept)
    ]
    nominal = [found for _, found in features if found is not None]
    feature_names = expanded_names(kept, nominal)
    check_names((*feature_names, *label_names), limits, name)
    X = expand(np.column_stack([values for values, _ in features]), nominal, limits, name)
    return MultilabelDataset(name, X, Y, feature_names, label_names, source=name)


def _columns(frame: Any, file: str) -> dict[str, Any]:
    """Return the columns of a frame by their names as text."""
    if not (hasattr(frame, "columns") and hasattr(frame, "shape")):
        raise TypeError(
            f"frame is of type {type(frame).__name__}; give a frame of pandas or polars, or use "
            "MultilabelDataset(X=X, Y=Y) for arrays"
        )
    names = [str(column) for column in frame.columns]
    if (repeated := first_repeat(names)) is not None:
        raise DataFileError(f"two columns are called {repeated!r}; rename one", file=file)
    if not frame.shape[0]:
        raise DataFileError("there are no rows", file=file)
    return dict(zip(names, frame.columns, strict=True))


def _as_list(names: Any, what: str) -> list[str]:
    if isinstance(names, str):
        return [names]
    listed = [str(name) for name in names]
    if (repeated := first_repeat(listed)) is not None:
        raise ValueError(f"{what} names {repeated!r} twice; leave one out")
    return listed


def _labels(
    frame: Any,
    columns: dict[str, Any],
    targets: list[str],
    separator: str | None,
    limits: Limits,
    file: str,
) -> tuple[tuple[str, ...], np.ndarray]:
    found = [column_values(frame, columns[t], t, file, FILL_LABELS) for t in targets]
    if len(found) == 1 and found[0].dtype.kind not in REAL_KINDS:
        return read_tags(found[0].tolist(), separator, targets[0], limits, file)
    if separator is not None:
        message = f"separator={separator!r} is for one column of text; leave it out"
        raise DataFileError(message, file=file)
    indicators = [indicator(v, t, file) for v, t in zip(found, targets, strict=True)]
    return tuple(targets), np.column_stack(indicators)
