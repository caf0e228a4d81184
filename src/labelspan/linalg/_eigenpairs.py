"""Eigenpairs, the rank cut, the number of directions to keep and the sign rule."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from labelspan.arrays import is_device, namespace
from labelspan.gate import NoDirectionError
from labelspan.moments import EPS


@dataclass(frozen=True)
class EigenPairs:
    """Leading eigenpairs, largest first.

    All positive values (r,) that were computed, the first k <= r vectors (D, k) as columns, and
    the sum of all eigenvalues, None if it is not known.
    """

    values: np.ndarray
    vectors: np.ndarray
    total: float | None = None

    def mapped(self, back: Callable[[np.ndarray], np.ndarray]) -> EigenPairs:
        """The same pairs with the vectors in other coordinates."""
        return replace(self, vectors=back(self.vectors))


def rank(values: np.ndarray, side: float) -> int:
    """Number of eigenvalues (descending) above rounding, which is side * eps of the first.

    The one rank cut of all methods: label matrices are usually rank-deficient, and a null direction
    that survives is divided by 1e-16.
    """
    if len(values) == 0 or values[0] <= 0:
        return 0
    return int(np.count_nonzero(values > side * EPS * values[0]))


def n_directions(values: np.ndarray, total: float, n_components: int | float | None) -> int:
    """How many positive eigenvalues (descending) to keep: a number, a share of `total`, or all."""
    if len(values) == 0:
        raise NoDirectionError()
    if n_components is None:
        return len(values)
    if isinstance(n_components, Integral):
        if n_components > len(values):
            warnings.warn(
                f"n_components={n_components} is more than the {len(values)} directions with a "
                f"positive eigenvalue; {len(values)} are kept (see n_components_).",
                UserWarning,
                stacklevel=2,
            )
        return min(int(n_components), len(values))
    # Without this slack of one rounding unit, the order of a sum could add a direction.
    reached = np.cumsum(values) >= n_components * total * (1 - len(values) * EPS)
    return int(np.argmax(reached)) + 1 if reached.any() else len(values)


def as_rows(vectors: Any) -> Any:
    """Copy the columns to the rows of a new float64 array."""
    if is_device(vectors):
        return namespace(vectors).asarray(vectors.T, copy=True)
    return np.array(vectors.T, dtype=np.float64, order="C")


def fix_signs(components: np.ndarray) -> np.ndarray:
    """Flip the sign of rows, in place, so that the sum of the cubes of each is positive."""
    components *= signs_of(components)[:, None]
    return components


def signs_of(components: Any, counts: Any = 1.0) -> Any:
    """Signs (k,) that make the sum of the cubes of each row of `components` (k, m) positive.

    The sum does not depend on the order of the entries; `counts` says how many rows each stands
    for. If all cubes cancel, as in dummy-coded pairs (a, -a), the first of the largest entries
    decides.
    """
    if is_device(components):
        return signs_at_once(components, counts)
    signs = np.ones(len(components), dtype=components.dtype)
    for i, row in enumerate(components):
        # Relative to the largest entry, because the cube of 1e110 overflows.
        unit = row / max(row.max(initial=0.0), -row.min(initial=0.0), np.finfo(np.float64).tiny)
        squares, size = counts * unit * unit, np.abs(unit)
        decisive = squares @ unit
        if np.abs(decisive) <= 1e-8 * (squares @ size):
            decisive = unit[np.argmax(size >= 1 - 1e-6)]
        if decisive < 0:
            signs[i] = -1.0
    return signs


def signs_at_once(components: Any, counts: Any) -> Any:
    """The same for all rows at once on a device, where starting a step costs more than the step."""
    xp = namespace(components)
    if 0 in components.shape:
        return xp.ones(components.shape[0], dtype=components.dtype, device=components.device)
    largest = xp.max(xp.abs(components), axis=1, keepdims=True)
    unit = components / xp.clip(largest, min=float(np.finfo(np.float64).tiny))
    size = xp.abs(unit)
    decisive = xp.sum(counts * unit**3, axis=1)
    first = xp.argmax(xp.astype(size >= 1 - 1e-6, xp.int32), axis=1)
    places = xp.arange(unit.shape[1], device=unit.device)
    at_first = xp.sum(xp.where(places == first[:, None], unit, xp.zeros_like(unit)), axis=1)
    weak = xp.abs(decisive) <= 1e-8 * xp.sum(counts * size**3, axis=1)
    negative = xp.where(weak, at_first, decisive) < 0
    return 1.0 - 2.0 * xp.astype(negative, components.dtype)
