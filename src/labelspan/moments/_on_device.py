"""Moments of a block of rows on a device: one copy in float64, two products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelspan.arrays import (
    cast,
    dense,
    in_single,
    like,
    minus_row,
    namespace,
    scatter,
    sums_of_squares,
)

# Rows whose mean is subtracted from a block before its own mean is known.
SPREAD_ROWS = 1024
# Products need no centring if the mean of the rows is at most this many times their spread.
NEAR = 8.0
WITHIN = 2.0**40


def block_sums(X: Any, T: Any, weights: Any, *, xx: bool, tt: bool) -> tuple[Any, ...]:
    """The fields of :class:`labelspan.moments.Moments` of one block, on the device of X or T.

    The mean of some rows is subtracted first, so no digit is lost and a constant column becomes
    zero.
    """
    seen = ColumnSpreads.at(like(T, X))
    block = Block.of(X, T, weights, seen, thin=not xx, single=in_single(X))
    A, offset = block.A, block.offset
    TT = scatter(block.T) if tt else None
    squares = XX = None
    if xx:
        XX = cast(scatter(block.centred()), np.float64)
    elif seen.varies and weights is None:
        # They serve only to judge scales and digits, so some rows suffice.
        squares = block.weight * seen.variance
    else:
        # Single precision suffices if no mean is large.
        rows = X if weights is None and block.about_zero else A
        lengths = cast(sums_of_squares(rows), np.float64)
        squares = namespace(A).clip(lengths - block.weight * offset**2, min=0.0)
    return block.weight, block.shift + offset, block.t_mean, block.xt, XX, TT, squares


@dataclass(frozen=True)
class Block:
    """diag(w)^(1/2) [A Tc] with A = X - shift, and the result of one product of the two.

    `root` are the square roots of the weights, `offset` the mean of X - shift; `about_zero` says
    that the mean is so close to zero that nothing was subtracted.
    """

    weight: float
    weighted: bool
    root: Any
    A: Any
    T: Any
    shift: Any
    offset: Any
    t_mean: Any
    xt: Any
    about_zero: bool

    @classmethod
    def of(
        cls,
        X: Any,
        T: Any,
        weights: Any,
        seen: ColumnSpreads | None = None,
        *,
        thin: bool = False,
        single: bool = False,
    ) -> Block:
        """Read the rows once; `thin` without X times itself; `single`: products in float32."""
        X = like(T, X)
        seen = ColumnSpreads.at(X) if seen is None else seen
        T = cast(like(X, T), np.float64)
        xp = namespace(T)
        root, weight = xp.ones(T.shape[0], dtype=xp.float64, device=T.device), float(T.shape[0])
        if weights is not None:
            root = xp.sqrt(like(T, weights))
            weight = float(xp.sum(weights))
        inverse = 1.0 / max(weight, float(np.finfo(np.float64).tiny))
        t_mean = inverse * ((root * root) @ T)
        T = T - t_mean
        about_zero = thin and seen.near and not single
        shift = seen.mean
        if about_zero:
            # Only one side of a product must be centred, and a cast is a faster copy.
            shift = xp.zeros_like(shift)
            A = cast(X, np.float64)
        elif single:
            taken = cast(shift, np.float32)
            A, shift = X - taken, cast(taken, np.float64)
        else:
            A = minus_row(X, shift)
        if weights is not None:
            T *= root[:, None]
            A = A * cast(root[:, None], np.float32 if single else np.float64)
        # One product for both; an additional column gives the mean.
        factor = xp.concat([T, root[:, None]], axis=1)
        sums = cast(xp.astype(factor, A.dtype, copy=False).T @ A, np.float64)
        offset = inverse * sums[-1, :]
        weighted = weights is not None
        xt = sums[:-1, :].T
        return cls(weight, weighted, root, A, T, shift, offset, t_mean, xt, about_zero)

    def centred(self) -> Any:
        """diag(root) Xc, in the memory of A."""
        A = self.A
        xp = namespace(A)
        A -= xp.astype(
            self.root[:, None] * self.offset if self.weighted else self.offset, A.dtype, copy=False
        )
        return A


@dataclass(frozen=True)
class ColumnSpreads:
    """Scales of all rows, estimated from some of them: a mean, mean squares about it, and flags.

    `near`: the mean is at most NEAR times the spread, which costs log2(NEAR) of the 53 bits of a
    product and twice as many of the 24 bits of a sum of squares; `varies`: every column does.
    """

    mean: Any
    variance: Any
    near: bool
    varies: bool

    @classmethod
    def at(cls, X: Any) -> ColumnSpreads:
        """Look at SPREAD_ROWS rows; one transfer from the device."""
        xp = namespace(X)
        first = xp.astype(X[0, :], xp.float64)
        some = minus_row(X[:: max(X.shape[0] // SPREAD_ROWS, 1), :], first)
        offset = xp.mean(some, axis=0)
        some -= offset
        spread = xp.max(xp.abs(some), axis=0)
        mean, variance = first + offset, sums_of_squares(some) / some.shape[0]
        within = (spread == 0) | ((spread > 1 / WITHIN) & (spread < WITHIN))
        near = within & (xp.abs(mean) <= NEAR * spread)
        flags = dense(xp.stack([xp.all(near), xp.all(variance > 0)]))
        return cls(mean, variance, bool(flags[0]), bool(flags[1]))
