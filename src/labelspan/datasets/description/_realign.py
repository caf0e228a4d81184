"""Repair a data set whose labels are shifted by some columns in a part of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.description._block_shift import BlockShift, block_shift
from labelspan.datasets.description._input import (
    emptied,
    features,
    in_form_of,
    indicators,
    zero_filled,
)
from labelspan.datasets.description._overflow import Misplaced
from labelspan.datasets.io import MultilabelDataset


def realign(dataset: MultilabelDataset) -> MultilabelDataset:
    """Move labels back that are shifted by some columns in a part of the rows.

    `describe` reports such rows. Labels found in features, or at the other end of `Y`, return to
    their columns. The features that held them become 0 in these rows, because their own values were
    never written.

    Parameters
    ----------
    dataset : MultilabelDataset
        Features and labels in file order, which the search relies on.

    Returns
    -------
    MultilabelDataset
        A repaired copy whose `source` says what was moved; `dataset` itself if its rows are
        aligned.

    Raises
    ------
    ValueError
        When rows are misaligned and not all of their labels can be found.

    Notes
    -----
    Without a split, the first misaligned row is found to within a few rows (exactly, if the columns
    that hold labels could not hold features). Compare `source` with what you know about the file.

    Examples
    --------
    >>> import numpy as np
    >>> from labelspan.datasets import MultilabelDataset, load_yeast, realign
    >>> yeast = load_yeast()
    >>> X, Y = yeast.X.copy(), yeast.Y.copy()
    >>> X[1500:, -3:], Y[1500:] = Y[1500:, :3], np.pad(Y[1500:, 3:], ((0, 0), (0, 3)))
    >>> repaired = realign(MultilabelDataset(X=X, Y=Y))
    >>> repaired.source
    'labels of the rows from 1500 on moved back by 3 columns'
    >>> np.array_equal(repaired.Y, yeast.Y)
    True
    """
    X, Y = zero_filled(features(dataset.X)[0]), indicators(dataset.Y)[0]
    shift = block_shift(X, Y, dataset.train, dataset.test)
    if shift is None or not shift.found:
        return dataset
    if shift.overflow == "lost":
        raise ValueError(
            f"labels of {shift.where} are shifted by {shift.columns}, and not all of them can be "
            "found; leave these rows out, or read them from their own file"
        )
    misplaced = Misplaced(_rows(shift, dataset), shift.shift, shift.overflow)
    repaired = misplaced.mixed(misplaced.moved_back(sp.csc_array(X), Y), Y).astype(dataset.Y.dtype)
    repaired.eliminate_zeros()
    text = f"labels of {shift.where} moved back by {shift.columns}"
    return replace(
        dataset,
        X=emptied(dataset.X, misplaced.rows, shift.leaked_features),
        Y=in_form_of(dataset.Y, repaired),
        source=f"{dataset.source}; {text}" if dataset.source else text,
    )


def _rows(shift: BlockShift, dataset: MultilabelDataset) -> np.ndarray:
    numbers = np.arange(dataset.Y.shape[0])
    if shift.cut is not None:
        return (numbers < shift.cut) == (shift.part == "before")
    return np.isin(numbers, getattr(dataset, shift.part))
