"""Labels removed from training parts, and methods that replace them by 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from labelspan.arrays import dense
from labelspan.lab.plan._sources import Source
from labelspan.lab.plan._step import ZERO, Step

# Rates per label differ by up to this share of the largest spread that stays within 0 and 1.
SPREAD = 0.9


def holed_sources(
    sources: Sequence[Source], shares: Sequence[float], mechanism: str
) -> tuple[Source, ...]:
    """Each data set once per share of labels to remove, with its own name."""
    return tuple(
        replace(
            source,
            name=f"{source.name}, {100 * share:g} % missing ({mechanism})",
            of=source.name,
            missing=share,
            mechanism=mechanism,
        )
        for source in sources
        for share in shares
    )


def removed(Y: Any, source: Source, seed: Sequence[int]) -> Any:
    """Labels of a training part with NaN where the source removes them: dense float64.

    "mcar" removes single labels at random; "labels" does so at evenly spaced rates around the
    share, assigned to the labels at random; "rows" removes all labels of random rows. With the same
    seed, labels removed at one share are removed at larger shares.
    """
    if not source.missing:
        return Y
    labels = dense(Y).astype(np.float64)
    n, q = labels.shape
    rng = np.random.default_rng(list(seed))
    if source.mechanism == "rows":
        labels[rng.permutation(n)[: _part(source.missing, n)]] = np.nan
    elif source.mechanism == "labels":
        width = SPREAD * min(source.missing, 1 - source.missing)
        rates = source.missing + width * rng.permutation(np.linspace(-1, 1, q) if q > 1 else [0.0])
        for label, rate in enumerate(rates):
            labels[rng.permutation(n)[: _part(rate, n)], label] = np.nan
    else:
        labels.ravel()[rng.permutation(n * q)[: _part(source.missing, n * q)]] = np.nan
    return labels


def learnt(step: Step, Y: Any) -> Any:
    """The labels that a step learns from."""
    return np.nan_to_num(Y) if step.missing == ZERO and not _is_whole(Y) else Y


def refuse_holes(step: Step, estimator: Any) -> None:
    """Refuse a method that would fail in every cell with labels removed."""
    tags = get_tags(estimator)
    if step.missing == ZERO or not tags.target_tags.required:
        return
    known = getattr(tags, "label_tags", None)
    if known is not None and known.takes("missing_labels"):
        return
    reason = "it does not say that it does" if known is None else known.refused["missing_labels"]
    raise ValueError(
        f"{step.method} does not accept missing labels: {reason}. Give "
        f"{step.method}+{ZERO}, which learns 0 in their place, or leave it out."
    )


def _part(share: float, n: int) -> int:
    return round(share * n)


def _is_whole(Y: Any) -> bool:
    return not isinstance(Y, np.ndarray) or Y.dtype.kind != "f" or not np.isnan(Y).any()
