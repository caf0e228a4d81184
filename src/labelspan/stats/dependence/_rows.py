"""Rows of features that may be read again: in memory, mapped, lazy, or as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import densified, in_memory, is_dask_array, rows_at, stacked_rows
from labelspan.extraction import MDDM
from labelspan.gate import check_fit, mask_unobserved
from labelspan.moments import Sample, collect


class DependenceTest(MDDM):
    """The gate of the test: what MDDM takes, but not on a device."""

    def _refusals(self) -> dict[str, str]:
        return {"device": "it permutes rows in memory"}


@dataclass(frozen=True)
class Rows:
    """Features by blocks, and the labels of all rows in memory: CSR or dense, NaN if missing."""

    X: Any
    Y: Any
    weights: np.ndarray | None
    shape: tuple[int, int]
    names: np.ndarray | None = None
    # Blocks of (X, Y, weights) in place of X.
    blocks: Any = None
    # Whether sums of triples of rows may come from some of the rows where that is faster.
    quick: bool = False

    @property
    def in_memory(self) -> bool:
        """Whether single rows are cheap to fetch."""
        return self.blocks is None and not is_dask_array(self.X)

    def total(self, statistic: Callable[..., Any], weights: np.ndarray | None) -> Any:
        """Sum of ``statistic(X_block, Y_block)``, or with ``weights_block``, over the rows."""
        if self.blocks is None:
            return collect(Sample(self.X, self.Y, weights=weights), statistic, home=True)
        parts, start = [], 0
        for X in self.blocks():
            rows = slice(start, start + X.shape[0])
            start = rows.stop
            given = () if weights is None else (weights[rows],)
            parts.append(statistic(X, self.Y[rows], *given))
            if len(parts) > 1:
                parts = [reduce(add, parts)]
        return parts[0]

    def at(self, places: np.ndarray) -> Any:
        """Some rows, in the order of `places`, in memory."""
        if self.blocks is None:
            if len(places) == self.shape[0] and is_dask_array(self.X):
                return in_memory(self.X)[places]
            return in_memory(rows_at(self.X, places))
        order, start, parts = np.argsort(places, kind="stable"), 0, []
        wanted = places[order]
        for X in self.blocks():
            inside = wanted[(wanted >= start) & (wanted < start + X.shape[0])]
            parts.append(X[inside - start])
            start += X.shape[0]
        return stacked_rows(parts)[np.argsort(order)]


def rows_of(X: Any, Y: Any, sample_weight: Any, observed: Any) -> Rows:
    """Validated rows of arrays, or of a sequence of blocks (X, Y) or (X, Y, weight)."""
    gate = DependenceTest()
    if Y is None and not hasattr(X, "shape"):
        return rows_of_blocks(gate, X)
    Y = Y if observed is None else mask_unobserved(Y, observed)
    X, labels = check_fit(gate, X, Y, sample_weight)
    names = labels.names if labels.classes is None else labels.classes
    Y = in_memory(labels.Y)
    if is_dask_array(labels.Y):
        Y = check_fit(gate, np.ones((Y.shape[0], Y.shape[1])), Y)[1].Y
    return Rows(X, Y, labels.weights, X.shape, names)


def rows_of_blocks(gate: DependenceTest, blocks: Any) -> Rows:
    """Labels and weights of all blocks, and the blocks, which are read again for each sum."""
    if iter(blocks) is blocks:
        raise ValueError(
            "X is an iterator, which can be read only once; the test reads the blocks two or three "
            "times. Pass a list, or labelspan.datasets.blocks_of(files)."
        )
    found = [labels for _, labels in checked_blocks(gate, blocks)]
    if not found:
        raise ValueError("X has no blocks; expected at least one pair (X, Y).")
    Y = [labels.Y for labels in found]
    whole = (
        np.vstack([densified(part) for part in Y])
        if any(labels.missing for labels in found)
        else sparse.csr_array(sparse.vstack([sparse.csr_array(part) for part in Y]))
    )
    weights = None
    if any(labels.weights is not None for labels in found):
        weights = np.concatenate(
            [np.ones(p.Y.shape[0]) if p.weights is None else p.weights for p in found]
        )
    n_features = int(gate.n_features_in_)
    again = lambda: (X for X, _ in checked_blocks(gate, blocks))  # noqa: E731
    return Rows(None, whole, weights, (whole.shape[0], n_features), found[0].names, again)


def checked_blocks(gate: DependenceTest, blocks: Any) -> Iterator[tuple[Any, Any]]:
    """Blocks that passed the gate; rows of weight 0 are left out."""
    for place, (X, Y, *weights) in enumerate(blocks):
        yield check_fit(gate, X, Y, *weights, reset=place == 0, chunk=True)
