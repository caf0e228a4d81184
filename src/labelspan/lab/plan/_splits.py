"""How the rows of an experiment are split."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, ShuffleSplit

from labelspan.datasets import MultilabelDataset
from labelspan.lab.plan._fields import check_keys, check_text, check_whole
from labelspan.model_selection import (
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
)
from labelspan.system import counted

Indices = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Splits:
    """How rows are split into training and test parts.

    Parameters
    ----------
    kind : {"folds", "random", "plain", "inner", "standard"}
        Repeated stratified folds, stratified random splits, random splits that ignore the labels
        (as in the papers), folds of the training rows of the first of these (to choose parameters),
        or the split of the data set.
    n_folds : int
        Number of folds, for "folds" and "inner".
    n_repeats : int
        Number of repetitions, for "folds", "random" and "plain".
    train : float or int
        Training share or number of rows, for "random", "plain" and "inner".

    Examples
    --------
    >>> from labelspan.lab import Splits
    >>> Splits.from_any("5x2").n_splits
    10
    >>> Splits.from_any("30x1000")
    Splits(kind='random', n_folds=2, n_repeats=30, train=1000)
    """

    kind: str = "folds"
    n_folds: int = 2
    n_repeats: int = 5
    train: float | int = 0.6

    def __post_init__(self) -> None:
        check_text(self.kind, "kind of the splits")
        if self.kind not in ("folds", "random", "plain", "inner", "standard"):
            raise ValueError(
                f"splits are {self.kind!r}; give folds, random, plain, inner or standard."
            )
        for key in ("n_folds", "n_repeats"):
            check_whole(getattr(self, key), f"{key} of the splits")
        if self.n_folds < 2 or self.n_repeats < 1:
            raise ValueError(
                f"{counted(self.n_repeats, 'repetition')} of {counted(self.n_folds, 'fold')} asked "
                "for; give at least 1 and 2."
            )
        is_share = isinstance(self.train, float) and 0 < self.train < 1
        is_rows = isinstance(self.train, int) and self.train >= 1
        if not (is_share or is_rows) or isinstance(self.train, bool):
            raise ValueError(
                f"train of the splits is {self.train!r}; give a share between 0 and 1, or a whole "
                "number of rows of at least 1."
            )

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        sizes = {"folds": self.n_folds * self.n_repeats, "inner": self.n_folds, "standard": 1}
        return sizes.get(self.kind, self.n_repeats)

    @property
    def title(self) -> str:
        """Description of the splits for the report."""
        return {
            "folds": f"{self.n_repeats} x {self.n_folds}-fold stratified cross-validation",
            "random": f"{self.n_repeats} stratified random splits, training part {self.train}",
            "plain": f"{self.n_repeats} random splits, training part {self.train}",
            "inner": f"{self.n_folds} folds of one random training part {self.train}",
            "standard": "the standard split of each data set",
        }[self.kind]

    @classmethod
    def from_any(cls, item: Any) -> Splits:
        """Build splits from a word, a table or splits.

        Parameters
        ----------
        item : str, mapping or Splits
            ``"standard"``; ``"5x2"`` for five repetitions of two folds, ``"10"`` for ten folds
            once, ``"30x0.8"`` or ``"30x1000"`` for thirty random splits with this share or number
            of training rows.

        Returns
        -------
        Splits
        """
        if isinstance(item, Splits):
            return item
        if isinstance(item, Mapping):
            check_keys(item, cls.__dataclass_fields__, "splits")
            return cls(**item)
        if item == "standard":
            return cls("standard")
        match = re.fullmatch(r"(?:(\d+)x)?(\d+|0?\.\d+)", str(item))
        if not match:
            raise ValueError(
                f"splits={item!r} is not understood; give 'standard', '5x2' (repetitions x "
                "folds), '10' (folds) or '30x0.8' (random splits x training share or rows)."
            )
        repeats, number = int(match[1] or 1), match[2]
        if "." in number:
            return cls("random", n_repeats=repeats, train=float(number))
        if int(number) > LARGEST_FOLDS:
            return cls("random", n_repeats=repeats, train=int(number))
        return cls("folds", n_folds=int(number), n_repeats=repeats)

    def check_rows(self, name: str, n_rows: int, has_split: bool) -> None:
        """Refuse a data set that cannot be split like this."""
        if self.kind == "standard":
            if not has_split:
                raise ValueError(f"{name} has no standard split; use splits such as 5x2 or 10x0.6.")
            return
        n_train = n_rows
        if self.kind != "folds":
            n_train = self.train if isinstance(self.train, int) else int(self.train * n_rows)
            if not 1 <= n_train < n_rows:
                raise ValueError(
                    f"{name} has {n_rows} rows; a training part of {self.train} leaves no row for "
                    "one of the parts. Use another share or fewer rows."
                )
        if self.kind in ("folds", "inner") and self.n_folds > n_train:
            raise ValueError(
                f"{name} has {counted(n_train, 'row')} to split, fewer than {self.n_folds} folds; "
                "use fewer folds."
            )

    def indices(self, dataset: MultilabelDataset, seed: int) -> list[Indices]:
        """Rows of the training and test part of each split; the random kinds use the seed."""
        has_split = dataset.train is not None and dataset.test is not None
        self.check_rows(dataset.name, dataset.Y.shape[0], has_split)
        if self.kind == "standard":
            return [(np.asarray(dataset.train), np.asarray(dataset.test))]
        if self.kind == "folds":
            folds = RepeatedMultilabelStratifiedKFold(
                self.n_folds, n_repeats=self.n_repeats, random_state=seed
            )
            return list(folds.split(dataset.Y, dataset.Y))
        if self.kind == "inner":
            train, _ = replace(self, kind="plain", n_repeats=1).indices(dataset, seed)[0]
            parts = KFold(self.n_folds, shuffle=True, random_state=seed).split(train)
            return [(train[some], train[rest]) for some, rest in parts]
        kind = ShuffleSplit if self.kind == "plain" else MultilabelStratifiedShuffleSplit
        shuffle = kind(self.n_repeats, train_size=self.train, random_state=seed)
        return list(shuffle.split(dataset.Y, dataset.Y))


# A number after the x above this many is a number of training rows, not of folds.
LARGEST_FOLDS = 50
