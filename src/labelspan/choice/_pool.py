"""Statistics of a part of the rows for every setting, from one pass."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from labelspan.base import LinearReducer
from labelspan.choice._candidates import Candidates
from labelspan.choice._columns import is_selector
from labelspan.classifiers import MultiOutputRidge
from labelspan.gate import is_large
from labelspan.linalg import EigenPairs
from labelspan.moments import Available, Moments, Root, Sample, root_of
from labelspan.selection import MultiTaskSelector


@dataclass(frozen=True)
class Shared:
    """Statistics that serve every setting; two add up with ``+``.

    `moments` with xx and tt, for ridge readouts; `root` for settings without a ridge, whose
    condition number may not be squared; `own` by index of a setting.
    """

    moments: Moments
    root: Root | None
    own: dict[int, Any]

    @classmethod
    def of(
        cls,
        X: Any,
        Y: Any,
        weights: np.ndarray | None,
        *,
        root: bool,
        own: dict[int, Any],
        large: bool = False,
    ) -> Shared:
        """Statistics of one block of rows; `large`: of a large array."""
        return cls(
            Available.of(X, Y, weights, large=large),
            root_of(X, Y, weights) if root else None,
            {
                i: reducer._summarise(Sample(X, Y, solver, weights, part=True))
                for i, (reducer, solver) in own.items()
            },
        )

    def __add__(self, other: Shared) -> Shared:
        return Shared(
            self.moments + other.moments,
            None if self.root is None or other.root is None else self.root + other.root,
            {i: statistics + other.own[i] for i, statistics in self.own.items()},
        )

    def statistics(self, i: int, reducer: LinearReducer, ridge_free: bool) -> Any:
        """The statistics that setting i is solved from."""
        found = self.own.get(i, self.root if ridge_free else self.moments)
        if not isinstance(found, Available):
            return found
        return (found if reducer._label_scatter else replace(found, tt=None)).complete()

    def directions(self, i: int, reducer: LinearReducer, ridge_free: bool) -> EigenPairs:
        """Eigenpairs of setting i."""
        statistics = self.statistics(i, reducer, ridge_free)
        pencil = reducer._pencil((0, len(statistics.t_mean)))
        return reducer._solved(statistics, pencil)[0]

    def projected(self, P: np.ndarray, ridge_free: bool) -> Moments | None:
        """Moments of the projections (X - mean) P and of labels in {-1, +1}.

        None with missing labels, because each label then has the moments of its own rows.
        """
        m, zero = self.moments, np.zeros(P.shape[1])
        if isinstance(m, Available):
            return None
        zz, zt = (self.root if ridge_free and self.root is not None else m).along(P)
        return Moments(m.weight, zero, m.t_mean, zt, zz).signed()


@dataclass(frozen=True)
class Recipe:
    """How the statistics of the settings are computed, for data of one shape.

    Settings may use the Root, have their `own` statistics (a reducer, a solver), or be refitted to
    the rows of each fold. `keeps_rows`: the readout does; `holes`: each readout uses its own rows;
    `seeks`: rows are compared with each other.
    """

    ridge_free: list[bool]
    own: dict[int, tuple[Any, str]]
    refitted: list[int]
    keeps_rows: bool
    holes: bool
    seeks: bool

    @property
    def projects_training(self) -> bool:
        """Whether the projections of the training rows are needed."""
        return self.keeps_rows or self.holes or self.seeks or bool(self.refitted)

    def statistic(self, X: Any) -> Any:
        """From some rows of X, labels and weights to Shared statistics."""
        return partial(Shared.of, root=any(self.ridge_free), own=self.own, large=is_large(X))


def recipe_of(
    candidates: Candidates,
    shape: tuple[int, int, int],
    *,
    pools: bool,
    sums: bool,
    holes: bool,
    seeks: bool,
) -> Recipe:
    """Collect the needs of every setting; a setting that does not fit the shape is refused.

    `pools` says whether statistics of such rows can be pooled, `sums` whether they are sums of the
    columns, for selectors, `holes` whether labels are missing, `seeks` whether neighbours are
    measured.
    """
    settings = [setting.reducer for setting in candidates.settings]
    refitted = [
        i
        for i, each in enumerate(settings)
        if not (pools and (sums and pools_sums(each) if is_selector(each) else each._one_pass))
    ]
    pencils = [None if is_selector(s) else s._pencil((shape[0], shape[2])) for s in settings]
    free = [p is not None and p.ridge_free and i not in refitted for i, p in enumerate(pencils)]
    own = {
        i: (each, "root" if free[i] else "scatter")
        for i, each in enumerate(settings)
        if i not in refitted and not learns_from_moments(each)
    }
    keeps_rows = not isinstance(candidates.readouts[0], MultiOutputRidge)
    return Recipe(free, own, refitted, keeps_rows, holes, seeks)


def learns_from_moments(reducer: Any) -> bool:
    """Whether the moments that all settings share suffice."""
    if is_selector(reducer):
        return isinstance(reducer, MultiTaskSelector)
    return type(reducer)._summarise is LinearReducer._summarise


def pools_sums(selector: Any) -> bool:
    """Whether a selector learns from sums over rows that add up."""
    return not selector._needs_rows()


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress the warning about fewer directions than requested, which a grid may cause."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(n_components|n_features|k)=")
        yield
