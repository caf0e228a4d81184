"""Data sets from frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._tables import (
    check_names,
    first_repeat,
    no_labels,
    refuse_both,
    refuse_unknown,
)
from labelspan.datasets.io.columns import ColumnEncoder, columns_of
from labelspan.datasets.io.frames._label_columns import read_labels


def from_frame(
    frame: Any,
    labels: str | Sequence[str],
    *,
    ignore: Sequence[str] = (),
    separator: str | None = None,
    text: Sequence[str] = (),
    decimal: str | None = None,
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
    text : sequence of str, default=()
        Names of columns of text, whose words become features, weighted by
        ``TfidfVectorizer(sublinear_tf=True)``.
    decimal : {".", ","}, optional
        Decimal sign of numbers in texts; by default the only one that is possible.
    name : str, default="frame"
        Name of the data set.
    limits : Limits, optional
        Largest matrices and longest names to make.

    Returns
    -------
    MultilabelDataset
        `X` as float64, sparse with columns of text. `Y` as int64, or as float64 with NaN where a
        cell of a 0/1 column is missing: that label was not observed. The labels of a column of
        lists are sorted. `encoder` applies the same encoding to further frames.

    Notes
    -----
    Texts that are all numbers in one format, such as ``1,5`` or ``1,234.5`` or ``1.2 %`` (0.012),
    become these numbers. Two possible formats that give different numbers are refused. A
    categorical column always consists of words.

    A column with two distinct words becomes 0 and 1; with more words, one 0/1 column per word,
    called ``column=word``, with a warning if all rows differ. If it has more than 20 distinct
    words, and more than half as many as rows, it is refused as an identifier. Missing features are
    refused.

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
    return dataset_of(
        frame,
        labels,
        ignore=ignore,
        separator=separator,
        text=text,
        decimal=decimal,
        n_train=None,
        name=name,
        limits=Limits() if limits is None else limits,
    )


def dataset_of(
    frame: Any,
    labels: str | Sequence[str],
    *,
    ignore: Sequence[str],
    separator: str | None,
    text: str | Sequence[str],
    decimal: str | None,
    n_train: int | None,
    name: str,
    limits: Limits,
    encoder: ColumnEncoder | None = None,
) -> MultilabelDataset:
    """Learn the columns of a frame, or take an encoder's; texts are learned from `n_train` rows."""
    columns = columns_of(frame, name)
    targets = _as_list(labels, "labels")
    left_out = _as_list(ignore, "ignore")
    if not targets and encoder is None:
        raise DataFileError("labels is empty; name at least one column", file=name)
    refuse_unknown(targets, list(columns), "labels", name)
    refuse_both(targets, left_out, name)
    if encoder is None:
        refuse_unknown(left_out, list(columns), "ignore", name)
    label_names: tuple[str, ...] = ()
    Y = no_labels(frame)
    if targets:
        label_names, Y = read_labels(frame, columns, targets, separator, limits, name)
    check_names(label_names, limits, name)
    kept = [column for key, column in columns.items() if key not in {*targets, *left_out}]
    if not kept:
        raise DataFileError("no columns are left for features", file=name)
    part = frame[kept]
    if encoder is None:
        encoder = ColumnEncoder.learn(
            part,
            text=_as_list(text, "text"),
            decimal=decimal,
            n_train=n_train,
            name=name,
            limits=limits,
        )
    X = encoder.encode(part, name=name, limits=limits)
    return MultilabelDataset(
        name, X, Y, encoder.feature_names, label_names, source=name, encoder=encoder
    )


def _as_list(names: Any, what: str) -> list[str]:
    if isinstance(names, str):
        return [names]
    listed = [str(name) for name in names]
    if (repeated := first_repeat(listed)) is not None:
        raise ValueError(f"{what} names {repeated!r} twice; leave one out")
    return listed
