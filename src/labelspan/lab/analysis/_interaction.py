"""Whether the ranks of the methods depend on the classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from labelspan.lab.analysis._ranking import ALPHA, LEAST_BLOCKS, Ranking, block_ranks

N_DRAWS = 9999
# Draws at a time, so that many blocks do not need much memory.
BATCH = 1000


@dataclass(frozen=True, eq=False)
class Interaction:
    """One measure under each classifier, and whether they rank the methods alike.

    `p_value` is the share of random exchanges of the classifiers within each block that spread the
    average ranks (classifiers x methods, 1 is best) as far as the observed ones.
    """

    measure: str
    classifiers: tuple[str, ...]
    methods: tuple[str, ...]
    n_blocks: int
    ranks: np.ndarray
    p_value: float

    @property
    def is_shown(self) -> bool:
        """Whether the test rejects that the classifiers rank the methods alike."""
        return self.p_value < ALPHA

    @property
    def contrast(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """The two classifiers that differ most, and what falls and what rises between them."""
        changes = self.ranks[None] - self.ranks[:, None]
        first, second, _ = np.unravel_index(np.argmax(changes), changes.shape)
        change = changes[first, second]
        names = (self.methods[int(np.argmax(change))], self.methods[int(np.argmin(change))])
        return (self.classifiers[first], self.classifiers[second]), names

    def rank(self, classifier: str, method: str) -> float:
        place = self.classifiers.index(classifier), self.methods.index(method)
        return float(self.ranks[place])


def interaction(rankings: Mapping[str, Ranking]) -> Interaction | None:
    """Test one measure; None without two classifiers, two methods and enough blocks they share."""
    if len(rankings) < 2:
        return None
    first, *rest = rankings.values()
    methods = tuple(m for m in first.methods if all(m in item.methods for item in rest))
    blocks = [name for name in first.blocks if all(name in item.blocks for item in rest)]
    # As for two methods, the smallest p-value of two classifiers on n blocks is 2 / 2**n.
    if len(methods) < 2 or len(blocks) < LEAST_BLOCKS:
        return None
    ranks = np.stack([_ranks(item, blocks, methods) for item in rankings.values()], axis=1)
    return Interaction(
        first.measure, tuple(rankings), methods, len(blocks), ranks.mean(axis=0), _p_value(ranks)
    )


def _ranks(ranking: Ranking, blocks: list[str], methods: tuple[str, ...]) -> np.ndarray:
    rows = [ranking.blocks.index(name) for name in blocks]
    columns = [ranking.methods.index(name) for name in methods]
    return block_ranks(ranking.measure, ranking.values[np.ix_(rows, columns)])


def _p_value(ranks: np.ndarray) -> float:
    """Share of random exchanges that spread the ranks as far; of blocks x classifiers x methods."""
    n_blocks, n_classifiers, _ = ranks.shape
    rng = np.random.default_rng(0)
    places = np.arange(n_classifiers)
    spread = _spread(ranks.sum(axis=0)[None])[0]
    n_as_far = 0
    for start in range(0, N_DRAWS, BATCH):
        shape = (min(BATCH, N_DRAWS - start), n_blocks, n_classifiers)
        orders = rng.permuted(np.broadcast_to(places, shape), axis=-1)
        taken = (orders[..., None] == places).astype(float)
        sums = np.einsum("dbck,bcm->dkm", taken, ranks, optimize=True)
        n_as_far += int(np.count_nonzero(_spread(sums) >= spread * (1 - 1e-9)))
    return (n_as_far + 1) / (N_DRAWS + 1)


def _spread(sums: np.ndarray) -> np.ndarray:
    """Squared distances of the rank sums from their mean over the classifiers."""
    return ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2))
