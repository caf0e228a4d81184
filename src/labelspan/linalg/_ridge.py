"""Ridge regression for one or more ridges; coefficients are formed only on request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from labelspan.arrays import moved_to, regular_factor, solve_triangular
from labelspan.linalg._auto_ridge import AUTO, choose_ridge, energy_of_labels
from labelspan.linalg._graded import GRAM_GRADED, after, is_graded
from labelspan.linalg._least_norm import Gathered, Triangle, from_triangle, least_norm, pooled
from labelspan.linalg._route import route_of, too_large
from labelspan.linalg._spectral import Spectral, spectral
from labelspan.linalg._whiten import Whitened, by_singular_values, whiten
from labelspan.moments import Moments, Products, Root, Rows, Sample, checked, collect, summarise


@dataclass(frozen=True)
class Regression:
    """The regression of T on X for one or more ridges, with A = xx + ridge I.

    For each ridge and a basis E with E'AE = I, `solved` holds W = E'xt (r, q), so that W'W =
    xt'A^-1 xt, and the map from C to E C, so that A^-1 xt = E W. `form` is the decomposition that
    the ridges share, where they have one.
    """

    solved: tuple[Whitened, ...]
    ridges: tuple[float, ...]
    x_mean: np.ndarray
    t_mean: np.ndarray
    tt: np.ndarray | None = None
    tt_clipped: float = 0.0
    form: Spectral | None = None
    solver: str = ""

    def coefficients(self, V: np.ndarray | None = None, i: int = 0) -> np.ndarray:
        """Coefficients (D, M) of the codes T V', V of shape (M, q), for ridge i; of T without V."""
        W, back, _ = self.solved[i]
        return back(W if V is None else W @ moved_to(W, V.T))

    def explained(self, i: int = 0) -> np.ndarray:
        """xt'A^-1 xt, (q, q), for ridge i."""
        W = self.solved[i].W
        return W.T @ W

    def cross_factor(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Factors w and U: coef' coef = U' diag(w)^2 U for the first and last ridge, if known.

        If feature scales are far apart, the factors keep digits that the product has lost.
        """
        if self.form is None:
            return None
        s = self.form.s
        first, last = (np.sqrt(s**2 + ridge) for ridge in (self.ridges[0], self.ridges[-1]))
        return (s / first) / last, self.form.UT

    def cross_back(self, C: np.ndarray) -> np.ndarray:
        """From diag(w) U C to coef C, with the coef of the first ridge."""
        assert self.form is not None
        return self.solved[0].back(np.sqrt(self.form.s**2 + self.ridges[-1])[:, None] * C)


def regress(
    X: Any,
    T: Any,
    *ridges: Any,
    weights: np.ndarray | None = None,
    signed: bool = False,
    centre: bool = True,
    shared: bool = False,
    tt: bool = False,
    missing: bool | None = None,
    advice: str = "Select features first.",
) -> Regression:
    """Minimise ||diag(w)^(1/2) (Xc W - Tc)||^2 + ridge ||W||^2 (scatter scale: no division by n).

    A ridge of 0 gives the solution of least norm, from QR factors unless the pivots of xx show
    eight correct digits; "auto" is the choice of :func:`choose_ridge`; a function finds the ridges
    from the statistics. Without `centre` there is no intercept and the means are zero. `shared`:
    the eigenvectors of coef' coef will be needed. Time
    O(n D^2 + D^3 / 3 + D^2 q); if wide, swap n and D.
    """
    # All coefficients are formed anyway, so only an array larger than they are matters.
    few = centre and not (signed or shared or too_large(X.shape[1], T.shape[1]))
    how = {"centre": centre, "ridge_free": 0 in ridges, "few": few}
    route = route_of(X, T, weights, advice=advice, missing=missing, **how)
    if route.sample.solver == "root" and centre and not shared and len(ridges) == 1:
        statistics, one = least_norm(route.sample, tt=tt, signed=signed)
        means = statistics.x_mean, statistics.t_mean
        found = Regression((one,), ridges, *means, statistics.tt, statistics.tt_clipped)
    else:
        sums = summarise(route.sample, tt=tt, signed=signed, centre=centre)
        found = solve_any(sums, ridges, signed, shared)
    if route.wide is None:
        return replace(found, solver=route.solver)
    lifted = tuple(one._replace(back=after(one.back, route.lift)) for one in found.solved)
    return replace(found, solved=lifted, x_mean=route.mean(found.x_mean), solver=route.solver)


def chunk_statistics(
    sample: Sample, *, shared: bool = False, tt: bool = False
) -> Moments | Root | Gathered:
    """Statistics for :func:`regress_pooled` of rows that are read once; they add up."""
    if sample.solver == "root" and not shared:
        return collect(sample, partial(Gathered.of, tt=tt), whole_sparse=False)
    return cast("Moments | Root", summarise(sample, tt=tt))


def regress_pooled(
    statistics: Any,
    *ridges: Any,
    signed: bool = False,
    centre: bool = True,
    shared: bool = False,
) -> Regression:
    """The regression of :func:`regress` from the pooled statistics of chunks."""
    statistics = pooled(statistics)
    if isinstance(statistics, Triangle):
        moments = checked(statistics.moments)
        moments = moments.signed() if signed else moments
        one = from_triangle(statistics.root, moments.xt)
        rest = moments.x_mean, moments.t_mean, moments.tt, moments.tt_clipped
        return Regression((one,), ridges, *rest)
    checked(statistics)
    statistics = statistics.signed() if signed else statistics
    statistics = statistics if centre or AUTO in ridges else statistics.about_zero()
    return solve_any(statistics, ridges, signed, shared)


def solve_any(statistics: Any, ridges: tuple[Any, ...], signed: bool, shared: bool) -> Regression:
    """The regression for given ridges, those of a function, or the one chosen for the labels."""
    if AUTO not in ridges:
        ridges = ridges[0](statistics) if callable(ridges[0]) else ridges
        return solve_ridges(statistics, ridges, shared)
    total, clipped = energy_of_labels(statistics, signed), getattr(statistics, "tt_clipped", 0.0)
    solvable, ridge = choose_ridge(statistics, None, total)
    means = statistics.x_mean, statistics.t_mean
    one = whiten(solvable, None, 1.0, ridge)
    return Regression((one,), (ridge,), *means, statistics.tt, clipped)


def solve_ridges(
    statistics: Moments | Root | Rows | Products, ridges: tuple[float, ...], shared: bool = False
) -> Regression:
    """The same in coordinates of the statistics: a factor per ridge, or one decomposition."""
    clipped = getattr(statistics, "tt_clipped", 0.0)
    rest = statistics.x_mean, statistics.t_mean, statistics.tt, clipped
    if isinstance(statistics, Rows | Products):
        solved = tuple(whiten(statistics, None, 1.0, ridge) for ridge in ridges)
        return Regression(solved, ridges, *rest)
    # The part that labels share is an eigenproblem, which depends on the units of the columns;
    # but below the ridge no unit is small.
    graded = shared and is_graded(statistics.squares + min(ridges), GRAM_GRADED)
    if isinstance(statistics, Moments) and not graded:
        factors = [regular_factor(statistics.xx, 1.0, ridge) for ridge in ridges]
        if all(L is not None for L in factors):
            backs = [partial(solve_triangular, L, transposed=True) for L in factors]
            W = [solve_triangular(L, statistics.xt) for L in factors]
            return Regression(
                tuple(Whitened(*pair) for pair in zip(W, backs, strict=True)), ridges, *rest
            )
    form = spectral(statistics)
    solved = tuple(by_singular_values(form, None, 1.0, ridge) for ridge in ridges)
    return Regression(solved, ridges, *rest, form)
