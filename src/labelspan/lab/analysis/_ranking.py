"""Values of methods on blocks, their ranks and the tests of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from labelspan.lab.methods import ALL_MEASURES
from labelspan.stats import (
    FriedmanResult,
    NemenyiResult,
    average_ranks,
    friedman,
    nemenyi,
    wilcoxon,
)

ALPHA = 0.05
# No verdict from fewer data sets or splits. If two methods are equally good, one of them wins on
# all n by chance with probability 2 / 2**n. This is the smallest p-value of any exact test of the
# pair: 0.0625 for 5, 0.03125 for 6. With fewer data sets, the tests use splits as blocks.
LEAST_BLOCKS = 6
# Differences in the last digits are rounding, not rank.
DIGITS = 10


@dataclass(frozen=True, eq=False)
class Ranking:
    """One measure and one classifier: values of all methods on all blocks, ranks and tests.

    Parameters
    ----------
    measure : str
        Name of the measure.
    methods : tuple of str
        Methods that have a value on every block.
    blocks : tuple of str
        Data sets; or splits of them.
    values : ndarray of shape (n_blocks, n_methods)
        Measured values.
    ranks : ndarray of shape (n_methods,)
        Average ranks; 1 is best.
    friedman : FriedmanResult or None
        None for fewer than 3 methods or 2 blocks.
    nemenyi : NemenyiResult or None
        None for fewer than `LEAST_BLOCKS` blocks.
    pair : float or None
        Wilcoxon's p-value, signed ranks, if there are just two methods and 2 blocks or more.
    """

    measure: str
    methods: tuple[str, ...]
    blocks: tuple[str, ...]
    values: np.ndarray
    ranks: np.ndarray
    friedman: FriedmanResult | None
    nemenyi: NemenyiResult | None
    pair: float | None = None

    @property
    def order(self) -> tuple[str, ...]:
        """The methods, the best first: by average ranks, or for two methods by signed ranks."""
        # Many small gains can have a better average rank but a smaller sum of signed ranks.
        key = self.ranks if self.pair is None else self._signed_ranks()
        return tuple(self.methods[place] for place in np.argsort(key, kind="stable"))

    def _signed_ranks(self) -> np.ndarray:
        """Minus the sum of signed ranks of each of two methods; ties cancel."""
        sign = 1 if ALL_MEASURES[self.measure].direction == "max" else -1
        gains = sign * np.round(self.values, DIGITS) @ np.array([1, -1])
        total = float(np.sign(gains) @ rankdata(np.abs(gains)))
        return np.array([-total, total])

    @property
    def has_enough(self) -> bool:
        """Whether there are enough blocks for a verdict."""
        return len(self.blocks) >= LEAST_BLOCKS

    @property
    def differ(self) -> bool:
        """Whether Friedman's test, or Wilcoxon's for two, rejects that all methods are equal."""
        if not self.has_enough:
            return False
        return self.p_value is not None and self.p_value < ALPHA

    @property
    def p_value(self) -> float | None:
        """Of Friedman's test, or Wilcoxon's for two methods."""
        return self.pair if self.friedman is None else self.friedman.p_value

    def rank_of(self, method: str) -> float:
        """Average rank of a method."""
        return float(self.ranks[self.methods.index(method)])

    def separated(self, first: str, second: str) -> bool:
        """Whether Nemenyi's test (if Friedman's rejected) or Wilcoxon's separates two methods."""
        if not self.differ or self.nemenyi is None:
            return False
        if self.pair is not None:
            return first != second
        i, j = self.methods.index(first), self.methods.index(second)
        return bool(self.nemenyi.significant[i, j])


def ranked(
    measure: str, methods: tuple[str, ...], blocks: tuple[str, ...], values: np.ndarray
) -> Ranking:
    larger = ALL_MEASURES[measure].direction == "max"
    rounded = np.round(values, DIGITS)
    enough = len(blocks) >= 2
    return Ranking(
        measure=measure,
        methods=methods,
        blocks=blocks,
        values=values,
        ranks=block_ranks(measure, values).mean(axis=0),
        friedman=friedman(rounded, greater_is_better=larger, names=methods)
        if enough and len(methods) >= 3
        else None,
        nemenyi=nemenyi(rounded, greater_is_better=larger, names=methods, alpha=ALPHA)
        if len(blocks) >= LEAST_BLOCKS
        else None,
        pair=float(wilcoxon(rounded).holm.adjusted[0]) if enough and len(methods) == 2 else None,
    )


def block_ranks(measure: str, values: np.ndarray) -> np.ndarray:
    larger = ALL_MEASURES[measure].direction == "max"
    return average_ranks(np.round(values, DIGITS), greater_is_better=larger).ranks
