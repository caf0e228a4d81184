"""Check the data of a plan before its first cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags

from labelspan.lab.methods import get_method
from labelspan.lab.plan._plan import Plan
from labelspan.lab.plan._sources import Source


@dataclass(frozen=True)
class Size:
    """What splits and methods need to know of a data set."""

    n_rows: int
    has_split: bool
    n_not_finite: int  # Values of X.


def check_data(plan: Plan, *, readable: bool) -> None:
    """Refuse data that no cell could use, once; `readable` refuses what cannot be loaded, too."""
    for source in plan.sources:
        try:
            size = size_of(source.whole)
        except Exception:
            if readable:
                raise
            continue
        plan.splits.check_rows(source.name, size.n_rows, size.has_split)
        if size.n_not_finite and not _takes_nan(plan):
            raise ValueError(
                f"X of {source.name} has {size.n_not_finite} values that are NaN or infinite, "
                "which no method of the plan takes; fill them in or remove their rows first."
            )


# A run repeats the checks of the command; the data themselves are not kept.
@lru_cache(maxsize=256)
def size_of(source: Source) -> Size:
    dataset = source.load()
    X = dataset.X
    values = X.data if sparse.issparse(X) else np.asarray(X)
    n_not_finite = values.size - int(np.count_nonzero(np.isfinite(values)))
    return Size(X.shape[0], dataset.train is not None and dataset.test is not None, n_not_finite)


def _takes_nan(plan: Plan) -> bool:
    """Whether a method of the plan says that it takes NaN."""
    steps = (*plan.reducers, *plan.classifiers, *plan.models)
    made = (get_method(step.method).make(dict(step.parameters)) for step in steps)
    return any(get_tags(item).input_tags.allow_nan for item in made if item is not None)
