"""The chosen reducer and readout on all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from labelspan.base import LinearReducer, remember, remember_features
from labelspan.choice._columns import (
    AllFeatures,
    is_selector,
    moments_of,
    ranked,
    reduced,
    size_of,
    width_of,
)
from labelspan.choice._folds import fitted_to
from labelspan.choice._pool import Shared, quiet
from labelspan.choice._readout import regression
from labelspan.choice._search import Search
from labelspan.classifiers import MLkNN, MultiOutputRidge
from labelspan.gate import Labels
from labelspan.linalg import Route
from labelspan.moments import Moments, Sample


@dataclass(frozen=True)
class Refit:
    """Inputs of a refit besides the statistics: `source` knows features, `route` coordinates."""

    source: Any
    X: Any
    labels: Labels
    route: Route

    @property
    def dtype(self) -> np.dtype:
        """Of the fitted arrays."""
        return np.dtype(np.float32 if self.X.dtype == np.float32 else np.float64)

    def reducer(self, reducer: LinearReducer) -> LinearReducer:
        """Fit to the rows, for a reducer whose statistics could not be pooled."""
        sample = Sample(self.X, self.labels.Y, weights=self.labels.weights)
        best = clone(reducer).fit(*sample.at(slice(None)))
        remember_features(best, self.source)
        best._remember(self.labels)
        return best

    def selector(self, selector: Any, pool: Shared | None, i: int) -> tuple[Any, Moments | None]:
        """A selector from pooled sums, with the moments of its columns; or fitted to the rows."""
        with quiet():
            if pool is None:
                rows = Sample(self.X, self.labels.Y, weights=self.labels.weights)
                best, moments = fitted_to(selector, rows, slice(None)), None
            else:
                best = ranked(clone(selector), pool.own.get(i, pool.moments))
                moments = moments_of(pool.moments, np.flatnonzero(best.support_))
        remember_features(best, self.source)
        best._remember(self.labels)
        return best, moments

    def all_features(self, reducer: LinearReducer) -> LinearReducer:
        """What stands for no reduction; there is nothing to learn."""
        best = clone(reducer)
        remember_features(best, self.source)
        best._remember(self.labels)
        best.n_components_ = self.X.shape[1]
        return best

    def pooled_reducer(
        self, reducer: LinearReducer, i: int, pool: Shared, ridge_free: bool
    ) -> tuple[LinearReducer, Moments | None]:
        """The result of ``fit`` to all rows, from their statistics, and moments of the projections.

        None instead of the moments if labels are missing.
        """
        best = clone(reducer)
        remember_features(best, self.source)
        best._remember(self.labels)
        statistics = pool.statistics(i, best, ridge_free)
        pencil = best._pencil(self.labels.Y.shape)
        best._learn(statistics, pencil, self.route, self.dtype, self.X.shape[0])
        with quiet():
            vectors = pool.directions(i, best, ridge_free).vectors
        moments = pool.projected(vectors, ridge_free)
        if moments is None:
            return best, None
        components = best.components_.astype(np.float64)
        # Stored directions have their signs fixed, and their mean may be rounded to float32.
        signs = np.sign(np.einsum("kd,dk->k", components, self.route.lift(vectors)))
        shift = components @ (self.route.mean(pool.moments.x_mean) - best.mean_)
        return best, replace(
            moments,
            x_mean=shift,
            xt=moments.xt * signs[:, None],
            xx=moments.xx * np.outer(signs, signs),
        )

    def readout(self, readout: Any, reducer: Any, moments: Moments | None) -> Any:
        """Fit the readout to the projections, from their moments if these suffice."""
        best = clone(readout)
        best.n_features_in_ = width_of(reducer)
        if not isinstance(best, MultiOutputRidge | MLkNN):
            del best.n_features_in_
            return best.fit(reduced(reducer, self.X), self.labels.target)
        if moments is None or isinstance(best, MLkNN):
            best._accept(reduced(reducer, self.X), self.labels)
            return best
        remember(best, self.labels)
        found = regression(best.ridge, moments, width_of(reducer))
        best.ridge_, W = found.ridges[0], found.coefficients()
        rest = np.zeros(len(W))
        best._keep_pooled(self.dtype, W, moments.x_mean, moments.t_mean, rest)
        best.solver_ = "scatter"
        return best


def refit(source: Any, search: Search, place: int) -> tuple[Any, Any, int]:
    """The reducer and readout of a candidate on all rows, and how often these were read."""
    candidates, recipe = search.candidates, search.recipe
    i = next(i for i, each in enumerate(candidates.settings) if place in each.places)
    _, r = np.argwhere(candidates.settings[i].places == place)[0]
    chosen = clone(candidates.settings[i].reducer)
    made, moments, n_reads = Refit(source, search.X, search.labels, search.route), None, 0
    if isinstance(chosen, AllFeatures):
        best = made.all_features(chosen)
    else:
        size = size_of(chosen)
        chosen.set_params(**{size: candidates.points[place][f"reducer__{size}"]})
        if is_selector(chosen):
            n_reads = int(i in recipe.refitted)
            best, moments = made.selector(chosen, None if n_reads else search.pooled(), i)
        elif i in recipe.refitted:
            best, n_reads = made.reducer(chosen), 1
        else:
            free = recipe.ridge_free[i]
            best, moments = made.pooled_reducer(chosen, i, search.pooled(), free)
    readout = made.readout(candidates.readouts[r], best, moments)
    # A reducer or readout that needs the rows themselves has read them again.
    return best, readout, n_reads + (moments is None or recipe.keeps_rows)
