"""K-fold cross-validation with the same share of every label in each fold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from labelspan.gate import label_matrix
from labelspan.model_selection._assign import assign
from labelspan.model_selection._repair import repair


class MultilabelStratifiedKFold(BaseCrossValidator):
    """Split the rows into folds, each with its share of the rows of every label.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, from 2 to the number of rows.
    shuffle : bool, default=False
        Process the rows in random order; by default in the given order.
    random_state : int, RandomState or None, default=None
        Seed of the order, if `shuffle`.

    Notes
    -----
    Iterative stratification (Sechidis, Tsoumakas and Vlahavas, ECML PKDD 2011), with fold
    sizes that differ by at most one row, and swaps at the end so that every label of at least
    two rows is in every training part, if swaps of two rows can achieve that. Time O(nnz(Y)
    n_splits), memory O(nnz(Y) + n_labels n_splits). With missing labels (NaN), the rows of a label
    are those observed to have it.

    Examples
    --------
    >>> import numpy as np
    >>> from labelspan.model_selection import MultilabelStratifiedKFold
    >>> Y = np.array([[1, 0], [1, 0], [1, 1], [1, 1], [0, 1], [0, 1]])
    >>> for train, test in MultilabelStratifiedKFold(n_splits=2).split(Y, Y):
    ...     print(test, Y[test].sum(axis=0))
    [0 2 4] [2 2]
    [1 3 5] [2 2]
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_splits={self.n_splits}, shuffle={self.shuffle}, "
            f"random_state={self.random_state})"
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : object
            Not used; present as in scikit-learn.

        Returns
        -------
        int
        """
        return self.n_splits

    def _iter_test_indices(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[np.ndarray]:
        warn_of_groups(self, groups)
        Y = label_matrix(X, y)
        drawn = check_random_state(self.random_state) if self.shuffle else None
        part = fold_of_rows(Y, self._check_splits(Y.shape[0]), drawn)
        for fold in range(self.n_splits):
            yield np.flatnonzero(part == fold)

    def _check_splits(self, n_samples: int) -> int:
        if not isinstance(self.n_splits, Integral) or not 2 <= self.n_splits <= n_samples:
            raise ValueError(
                f"n_splits={self.n_splits!r} is out of range; give an integer from 2 to "
                f"{n_samples}, the number of rows."
            )
        if self.random_state is not None and not self.shuffle:
            raise ValueError(
                f"random_state={self.random_state!r} has no effect with shuffle=False; set "
                "shuffle=True or leave random_state out."
            )
        return int(self.n_splits)


class RepeatedMultilabelStratifiedKFold(BaseCrossValidator):
    """Repeat `MultilabelStratifiedKFold` with different orders of the rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    n_repeats : int, default=10
        Number of repetitions.
    random_state : int, RandomState or None, default=None
        Seed of the orders.

    Notes
    -----
    `n_repeats` times the cost of `MultilabelStratifiedKFold`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelspan.model_selection import RepeatedMultilabelStratifiedKFold
    >>> Y = np.tile(np.eye(3, dtype=int), (4, 1))
    >>> cv = RepeatedMultilabelStratifiedKFold(n_splits=2, n_repeats=3, random_state=0)
    >>> [Y[test].sum(axis=0).tolist() for train, test in cv.split(Y, Y)][:3]
    [[2, 2, 2], [2, 2, 2], [2, 2, 2]]
    """

    def __init__(self, n_splits: int = 5, *, n_repeats: int = 10, random_state: Any = None) -> None:
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_splits={self.n_splits}, n_repeats={self.n_repeats}, "
            f"random_state={self.random_state})"
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits, over all repetitions.

        Parameters
        ----------
        X, y, groups : object
            Not used; present as in scikit-learn.

        Returns
        -------
        int
        """
        return self.n_splits * self.n_repeats

    def _iter_test_indices(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[np.ndarray]:
        warn_of_groups(self, groups)
        if not isinstance(self.n_repeats, Integral) or self.n_repeats < 1:
            raise ValueError(f"n_repeats={self.n_repeats!r} is out of range; give at least 1.")
        random_state = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            folds = MultilabelStratifiedKFold(
                self.n_splits, shuffle=True, random_state=random_state
            )
            yield from folds._iter_test_indices(X, y)


def warn_of_groups(splitter: Any, groups: Any) -> None:
    """Warn that a splitter does not keep groups together, as scikit-learn's do."""
    if groups is not None:
        warnings.warn(
            f"The groups parameter is ignored by {type(splitter).__name__}: rows of a group may be "
            "in several parts. Pass a splitter for groups, such as GroupKFold.",
            UserWarning,
            stacklevel=2,
        )


def fold_of_rows(Y: Any, n_splits: int, random_state: np.random.RandomState | None) -> np.ndarray:
    """Return the fold of each row; labels are in every training part if swaps can achieve it."""
    n_samples = Y.shape[0]
    sizes = np.full(n_splits, n_samples // n_splits)
    sizes[: n_samples % n_splits] += 1
    part = assign(Y, sizes, random_state)
    return repair(Y, part, ~np.eye(n_splits, dtype=bool))
