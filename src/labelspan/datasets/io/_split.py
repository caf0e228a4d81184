"""A training file and a test file as one data set with a split."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError


def join(
    first: MultilabelDataset, second: MultilabelDataset, path: str | os.PathLike[str]
) -> MultilabelDataset:
    """Stack the rows of two files; the split is the row numbers of each."""
    for what, ours, theirs in (
        ("features", first.feature_names, second.feature_names),
        ("labels", first.label_names, second.label_names),
    ):
        if ours != theirs:
            message = (
                f"its {what} are not those of {first.source}: {len(theirs)} against {len(ours)}"
                f"{_difference(ours, theirs)}"
            )
            raise DataFileError(message, file=path)
    n_first, n_second = first.X.shape[0], second.X.shape[0]
    return replace(
        first,
        X=stack(first.X, second.X),
        Y=stack(first.Y, second.Y),
        train=np.arange(n_first),
        test=np.arange(n_first, n_first + n_second),
        source=f"{first.source} and {second.source}",
    )


def stack(first: Any, second: Any) -> Any:
    if sp.issparse(first) or sp.issparse(second):
        return sp.csr_array(sp.vstack([sp.csr_array(first), sp.csr_array(second)], format="csr"))
    return np.concatenate([first, second])


def _difference(ours: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    for position, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
        if mine != other:
            return f"; number {position + 1} is {other!r}, not {mine!r}"
    return ""
