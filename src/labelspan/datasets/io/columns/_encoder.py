"""What reading a frame learns, to be applied to later frames."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._nominal import VALUE_BYTES
from labelspan.datasets.io._tables import check_names, refuse_others, refuse_unknown
from labelspan.datasets.io.columns._json import SOURCE, VERSION, columns_from, written
from labelspan.datasets.io.columns._kinds import Column, TextColumn
from labelspan.datasets.io.columns._learn import Learned, learn_column, refuse_doubts
from labelspan.datasets.io.columns._values import FILL, columns_of, complete_values, is_categorical

DECIMALS = (None, ".", ",")


@dataclass(frozen=True)
class ColumnEncoder:
    """How the columns of a frame become features: learned from one frame, applied to others.

    Parameters
    ----------
    columns : tuple of columns
        In the order of the features: numbers with their format, words with their categories, text
        with its vocabulary. `learn` and `from_json` make them.

    Notes
    -----
    A value that was not there when the column was learned: all 0/1 columns of a column of more than
    two words are 0; a column of two words, which is one 0/1 column, is halfway between both (0.5).
    Both warn. Unknown words of a text count nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> from labelspan.datasets import ColumnEncoder
    >>> frame = pd.DataFrame({"size": ["1,5", "2"], "ripe": ["yes", "no"]})
    >>> encoder = ColumnEncoder.learn(frame)
    >>> encoder.encode(frame[["ripe", "size"]]).tolist()
    [[1.5, 1.0], [2.0, 0.0]]
    >>> ColumnEncoder.from_json(encoder.to_json()) == encoder
    True
    """

    columns: tuple[Column, ...]

    @classmethod
    def learn(
        cls,
        frame: Any,
        *,
        text: Sequence[str] = (),
        decimal: str | None = None,
        n_train: int | None = None,
        name: str = "frame",
        limits: Limits | None = None,
    ) -> ColumnEncoder:
        """Learn the kind of each column.

        Parameters
        ----------
        frame : DataFrame
            One row per sample, of pandas or polars; all columns are features.
        text : sequence of str, default=()
            Columns whose words become features, weighted by TF-IDF.
        decimal : {".", ","}, optional
            Decimal sign of numbers in texts; by default the only one that is possible.
        n_train : int, optional
            Learn the words of texts from that many first rows; by default from all.
        name : str, default="frame"
            Name in messages.
        limits : Limits, optional
            Longest names to make.

        Returns
        -------
        ColumnEncoder
        """
        if decimal not in DECIMALS:
            raise ValueError(f"decimal is {decimal!r}; give '.' or ',', or leave it out")
        columns = columns_of(frame, name)
        refuse_unknown(text, list(columns), "text", name)
        learned: list[Learned] = []
        for key, column in columns.items():
            values = complete_values(frame, column, key, name, _repair(key in text))
            if key in text:
                learned.append(Learned(TextColumn.learn(values[:n_train], key, name)))
            else:
                categories = is_categorical(frame, column)
                learned.append(learn_column(values, key, decimal, categories, name))
        refuse_doubts(learned, name)
        encoder = cls(tuple(found.column for found in learned))
        check_names(encoder.feature_names, limits or Limits(), name)
        return encoder

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns of a frame."""
        return tuple(column.name for column in self.columns)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features that `encode` makes."""
        return tuple(chain.from_iterable(column.names for column in self.columns))

    @property
    def text(self) -> tuple[str, ...]:
        """Names of the columns of text."""
        return tuple(c.name for c in self.columns if isinstance(c, TextColumn))

    def encode(
        self,
        frame: Any,
        *,
        ignore: Sequence[str] = (),
        name: str = "frame",
        limits: Limits | None = None,
    ) -> Any:
        """Return the features of a frame.

        Parameters
        ----------
        frame : DataFrame
            The columns of the encoder, in any order; missing and unknown ones are refused.
        ignore : sequence of str, default=()
            Columns to leave out where they are present, such as labels.
        name : str, default="frame"
            Name in messages.
        limits : Limits, optional
            Largest matrix to make.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_features)
            float64; sparse if there are columns of text.
        """
        columns = columns_of(frame, name)
        refuse_others(self.column_names, set(columns).difference(ignore), name)
        self._check_room(frame.shape[0], limits or Limits(), name)
        parts = (self._part(frame, columns[c.name], c, name) for c in self.columns)
        if self.text:
            return sp.csr_array(sp.hstack([sp.csr_array(part) for part in parts], format="csr"))
        X = np.empty((frame.shape[0], len(self.feature_names)))
        start = 0
        for part in parts:
            X[:, start : start + part.shape[1]] = part
            start += part.shape[1]
        return X

    def to_json(self) -> str:
        """Return the encoder as text.

        Returns
        -------
        str
        """
        return json.dumps({"version": VERSION, "columns": [written(c) for c in self.columns]})

    @classmethod
    def from_json(cls, text: str, *, limits: Limits | None = None) -> ColumnEncoder:
        """Read an encoder; text that `to_json` cannot have written is refused.

        Parameters
        ----------
        text : str
            From `to_json`, or from anyone.
        limits : Limits, optional
            Largest text and most columns to accept.

        Returns
        -------
        ColumnEncoder
        """
        encoder = cls(columns_from(text, limits or Limits()))
        check_names(encoder.feature_names, limits or Limits(), SOURCE)
        return encoder

    def _part(self, frame: Any, place: Any, column: Column, file: str) -> Any:
        repair = _repair(isinstance(column, TextColumn))
        return column.encode(complete_values(frame, place, column.name, file, repair), file)

    def _check_room(self, n_rows: int, limits: Limits, file: str) -> None:
        width = len(self.feature_names)
        n_values = n_rows * sum(len(c.names) for c in self.columns if c.name not in self.text)
        if width > limits.max_columns or n_values > limits.max_bytes // VALUE_BYTES:
            largest = max(self.columns, key=lambda column: len(column.names))
            raise DataFileError(
                f"{width} features of {n_rows} rows, {len(largest.names)} of them from "
                f"{largest.name!r}; raise Limits.max_columns and Limits.max_bytes, or leave it out "
                "by ignore= (--ignore)",
                file=file,
            )


def _repair(is_text: bool) -> str:
    return "a row without text has an empty one" if is_text else FILL
