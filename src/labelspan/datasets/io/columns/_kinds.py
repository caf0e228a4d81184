"""What one column of a frame becomes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._nominal import category_values
from labelspan.datasets.io._tables import REAL_KINDS, listed
from labelspan.datasets.io.columns._number_format import PLAIN, NumberFormat


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers, perhaps written with a comma or with percent signs."""

    name: str
    format: NumberFormat = PLAIN

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        return (self.name,)

    def encode(self, values: np.ndarray, file: str) -> np.ndarray:
        """Return the numbers; a text in another format is refused."""
        if values.dtype.kind in REAL_KINDS:
            if self.format.percent:
                raise self._refused("numbers", "give the texts", file)
            return values.astype(np.float64, copy=False)[:, None]
        for row, value in enumerate(values):
            if not isinstance(value, str):
                raise self._refused(type(value).__name__, "convert it", file)
            if not self.format.fits(value):
                raise self._refused(f"{value[:40]!r} in row {row + 1}", "convert it", file)
        numbers = self.format.values(values)
        if len(wrong := np.flatnonzero(~np.isfinite(numbers))):
            row = int(wrong[0])
            message = f"column {self.name!r} is infinite in row {row + 1}: {values[row][:40]!r}"
            raise DataFileError(f"{message}; the largest number is 1.8e308", file=file)
        return numbers[:, None]

    def _refused(self, what: str, repair: str, file: str) -> DataFileError:
        message = f"column {self.name!r} holds {what}; expected {self.format}; {repair}"
        return DataFileError(message, file=file)


@dataclass(frozen=True)
class WordColumn:
    """A column of words: one 0/1 column for at most two of them, else one for each."""

    name: str
    categories: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        if len(self.categories) <= 2:
            return (self.name,)
        return tuple(f"{self.name}={category}" for category in self.categories)

    @property
    def codes(self) -> dict[str, float]:
        """The number of each word, where they share a column."""
        return dict(zip(self.categories, category_values(self.categories), strict=True))

    def encode(self, values: np.ndarray, file: str) -> np.ndarray:
        """Return the 0/1 columns; an unknown word is none of the known ones, with a warning."""
        refuse_other_than_text(values, self.name, file)
        places = {category: i for i, category in enumerate(self.categories)}
        codes = np.array([places.get(value, -1) for value in values], dtype=np.intp)
        single = len(self.categories) <= 2
        self._warn_of_unseen(values[codes < 0], single)
        if single:
            return self._codes()[codes][:, None]
        return (codes[:, None] == np.arange(len(self.categories))).astype(np.float64)

    def _codes(self) -> np.ndarray:
        """The numbers of the words, and last one that is equally far from both."""
        codes = np.array(list(self.codes.values()))
        apart = codes.min() < codes.max()
        return np.append(codes, codes.mean() + (0.0 if apart else 0.5))

    def _warn_of_unseen(self, values: np.ndarray, single: bool) -> None:
        if not len(values):
            return
        unseen = sorted(set(values))
        place = f"it is {self._codes()[-1]:g}" if single else "all its 0/1 columns are 0"
        warnings.warn(
            f"column {self.name!r} has values that were not there when it was learned: "
            f"{listed(unseen)}; {place} in these rows ({len(values)})",
            stacklevel=4,
        )


@dataclass(frozen=True)
class TextColumn:
    """A column of text: the TF-IDF weights of its words."""

    name: str
    words: tuple[str, ...]
    idf: tuple[float, ...] = field(repr=False)

    @classmethod
    def learn(cls, values: np.ndarray, name: str, file: str) -> TextColumn:
        """Learn the words and how rare they are."""
        refuse_other_than_text(values, name, file)
        vectorizer = _vectorizer()
        try:
            vectorizer.fit(values)
        except ValueError as error:
            message = f"column {name!r} has no words of two letters or more; leave it out"
            raise DataFileError(message, file=file) from error
        words = tuple(str(word) for word in vectorizer.get_feature_names_out())
        return cls(name, words, tuple(vectorizer.idf_.tolist()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(f"{self.name}={word}" for word in self.words)

    @cached_property
    def vectorizer(self) -> Any:
        """The fitted vectorizer."""
        vectorizer = _vectorizer(vocabulary=list(self.words))
        vectorizer.idf_ = np.array(self.idf)
        return vectorizer

    def encode(self, values: np.ndarray, file: str) -> sp.csr_array:
        """Return a row of length one per text; unknown words count nothing."""
        refuse_other_than_text(values, self.name, file)
        return sp.csr_array(self.vectorizer.transform(values))


Column = NumberColumn | WordColumn | TextColumn


def _vectorizer(**options: Any) -> Any:
    # Imported here, because only text needs it.
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(sublinear_tf=True, **options)


def refuse_other_than_text(values: np.ndarray, name: str, file: str) -> None:
    """Refuse numbers and lists where texts are expected."""
    if values.dtype.kind in REAL_KINDS:
        message = f"column {name!r} holds numbers; expected texts, as when it was learned"
        raise DataFileError(f"{message}; convert it by astype(str)", file=file)
    wrong = next((value for value in values if not isinstance(value, str)), None)
    if wrong is not None:
        message = f"column {name!r} holds {type(wrong).__name__}, neither numbers nor words"
        repair = "convert it, or leave it out by ignore= (--ignore)"
        raise DataFileError(f"{message}; {repair}", file=file)
