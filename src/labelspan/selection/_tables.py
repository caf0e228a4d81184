"""Tables of counts of binned features and labels, and the information that they hold, in bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from labelspan.arrays import dense, has_holes
from labelspan.selection._binning import ROUNDING, Binning

# Numbers of a table that are looked at together.
BLOCK_NUMBERS = 2**21
# Logarithms of counts are looked up below this sum.
LARGEST_TABLE = 2**22

# Taking rows out pays if they are fewer than this part of all.
FEW_ROWS = 8

PLogP = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Counts:
    """Rows by slot of each feature and by label; ``a + b`` are those of both samples.

    `weight` of all rows, `slots` (b - 1, D), `labels` (q,), `pairs` (b - 1, D, q). If labels are
    missing, `seen_labels` (q,) and `seen_pairs` count the rows where a label is observed.
    """

    weight: float
    slots: np.ndarray
    labels: np.ndarray
    pairs: np.ndarray
    seen_labels: np.ndarray | None = None
    seen_pairs: np.ndarray | None = None

    @classmethod
    def of(cls, X: Any, Y: Any, weights: np.ndarray | None = None, *, binning: Binning) -> Counts:
        """Those of one block."""
        return cls.of_indicators(binning.indicators(X, weights), Y, weights, X.shape[1])

    @classmethod
    def of_indicators(
        cls, E: sparse.csr_array, Y: Any, weights: np.ndarray | None, n_features: int
    ) -> Counts:
        """Those of rows in slots; the entries of `E` are the weights."""
        w = np.ones(E.shape[0]) if weights is None else weights
        shape = (-1, n_features)
        slots = np.bincount(E.indices, E.data, minlength=E.shape[1]).reshape(shape)
        seen: dict[str, Any] = {}
        if has_holes(Y):
            M = (~np.isnan(Y)).astype(np.float64)
            Y = np.where(M > 0, Y, 0.0)
            seen = {"seen_labels": w @ M, "seen_pairs": product(E, M, n_features)}
        return cls(float(w.sum()), slots, w @ Y, product(E, Y, n_features), **seen)

    @property
    def kind(self) -> tuple[str]:
        """The kind of sums; only those of one kind can be added."""
        return ("counts",)

    @property
    def seen(self) -> Any:
        """The weight (q,) of the rows where each label is observed, as ``seen.weight``, or None."""
        return None if self.seen_labels is None else Weight(self.seen_labels)

    def __add__(self, other: Counts) -> Counts:
        mine, theirs = self, other
        names = ["slots", "labels", "pairs"]
        if self.seen_labels is not None or other.seen_labels is not None:
            mine, theirs = self.expanded(), other.expanded()
            names += ["seen_labels", "seen_pairs"]
        sums = {name: getattr(mine, name) + getattr(theirs, name) for name in names}
        return replace(mine, weight=mine.weight + theirs.weight, **sums)

    def expanded(self) -> Counts:
        """The same with counts of observed labels."""
        if self.seen_labels is not None:
            return self
        q = len(self.labels)
        pairs = np.repeat(self.slots[:, :, None], q, axis=2)
        return replace(self, seen_labels=np.full(q, self.weight), seen_pairs=pairs)

    def relevance(self) -> np.ndarray:
        """I(f; l) of all features and labels, (D, q)."""
        plogp = entropies(self.weight, self.slots, self.labels)
        n: Any = self.weight if self.seen_labels is None else self.seen_labels
        found: np.ndarray = np.empty(self.pairs.shape[1:])
        for rows in blocks(found.shape[0], self.pairs[:, 0].size + found.shape[1]):
            slots = self.slots[:, rows, None]
            if self.seen_pairs is not None:
                slots = self.seen_pairs[:, rows]
            whole = with_first(slots, n)
            there = with_first(self.pairs[:, rows], self.labels)
            part = plogp(there) + plogp(whole - there) - plogp(whole)
            found[rows] = part.sum(axis=0)
        found += plogp(np.asarray(n)) - plogp(self.labels) - plogp(n - self.labels)
        return np.maximum(found / np.maximum(n, np.finfo(float).tiny), 0.0)

    def features_that_vary(self) -> np.ndarray:
        """Whether a feature has more than one bin, (D,): only then it holds information."""
        whole = with_first(self.slots, self.weight)
        return (whole > ROUNDING * self.weight).sum(axis=0) > 1

    def feature_entropies(self) -> np.ndarray:
        """H(f), (D,)."""
        plogp = entropies(self.weight, self.slots)
        whole = with_first(self.slots, self.weight)
        return np.maximum(plogp(np.array(self.weight)) - plogp(whole).sum(axis=0), 0) / self.weight

    def label_entropies(self) -> np.ndarray:
        """H(l), (q,)."""
        plogp = entropies(self.weight, self.labels)
        rest = plogp(self.labels) + plogp(self.weight - self.labels)
        return np.maximum(plogp(np.array(self.weight)) - rest, 0.0) / self.weight


@dataclass(frozen=True)
class Weight:
    """A weight (q,)."""

    weight: np.ndarray


@dataclass(frozen=True)
class BinnedRows:
    """All rows in slots, for counts of three: `E` (n, (b - 1) D), `Y` (n, q) and their counts."""

    E: sparse.csr_array
    Y: Any
    weights: np.ndarray
    counts: Counts

    @classmethod
    def of(cls, X: Any, Y: Any, weights: np.ndarray | None, binning: Binning) -> BinnedRows:
        """Rows of a whole sample."""
        E = binning.indicators(X, weights)
        counts = Counts.of_indicators(E, Y, weights, X.shape[1])
        w = np.ones(X.shape[0]) if weights is None else weights
        return cls(E, Y, w, counts)

    @cached_property
    def plogp(self) -> PLogP:
        """X log2 x of counts."""
        return entropies(self.counts.weight, self.weights)

    @cached_property
    def columns(self) -> sparse.csc_array:
        """The rows of every slot."""
        return self.E.tocsc()

    @cached_property
    def label_rows(self) -> sparse.csc_array:
        """The rows of every label."""
        return sparse.csc_array(self.Y)

    def groups(self, feature: int) -> list[np.ndarray]:
        """The rows in the slots 1 to b - 1 of a feature."""
        C, (n_slots, D) = self.columns, self.counts.slots.shape
        places = feature + D * np.arange(n_slots)
        return [C.indices[C.indptr[place] : C.indptr[place + 1]] for place in places]

    def with_label(self, label: int) -> list[np.ndarray]:
        """The rows with a label."""
        C = self.label_rows
        return [C.indices[C.indptr[label] : C.indptr[label + 1]]]

    def joint(self, groups: list[np.ndarray]) -> np.ndarray:
        """Counts (g, b, D) of groups of rows, the first being all others, by slot."""
        slots, n = self.counts.slots, self.counts.weight
        if FEW_ROWS * sum(map(len, groups)) > len(self.weights):
            members = np.zeros((len(self.weights), len(groups)))
            for number, rows in enumerate(groups):
                members[rows, number] = 1.0
            inside = (self.E.T @ members).T
        else:
            parts = [self.E[rows] for rows in groups]
            inside = np.stack([np.bincount(p.indices, p.data, minlength=slots.size) for p in parts])
        inside = inside.reshape(-1, *slots.shape)
        weights = np.array([self.weights[rows].sum() for rows in groups])
        inside = np.concatenate([weights[:, None, None] - inside.sum(axis=1)[:, None], inside], 1)
        return np.concatenate([with_first(slots, n)[None] - inside.sum(axis=0), inside])

    def shared(self, joint: np.ndarray) -> np.ndarray:
        """I(f; groups) of all features, (D,)."""
        n, plogp = self.counts.weight, self.plogp
        within = joint.sum(axis=1)[:, 0]
        found = plogp(joint).sum(axis=(0, 1)) - plogp(joint.sum(axis=0)).sum(axis=0)
        return np.maximum(found - plogp(within).sum() + plogp(np.array(n)), 0.0) / n

    def conditional(
        self, groups: list[np.ndarray], joint: np.ndarray, labels: slice = slice(None)
    ) -> np.ndarray:
        """Sum over labels of I(f; l | groups) for all features, (D,)."""
        plogp, counts = self.plogp, self.counts
        D, q = counts.slots.shape[1], len(counts.labels[labels])
        left, left_labels = counts.pairs[:, :, labels].copy(), counts.labels[labels].copy()
        found = np.zeros(D)
        for number in range(len(groups), -1, -1):
            pairs, present = left, left_labels
            if number > 0:
                rows = groups[number - 1]
                Y = self.Y[rows][:, labels]
                pairs, present = product(self.E[rows], Y, D), self.weights[rows] @ Y
                left -= pairs
                left_labels = left_labels - present
            whole, total = joint[number], float(joint[number, :, 0].sum())
            for part in blocks(D, pairs[:, 0].size + q):
                there = with_first(pairs[:, part], present)
                cells = plogp(there)
                cells += plogp(whole[:, part, None] - there)
                found[part] += cells.sum(axis=(0, 2))
            found -= q * plogp(whole).sum(axis=0)
            found += q * plogp(np.array(total))
            found -= (plogp(present) + plogp(total - present)).sum()
        return found / counts.weight

    def among_labels(self, relevance: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Sum over pairs of these labels of I(f; l; m), (D,)."""
        chosen = replace_labels(self, labels)
        found, upto = np.zeros(len(relevance)), np.zeros(len(relevance))
        for number, label in enumerate(labels):
            groups = self.with_label(label)
            joint = self.joint(groups)
            if number:
                found += upto - chosen.conditional(groups, joint, slice(0, number))
            upto = upto + relevance[:, label]
        return found


def replace_labels(rows: BinnedRows, labels: np.ndarray) -> BinnedRows:
    """The same rows with some of their labels."""
    counts = rows.counts
    if len(labels) == len(counts.labels):
        return rows
    few = replace(counts, labels=counts.labels[labels], pairs=counts.pairs[:, :, labels])
    return replace(rows, Y=rows.Y[:, labels], counts=few)


def product(E: sparse.csr_array, Y: Any, n_features: int) -> np.ndarray:
    """E'Y as (b - 1, D, q), dense."""
    return dense(E.T @ Y).reshape(-1, n_features, Y.shape[1])


def with_first(slots: np.ndarray, total: Any) -> np.ndarray:
    """Counts of all slots: the first has what the others leave of the total."""
    return np.concatenate([(total - slots.sum(axis=0))[None], slots])


def blocks(n_features: int, width: int) -> Iterator[slice]:
    """Features whose tables of this width fit into a block."""
    height = max(BLOCK_NUMBERS // max(width, 1), 1)
    return (slice(start, start + height) for start in range(0, n_features, height))


def entropies(total: float, *weights: np.ndarray) -> PLogP:
    """The function x log2 x of counts: looked up where they are integers."""
    whole = all(np.array_equal(w, np.floor(w)) for w in (*weights, np.array(total)))
    if whole and total <= LARGEST_TABLE:
        x = np.arange(int(total) + 1, dtype=np.float64)
        table = xlogy(x, x) / np.log(2)
        return lambda counts: table.take(np.asarray(counts).astype(np.intp))
    return of_fractions


def of_fractions(counts: np.ndarray) -> np.ndarray:
    """X log2 x; differences of sums may be below zero by rounding."""
    positive = np.maximum(counts, 0.0)
    return xlogy(positive, positive) / np.log(2)
