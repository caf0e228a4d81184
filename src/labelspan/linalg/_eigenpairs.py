"""Eigenpairs, the rank cut, the number of directions to keep and the sign rule."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np

from labelspan.arrays import cast, namespace
from labelspan.gate import NoDirectionError
from labelspan.moments import EPS

# Numbers whose signs are judged at a time, because each takes several copies of them.
SIGNED_NUMBERS = 2**20


class Wanted(int):
    """A number of directions; others complete those that the problem lacks."""


@dataclass(frozen=True)
class EigenPairs:
    """Leading eigenpairs, largest first.

    All positive values (r,) that were computed, the first k <= r vectors (D, k) as columns, and
    the sum of all eigenvalues, None if it is not known. If other vectors complete them, these
    follow, with their scatter v'xx v in `completion`.
    """

    values: np.ndarray
    vectors: np.ndarray
    total: float | None = None
    completion: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def mapped(self, back: Callable[[np.ndarray], np.ndarray]) -> EigenPairs:
        """The same pairs with the vectors in other coordinates."""
        return replace(self, vectors=back(self.vectors))

    def of_unit_variance(self, weight: float, a: float) -> EigenPairs:
        """From v'(a xx + b I)v = 1 to v'(xx + b / a I)v = n: projections of variance 1."""
        longer = float(np.sqrt(weight * a)) if a > 0 else 1.0
        return self if longer == 1 else replace(self, vectors=longer * self.vectors)


def rank(values: np.ndarray, side: float) -> int:
    """Number of eigenvalues (descending) above rounding, which is side * eps of the first.

    The one rank cut of all methods: label matrices are usually rank-deficient, and a null direction
    that survives is divided by 1e-16.
    """
    if len(values) == 0 or values[0] <= 0:
        return 0
    return int(np.count_nonzero(values > side * EPS * values[0]))


def n_directions(values: np.ndarray, total: float, n_components: int | float | str | None) -> int:
    """How many positive eigenvalues, descending, to keep: a number, a share of `total`, or all."""
    if len(values) == 0:
        raise NoDirectionError()
    if n_components is None or isinstance(n_components, str):
        return len(values)
    if isinstance(n_components, Integral):
        if n_components > len(values) and not isinstance(n_components, Wanted):
            warnings.warn(
                f"n_components={n_components} is more than the {len(values)} directions with a "
                f"positive eigenvalue; {len(values)} are kept (see n_components_).",
                stacklevel=2,
            )
        return min(int(n_components), len(values))
    # Without this slack of one rounding unit, the order of a sum could add a direction.
    reached = np.cumsum(values) >= n_components * total * (1 - len(values) * EPS)
    return int(np.argmax(reached)) + 1 if reached.any() else len(values)


def as_rows(vectors: Any) -> Any:
    """Copy the columns to the rows of a new float64 array."""
    return cast(vectors.T, np.float64, copy=True)


def signed_rows(vectors: Any) -> Any:
    """Vectors (D, k) as the rows of a new float64 array, with the signs of :func:`signs_of`."""
    rows = cast(vectors.T, np.float64, copy=True)
    rows *= signs_of(rows)[:, None]
    return rows


def fix_signs(components: Any) -> Any:
    """Flip the sign of rows, in place, so that the sum of the cubes of each is positive."""
    components *= signs_of(components)[:, None]
    return components


def signs_of(components: Any, counts: Any = 1.0) -> Any:
    """Signs (k,) that make the sum of the cubes of each row of `components` (k, m) positive.

    The sum does not depend on the order of the entries; `counts` says how many rows each stands
    for. If all cubes cancel, as in (a, -a), the first of the largest entries decides.
    """
    xp, (n_rows, n_columns) = namespace(components), components.shape
    signs = xp.ones(n_rows, dtype=components.dtype, device=components.device)
    height = max(SIGNED_NUMBERS // max(n_columns, 1), 1)
    for start in range(0, n_rows if n_columns else 0, height):
        rows = slice(start, min(start + height, n_rows))
        # Relative to the largest entry, because the cube of 1e110 overflows.
        unit = components[rows, :]
        largest = xp.max(xp.abs(unit), axis=1, keepdims=True)
        unit = unit / xp.where(largest > 0, largest, xp.ones_like(largest))
        size = xp.abs(unit)
        decisive, weight = xp.sum(counts * unit**3, axis=1), xp.sum(counts * size**3, axis=1)
        first = xp.argmax(xp.astype(size >= 1 - 1e-6, xp.int32), axis=1)
        at_first = xp.arange(n_columns, device=components.device) == first[:, None]
        entry = xp.sum(xp.where(at_first, unit, xp.zeros_like(unit)), axis=1)
        negative = xp.where(xp.abs(decisive) <= 1e-8 * weight, entry, decisive) < 0
        signs[rows] -= 2.0 * xp.astype(negative, signs.dtype)
    return signs
