"""Rows that occur twice, with the same or other labels, and across a split."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

DIGEST_BYTES = 16


def find_duplicates(
    X: Any,
    Y: sp.csr_array,
    train: np.ndarray | None,
    test: np.ndarray | None,
    observed: np.ndarray | None = None,
) -> dict[str, Any]:
    """Attributes of a `Description` about repeated rows; missing labels do not conflict."""
    groups = _group_numbers(_row_digests(X))
    n_groups = int(groups.max(initial=-1)) + 1
    if observed is None:
        labels = _group_numbers(_row_digests(Y))
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


def _row_digests(matrix: Any) -> list[bytes]:
    """Hash each row; equal rows have equal hashes, and zeros of either sign are equal."""
    if not sp.issparse(matrix):
        rows = np.ascontiguousarray(matrix) + 0.0
        return [_digest(row.tobytes()) for row in rows]
    csr = sp.csr_array(matrix)
    return [
        _digest(csr.indices[i:j].astype(np.int64).tobytes() + csr.data[i:j].tobytes())
        for i, j in pairwise(csr.indptr.tolist())
    ]


def _digest(row: bytes) -> bytes:
    return hashlib.blake2b(row, digest_size=DIGEST_BYTES).digest()


def _group_numbers(digests: list[bytes]) -> np.ndarray:
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(d, len(numbers)) for d in digests], dtype=np.intp)
