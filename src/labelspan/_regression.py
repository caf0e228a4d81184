"""Multi-output ridge regression from the statistics, along the route that fits the shape of X."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from labelspan._compat import is_dask_array
from labelspan._validation import check_square
from labelspan.linalg import (
    Back,
    after,
    by_factor,
    choose_solver,
    column_scales,
    is_graded,
    narrow,
    regular_factor,
    solve_rows,
    spectral,
)
from labelspan.moments import Moments, Root, Rows, Sample, collect, triangle, warn_of_lost_digits

Statistics = Moments | Root | Rows


@dataclass(frozen=True)
class CrossFactor:
    """coef' coef of two ridges as U' diag(weights)^2 U.

    Attributes
    ----------
    weights : ndarray of shape (r,)
        Positive, of any scale.
    U : ndarray of shape (r, q)
        Left singular vectors of X times the targets.
    back : callable
        From diag(weights) U C to coef C, with the coef of the first ridge.
    """

    weights: np.ndarray
    U: np.ndarray
    back: Back


@dataclass(frozen=True)
class Regression:
    """Coefficients of T on X about the means, for one or more ridges.

    Attributes
    ----------
    coefs : tuple of ndarray of shape (D, q)
        (xx + ridge I)^-1 xt for each ridge; without a ridge, the solution of least norm.
    explained : tuple of ndarray of shape (q, q)
        xt' coef for each ridge.
    cross : ndarray of shape (q, q)
        coef' coef of the first and the last ridge.
    x_mean : ndarray of shape (D,)
        Mean of X.
    t_mean : ndarray of shape (q,)
        Mean of T.
    solver : str
        Route to the solution, see :func:`labelspan.linalg.choose_solver`.
    factor : CrossFactor or None
        Factors of `cross`, if the route knows them: where the features have scales far apart,
        the product has lost what the factors keep.
    """

    coefs: tuple[np.ndarray, ...]
    explained: tuple[np.ndarray, ...]
    cross: np.ndarray
    x_mean: np.ndarray
    t_mean: np.ndarray
    solver: str
    factor: CrossFactor | None = None


def regress(
    X: Any,
    T: Any,
    *ridges: float,
    signed: bool = False,
    centre: bool = True,
    shared: bool = False,
) -> Regression:
    """Minimise ||Xc W - Tc||^2 + ridge ||W||^2 (scatter scale: no division by n).

    Parameters
    ----------
    X : ndarray, csr_array or Dask array of shape (n, D)
        Features.
    T : ndarray, csr_array or Dask array of shape (n, q)
        Targets.
    *ridges : float
        One or more, non-negative; if one is 0, QR factors are taken, which do not square the
        condition number. The statistics are shared.
    signed : bool, default=False
        Take 2 T - 1 as the targets.
    centre : bool, default=True
        Whether to centre X and T, which leaves an intercept out of the penalty; if not, there
        is no intercept and the means are zero.
    shared : bool, default=False
        Whether what the labels share, the eigenvectors of `cross`, will be asked for.

    Returns
    -------
    Regression
        Time O(n D^2 + D^3 / 3 + D^2 q) for D <= n, the same with n for D for wide X;
        conjugate gradients for sparse X beyond 3000 on both sides.
    """
    n_rows, n_features = X.shape
    ridge_free = min(ridges) == 0
    solver = choose_solver(
        n_rows,
        n_features,
        sparse=sparse.issparse(X),
        streamed=is_dask_array(X),
        ridge_free=ridge_free,
    )
    if solver in ("scatter", "root"):
        check_square(n_features, "The scatter matrix of the features", "Select features first.")
    if solver != "rows":
        statistics = statistics_of(Sample(X, T, solver), signed, centre)
        solved = solutions(statistics, ridges, shared)
        return replace(solved, solver=solver)
    wide = narrow(X, ridge_free=ridge_free, centre=centre)
    sample = Sample(wide.Z, T, "root" if ridge_free else "scatter")
    statistics = statistics_of(sample, signed, centre)
    solved = solutions(statistics, ridges, shared)
    lifted = tuple(wide.lift(coef) for coef in solved.coefs)
    factor = solved.factor and replace(solved.factor, back=after(solved.factor.back, wide.lift))
    mean = wide.mean + wide.lift(statistics.x_mean[:, None])[:, 0]
    return replace(solved, coefs=lifted, x_mean=mean, solver=solver, factor=factor)


def statistics_of(sample: Sample, signed: bool, centre: bool) -> Statistics:
    """One pass over the sample along the route that was chosen."""
    if sample.solver == "krylov":
        T = sample.Y.toarray() if sparse.issparse(sample.Y) else sample.Y
        rows = Rows.of(sample.X, 2.0 * T - 1.0 if signed else T, centre=centre)
        warn_of_lost_digits(rows.x_mean, rows.squares, rows.weight)
        return rows
    statistics: Moments | Root
    if sample.solver == "root":
        statistics = collect(sample, Root.of, whole_sparse=False)
    else:
        of_block: Any = partial(Moments.of, tt=False)
        statistics = collect(sample, of_block)
    warn_of_lost_digits(statistics.x_mean, statistics.squares, statistics.weight)
    # The labels of a block are 0/1 whatever they came as, so the sign is put in afterwards.
    statistics = statistics.signed() if signed else statistics
    return statistics if centre else about_zero(statistics)


def about_zero(statistics: Any) -> Any:
    """Moments or a Root as sums of products: about zero, with means of zero."""
    weight, x_mean, t_mean = statistics.weight, statistics.x_mean, statistics.t_mean
    zeros = np.zeros_like(x_mean), np.zeros_like(t_mean)
    if isinstance(statistics, Root):
        row = np.sqrt(weight) * np.concatenate([x_mean, t_mean])
        return Root(weight, *zeros, triangle(np.vstack([statistics.R, row])))
    xt = statistics.xt + weight * np.outer(x_mean, t_mean)
    return Moments(weight, *zeros, xt, statistics.about(zeros[0]))


def solutions(
    statistics: Statistics, ridges: tuple[float, ...], shared: bool = False
) -> Regression:
    """Coefficients and their products in the coordinates of the statistics."""
    means = statistics.x_mean, statistics.t_mean
    if isinstance(statistics, Rows):
        coefs = [solve_rows(statistics, statistics.T, 1.0, ridge) for ridge in ridges]
        explained = [statistics.T.T @ statistics.operator.matmat(W) for W in coefs]
        products = coefs[0].T @ coefs[-1]
        return Regression(tuple(coefs), tuple(explained), products, *means, solver="")
    # What labels share is an eigenproblem, which sees the units of the columns.
    graded = shared and is_graded(column_scales(statistics.squares))
    if isinstance(statistics, Moments) and not graded:
        coefs = by_cholesky(statistics, ridges)
        if coefs:
            explained = [statistics.xt.T @ W for W in coefs]
            products = coefs[0].T @ coefs[-1]
            return Regression(tuple(coefs), tuple(explained), products, *means, solver="")
    form = spectral(statistics)
    shrunk = [(form.s / (form.s**2 + ridge))[:, None] for ridge in ridges]
    return Regression(
        coefs=tuple(form.V @ (d * form.UT) for d in shrunk),
        explained=tuple((form.s[:, None] * form.UT).T @ (d * form.UT) for d in shrunk),
        # Term by term: a small singular value cannot drown the others here.
        cross=(shrunk[0] * form.UT).T @ (shrunk[-1] * form.UT),
        x_mean=means[0],
        t_mean=means[1],
        solver="",
        factor=CrossFactor(
            np.sqrt(shrunk[0] * shrunk[-1])[:, 0],
            form.UT,
            lambda C: form.V @ (np.sqrt(shrunk[0] / shrunk[-1]) * C),
        ),
    )


def by_cholesky(statistics: Moments, ridges: tuple[float, ...]) -> list[np.ndarray]:
    """(xx + ridge I)^-1 xt for each ridge; nothing if one of them may be lost to rounding."""
    coefs = []
    for ridge in ridges:
        L = regular_factor(statistics.xx, 1.0, ridge)
        if L is None:
            return []
        W, back, _ = by_factor(L, statistics.xt)
        coefs.append(back(W))
    return coefs
