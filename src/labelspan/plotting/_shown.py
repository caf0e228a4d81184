"""Which labels a picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from labelspan.arrays import dense
from labelspan.gate import Labels


@dataclass(frozen=True)
class Shown:
    """Labels to show: which rows have them, their names, and which rows have no label at all."""

    indicators: np.ndarray
    names: list[str]
    empty: np.ndarray


def shown_labels(
    labels: Labels,
    label_names: Sequence[str] | None,
    chosen: Sequence[Any] | None,
    n_labels: int,
) -> Shown:
    Y, names = columns_and_names(labels, label_names)
    if chosen is None:
        if not isinstance(n_labels, Integral) or n_labels < 1:
            raise ValueError(f"n_labels={n_labels!r} is out of range; give an integer from 1.")
        counts = np.asarray(Y.sum(axis=0)).ravel()
        # Stable, so that the first of equally frequent labels comes first.
        places = np.argsort(-counts, kind="stable")[: int(n_labels)].tolist()
    else:
        places = [place_of(label, names) for label in chosen]
        if not places:
            raise ValueError(
                "labels is empty; give at least one label, or None for the most frequent ones."
            )
    part = Y[:, places]
    empty = np.asarray(Y.sum(axis=1)).ravel() == 0
    return Shown(dense(part) > 0, [names[place] for place in places], empty)


def columns_and_names(labels: Labels, names: Sequence[str] | None) -> tuple[Any, list[str]]:
    """Indicators and names of all labels; two classes get one column each."""
    Y = labels.Y
    if labels.classes is not None:
        if Y.shape[1] == 1:
            second = dense(Y)
            Y = np.column_stack([1 - second, second])[:, : len(labels.classes)]
        return Y, [str(name) for name in labels.classes]
    found = labels.names if names is None else names
    if found is None:
        return Y, [f"label {k}" for k in range(Y.shape[1])]
    if len(found) != Y.shape[1]:
        raise ValueError(
            f"label_names has {len(found)} names for {Y.shape[1]} labels; pass one per label."
        )
    return Y, [str(name) for name in found]


def place_of(label: Any, names: list[str]) -> int:
    if isinstance(label, Integral) and 0 <= int(label) < len(names):
        return int(label)
    if str(label) in names:
        return names.index(str(label))
    known = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    raise ValueError(
        f"There is no label {label!r}; use a number from 0 to {len(names) - 1} or one of {known}."
    )
