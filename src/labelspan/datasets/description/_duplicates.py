"""Rows that occur twice, with the same or other labels, and across a split."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

DIGEST_BYTES = 16


def find_duplicates(
    X: sp.csr_array,
    Y: sp.csr_array,
    train: np.ndarray | None,
    test: np.ndarray | None,
    observed: np.ndarray | None = None,
) -> dict[str, Any]:
    """Attributes of a `Description` about repeated rows; missing labels do not conflict."""
    groups = _groups(X)
    n_groups = int(groups.max(initial=-1)) + 1
    if observed is None:
        labels = _groups(Y)
        # A group conflicts if it has more than one label set.
        pairs = np.unique(np.stack([groups, labels]), axis=1)
        conflicting = np.bincount(pairs[0], minlength=n_groups) > 1
    else:
        member = sp.csr_array((np.ones(len(groups)), (groups, np.arange(len(groups)))))
        has, seen = member @ Y.toarray(), member @ observed.astype(np.float64)
        conflicting = ((has > 0) & (has < seen)).any(axis=1)
    leaked = None
    if train is not None and test is not None:
        leaked = int(np.count_nonzero(np.isin(groups[test], groups[train])))
    return {
        "n_duplicate_rows": len(groups) - n_groups,
        "n_conflicting_rows": int(np.count_nonzero(conflicting[groups])),
        "n_leaked_rows": leaked,
    }


def _groups(table: sp.csr_array) -> np.ndarray:
    """Number the distinct rows of a table without stored zeros, in order of occurrence."""
    numbers: dict[bytes, int] = {}
    groups = np.empty(table.shape[0], dtype=np.intp)
    indices = table.indices.astype(np.int64)
    for row, (i, j) in enumerate(pairwise(table.indptr.tolist())):
        content = indices[i:j].tobytes() + table.data[i:j].tobytes()
        digest = hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()
        groups[row] = numbers.setdefault(digest, len(numbers))
    return groups
