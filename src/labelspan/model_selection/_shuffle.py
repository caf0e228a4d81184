"""Random splits into training and test rows with the same share of every label."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from labelspan.gate import label_matrix
from labelspan.model_selection._assign import assign
from labelspan.model_selection._kfold import warn_of_groups
from labelspan.model_selection._repair import repair


class MultilabelStratifiedShuffleSplit:
    """Draw training and test rows at random, each with its share of the rows of every label.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits.
    test_size : float, int or None, default=None
        Share in (0, 1) or number of test rows; None: what `train_size` leaves, or 0.1.
    train_size : float, int or None, default=None
        Share in (0, 1) or number of training rows; None: what the test rows leave.
    random_state : int, RandomState or None, default=None
        Seed of the splits.

    Notes
    -----
    Iterative stratification as in `MultilabelStratifiedKFold`, with exact sizes; every label
    that has a row is in the training part, if swaps of two rows can achieve that. Each split costs
    time O(nnz(Y)) and memory O(nnz(Y) + n_labels). With missing labels (NaN), the rows of a label
    are those observed to have it.

    Examples
    --------
    >>> import numpy as np
    >>> from labelspan.model_selection import MultilabelStratifiedShuffleSplit
    >>> Y = np.tile(np.eye(4, dtype=int), (10, 1))
    >>> cv = MultilabelStratifiedShuffleSplit(n_splits=2, test_size=0.2, random_state=0)
    >>> [Y[test].sum(axis=0).tolist() for train, test in cv.split(Y, Y)]
    [[2, 2, 2, 2], [2, 2, 2, 2]]
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_splits={self.n_splits}, test_size={self.test_size}, "
            f"train_size={self.train_size}, random_state={self.random_state})"
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : object
            Not used; present as in scikit-learn.

        Returns
        -------
        int
        """
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the row indices of each training and test part.

        Parameters
        ----------
        X : array-like or None
            Only its length is used.
        y : array-like or sparse of shape (n_samples, n_labels) or (n_samples,)
            Label indicators, NaN where they are not observed; or class labels in one dimension.
        groups : object
            Not used; a warning says so.

        Yields
        ------
        train, test : ndarray of int
        """
        warn_of_groups(self, groups)
        Y = label_matrix(X, y)
        if not isinstance(self.n_splits, Integral) or self.n_splits < 1:
            raise ValueError(f"n_splits={self.n_splits!r} is out of range; give at least 1.")
        n_train, n_test = split_sizes(Y.shape[0], self.train_size, self.test_size)
        sizes = np.array([n_train, n_test, Y.shape[0] - n_train - n_test])
        training = np.array([[True, False, False]])
        random_state = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            part = repair(Y, assign(Y, sizes, random_state), training)
            yield np.flatnonzero(part == 0), np.flatnonzero(part == 1)


def split_sizes(n_samples: int, train_size: Any, test_size: Any) -> tuple[int, int]:
    """Return the numbers of training and test rows, as scikit-learn rounds them."""
    if train_size is None and test_size is None:
        test_size = 0.1
    n_test = _rows(test_size, n_samples, "test_size", np.ceil)
    n_train = _rows(train_size, n_samples, "train_size", np.floor)
    n_test = n_samples - n_train if test_size is None else n_test
    n_train = n_samples - n_test if train_size is None else n_train
    if n_train < 1 or n_test < 1 or n_train + n_test > n_samples:
        raise ValueError(
            f"train_size={train_size!r} and test_size={test_size!r} give {n_train} training and "
            f"{n_test} test rows of {n_samples}; both need at least 1, together at most all."
        )
    return n_train, n_test


def _rows(size: Any, n_samples: int, name: str, rounded: Any) -> int:
    if size is None:
        return 0
    whole = isinstance(size, Integral)
    if whole and not isinstance(size, bool) and 0 < int(size) < n_samples:
        return int(size)
    if isinstance(size, Real) and not whole and 0 < float(size) < 1:
        return int(rounded(float(size) * n_samples))
    raise ValueError(
        f"{name}={size!r} is out of range; give a share in (0, 1) or a number of rows from 1 to "
        f"{n_samples - 1}."
    )
