"""Statistics of blocks of rows, and those of all rows when blocks count more or less often."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import blas

from labelspan.gate import check_size
from labelspan.moments import Moments, collect_parts


@dataclass(frozen=True)
class BlockSums:
    """Moments of each of B blocks: (B,), (B, D), (B, q), and B products (D, q) and so on."""

    weight: np.ndarray
    x_mean: np.ndarray
    t_mean: np.ndarray
    xt: list[np.ndarray]
    xx: list[np.ndarray] | None
    tt: list[np.ndarray] | None
    squares: np.ndarray

    @classmethod
    def of(
        cls, X: Any, Y: Any, weights: Any, blocks: np.ndarray, *, xx: bool, tt: bool
    ) -> BlockSums:
        """One pass over the rows; `blocks` (n,) is the block of each."""
        n_blocks, D = int(blocks.max()) + 1, X.shape[1]
        height = n_blocks * (D if xx else Y.shape[1])
        check_size((height, D), "The sums of all blocks", "Pass fewer n_blocks, at least 30.")
        found = collect_parts(X, Y, partial(of_block, xx, tt), blocks[None, :], weights)
        parts = [found[key] for key in sorted(found)]
        return cls(
            np.array([part.weight for part in parts]),
            np.array([part.x_mean for part in parts]),
            np.array([part.t_mean for part in parts]),
            [part.xt for part in parts],
            [part.xx for part in parts] if xx else None,
            [part.tt for part in parts] if tt else None,
            np.array([part.squares for part in parts]),
        )

    def pooled(self, counts: np.ndarray) -> Moments:
        """Moments of all rows where block b counts `counts[b]` times."""
        w = counts * self.weight
        total = w.sum()
        x_mean, t_mean = w @ self.x_mean / total, w @ self.t_mean / total
        dx, dt = self.x_mean - x_mean, self.t_mean - t_mean

        def sums(inside: list[np.ndarray] | None, left: np.ndarray, right: np.ndarray) -> Any:
            if inside is None:
                return None
            total = (w[:, None] * left).T @ right
            for count, part in zip(counts, inside, strict=True):
                if count > 0:
                    total = blas.daxpy(part.ravel(), total.ravel(), a=count).reshape(total.shape)
            return total

        xt, xx, tt = sums(self.xt, dx, dt), sums(self.xx, dx, dx), sums(self.tt, dt, dt)
        squares = None if xx is not None else counts @ self.squares + w @ dx**2
        return Moments(float(total), x_mean, t_mean, xt, xx, tt, squares)


def of_block(xx: bool, tt: bool, X: Any, Y: Any, weights: Any = None) -> Moments:
    """Moments of one block."""
    return Moments.of(X, Y, weights, xx=xx, tt=tt)


def block_of_rows(n_rows: int, n_blocks: int, seed: int, groups: Any = None) -> np.ndarray:
    """The block of each row, by a hash of its number and the seed; `groups` stay whole.

    The finaliser of SplitMix64: whatever the order of the rows is, blocks are random.
    """
    numbers = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) + np.uint64(seed + 1) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return np.unique(z % np.uint64(n_blocks), return_inverse=True)[1].ravel()
