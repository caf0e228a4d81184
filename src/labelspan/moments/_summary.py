"""The statistics of a sample in one pass, for the chosen solver."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from labelspan.arrays import is_device, on_host, to_host
from labelspan.compat import is_dask_array
from labelspan.gate import has_holes, is_large
from labelspan.moments._available import N_NAMED, Available, completed, of_observed
from labelspan.moments._collect import Sample, collect
from labelspan.moments._large import indicators
from labelspan.moments._moments import EPS, Moments
from labelspan.moments._on_device import Glance
from labelspan.moments._products import Products
from labelspan.moments._root import Root, dense
from labelspan.moments._rows import Rows

Encoder = Callable[[Any], Any]
# A centred column with fewer digits than this gives unreliable coefficients.
DIGITS = 8


class Statistics(Protocol):
    """A summary of a sample."""

    @property
    def x_mean(self) -> np.ndarray:
        """Mean of X, (D,)."""

    @property
    def spread(self) -> np.ndarray:
        """Numbers that overflow if any sum of squares of X does."""


class Poolable(Statistics, Protocol):
    """Statistics of chunks that add up to those of all rows, for ``partial_fit``."""

    @property
    def weight(self) -> float:
        """Number of rows."""

    @property
    def t_mean(self) -> np.ndarray:
        """Mean of the labels, (q,)."""

    @property
    def kind(self) -> tuple[Any, ...]:
        """The kind of statistics; only those of one kind can be added."""

    def __add__(self, other: Any) -> Any:
        """Statistics of both samples together."""

    def moved(self, by: np.ndarray) -> Any:
        """Statistics of X + by, for a row (D,)."""


def summarise(
    sample: Sample,
    *,
    tt: bool = False,
    signed: bool = False,
    centre: bool = True,
    encode: Encoder | None = None,
) -> Moments | Root | Rows | Products:
    """The statistics that the solver of the sample needs, in one pass.

    `tt`: with the label scatter; `signed`: of the labels 2 T - 1; without `centre`, sums of
    products about zero; `encode`: from a block of labels to targets of the same rows.
    """
    if sample.solver == "products":
        return checked(Products.of(sample, tt=tt))
    if sample.solver == "krylov":
        T = dense(sample.Y if encode is None else encode(sample.Y))
        return checked(rows_of(sample, T, tt=tt, signed=signed, centre=centre))
    statistics: Any
    if sample.solver == "root":
        # Their solvers run on the host, so factors of rows leave the device here.
        statistics = on_host(collect(sample, encoded(root_of, encode), whole_sparse=False))
    else:
        thin = sample.solver == "thin"
        whole = encode is None and not (sample.part or is_dask_array(sample.X))
        if whole and not is_dask_array(sample.Y) and has_holes(sample.Y):
            statistics = of_available(sample, thin=thin, tt=tt)
        else:
            statistics = collect_moments(sample, encode, xx=not thin, tt=tt)
    if not sample.part:
        statistics = checked(statistics)
    # The labels of a block are 0/1 in any coding, so the signs are applied afterwards.
    statistics = statistics.signed() if signed else statistics
    return statistics if centre else statistics.about_zero()


def collect_moments(
    sample: Sample, encode: Encoder | None = None, *, xx: bool, tt: bool
) -> Moments:
    """Moments of all blocks, from observed labels; see :func:`available`."""
    large, ones = is_large(sample.X), None
    if large and encode is None and not is_dask_array(sample.X):
        ones = indicators(sample.X, sample.Y, sample.weights)
    seen = Glance.at(sample.X) if is_device(sample.X) else None
    of_block: Any = partial(Available.of, xx=xx, tt=tt, seen=seen, large=large)
    of_block = encoded(of_block, encode)
    if ones is None:
        return collect(sample, of_block, tall=xx)
    return collect(replace(sample, Y=ones), of_block, tall=xx, walked=True)


def of_available(sample: Sample, *, thin: bool, tt: bool) -> Moments:
    """Moments of available cases from rows in memory, by one product with X."""
    T, labels = completed(sample.Y, to_host(sample.weights), tt)
    of_block = partial(Moments.of, xx=not thin, tt=False)
    return of_observed(collect(replace(sample, Y=T), of_block, tall=not thin), labels)


def rows_of(sample: Sample, T: np.ndarray, *, tt: bool, signed: bool, centre: bool) -> Rows:
    """The rows; with missing labels, targets that give the products of available cases."""
    if not has_holes(T):
        T = 2.0 * T - 1.0 if signed else T
        return Rows.of(sample.X, T, sample.weights, centre=centre)
    T, of_labels = completed(T, sample.weights, tt)
    if signed:
        T, of_labels = 2.0 * T, of_labels.signed()
    found = Rows.of(sample.X, T, sample.weights, centre=centre)
    given = {"tt": of_labels.tt, "tt_clipped": of_labels.tt_clipped} if tt else {}
    return replace(found, t_mean=of_labels.t_mean, **given)


def root_of(X: Any, T: Any, *weights: Any) -> Root:
    """QR factors of a block without missing labels."""
    if has_holes(T):
        raise ValueError(
            "y has labels that are not observed (NaN), but without a ridge the solver needs all of "
            "them. Set a ridge above 0 (for MDDM, mu below 1), or drop rows with missing labels."
        )
    return Root.of(X, T, *weights)


def encoded(statistic: Callable[..., Any], encode: Encoder | None) -> Callable[..., Any]:
    """The statistic of a block, with its labels encoded first."""
    return statistic if encode is None else partial(of_encoded, statistic, encode)


def of_encoded(
    statistic: Callable[..., Any], encode: Encoder, X: Any, Y: Any, *weights: Any
) -> Any:
    return statistic(X, encode(Y), *weights)


def available(statistics: Any) -> Any:
    """The statistics; with missing labels, those of available cases."""
    return statistics.complete() if isinstance(statistics, Available) else statistics


def checked(statistics: Any) -> Any:
    """Return the statistics of all rows; warn of columns with few digits left.

    With missing labels, these are the statistics of available cases.
    """
    statistics = available(statistics)
    warn_of_lost_digits(statistics.x_mean, statistics.squares, statistics.weight)
    return statistics


def warn_of_lost_digits(mean: np.ndarray, squares: np.ndarray, weight: float) -> None:
    """Warn of columns whose spread is so small relative to their mean that rounding affects it."""
    mean, squares = to_host(mean), to_host(squares)
    spread = np.sqrt(np.maximum(squares, 0.0) / weight) if weight > 0 else np.zeros_like(mean)
    # A constant column is exactly zero after centring, so none of its digits is used.
    lost = np.flatnonzero((spread > 0) & (spread < 10.0**DIGITS * EPS * np.abs(mean)))
    if len(lost) == 0:
        return
    shown = ", ".join(str(j) for j in lost[:N_NAMED]) + (", ..." if len(lost) > N_NAMED else "")
    worst = lost[np.argmin(spread[lost] / np.abs(mean[lost]))]
    warnings.warn(
        f"{len(lost)} column(s) of X ({shown}) vary so little about their mean that float64 "
        f"leaves fewer than {DIGITS} digits of them: column {worst} varies by "
        f"{spread[worst]:.3g} about {mean[worst]:.3g}. Subtract a constant near the mean where "
        "the data are made, or drop these columns.",
        UserWarning,
        stacklevel=2,
    )
