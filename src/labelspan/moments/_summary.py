"""The statistics of a sample in one pass, for the chosen solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from labelspan.arrays import doubles, is_dask_array, moved_to
from labelspan.gate import has_holes, is_large
from labelspan.moments._available import Available, completed, of_observed
from labelspan.moments._collect import Sample, collect, warn_of_lost_digits
from labelspan.moments._large import indicators
from labelspan.moments._moments import Moments
from labelspan.moments._products import Products
from labelspan.moments._root import Root
from labelspan.moments._rows import Rows

Encoder = Callable[[Any], Any]


class Statistics(Protocol):
    """A summary of a sample."""

    @property
    def x_mean(self) -> np.ndarray:
        """Mean of X, (D,)."""

    @property
    def squares(self) -> np.ndarray:
        """Squared lengths of the columns of X about their means, (D,), on the host."""


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
        T = doubles(sample.Y if encode is None else encode(sample.Y))
        return checked(rows_of(sample, T, tt=tt, signed=signed, centre=centre))
    statistics: Any
    if sample.solver == "root":
        of_block = root_of if encode is None else partial(of_encoded, root_of, encode)
        statistics = collect(sample, of_block, whole_sparse=False, home=True)
    else:
        statistics = collect_moments(sample, encode, xx=sample.solver != "thin", tt=tt)
    if not sample.part:
        statistics = checked(statistics)
    # The labels of a block are 0/1 in any coding, so the signs are applied afterwards.
    statistics = statistics.signed() if signed else statistics
    return statistics if centre else statistics.about_zero()


def collect_moments(
    sample: Sample, encode: Encoder | None = None, *, xx: bool, tt: bool
) -> Moments:
    """Moments of all blocks; of available cases if labels in memory are missing."""
    X, Y, ones = sample.X, sample.Y, None
    lazy, known = is_dask_array(X), encode is None and not is_dask_array(Y)
    holes = known and (has_holes(Y) if sample.missing is None else sample.missing)
    if holes and not (lazy or sample.part):
        T, labels = completed(Y, moved_to(Y, sample.weights), tt)
        of_block: Any = partial(Moments.of, xx=xx, tt=False)
        return of_observed(collect(replace(sample, Y=T), of_block, tall=xx), labels)
    large = sample.of_many or is_large(X)
    # Blocks of labels are searched for missing ones only if it is not known that there are none.
    kind = Moments if known and not holes else Available
    of_block = partial(kind.of, xx=xx, tt=tt, large=large)
    if large and encode is None and not lazy:
        ones = indicators(X, Y, sample.weights)
    if ones is not None:
        return collect(replace(sample, Y=ones), of_block, tall=xx, walked=True)
    return collect(
        sample, of_block if encode is None else partial(of_encoded, of_block, encode), tall=xx
    )


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
    return replace(found, t_mean=of_labels.t_mean, share=of_labels.share, **given)


def root_of(X: Any, T: Any, *weights: Any) -> Root:
    """QR factors of a block without missing labels."""
    if has_holes(T):
        raise ValueError(
            "y has labels that are not observed (NaN), but without a ridge the solver needs all of "
            "them. Set a ridge above 0 (for MDDM, mu below 1), or drop rows with missing labels."
        )
    return Root.of(X, T, *weights)


def of_encoded(
    statistic: Callable[..., Any], encode: Encoder, X: Any, Y: Any, *weights: Any
) -> Any:
    return statistic(X, encode(Y), *weights)


def available(statistics: Any) -> Any:
    """The statistics; with missing labels, those of available cases."""
    return statistics.complete() if isinstance(statistics, Available) else statistics


def checked(statistics: Any) -> Any:
    """The statistics of all rows, of available cases; warns of columns with few digits left."""
    if isinstance(statistics, Available):
        statistics = statistics.complete()
    warn_of_lost_digits(statistics.x_mean, statistics.squares, statistics.weight)
    return statistics
