"""Folds of a Dask array: each block is read once for the statistics and once for the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelspan.choice._folds import Solved
from labelspan.gate import check_block
from labelspan.moments import dask_blocks


def held_out_projections(
    X: Any, tests: Sequence[np.ndarray], solved: Sequence[Solved]
) -> list[np.ndarray]:
    """Projections of the held-out rows of each fold, ascending, in one compute.

    Only these leave the workers: as many numbers per row as there are directions.
    """
    import dask

    project = dask.delayed(block_projections, pure=False)
    known = dask.delayed(list(solved), pure=False)
    masks = np.zeros((len(tests), X.shape[0]), dtype=bool)
    for mask, test in zip(masks, tests, strict=True):
        mask[test] = True
    pieces = dask.compute([project(b, masks[:, rows], known) for b, rows in dask_blocks(X)])[0]
    return [np.vstack(of_fold) for of_fold in zip(*pieces, strict=True)]


def block_projections(X: Any, masks: np.ndarray, solved: Sequence[Solved]) -> list[np.ndarray]:
    """Projections of the rows of one block that each fold holds out."""
    rows = check_block(X)
    return [each.project(rows[mask], rows[mask]) for mask, each in zip(masks, solved, strict=True)]
