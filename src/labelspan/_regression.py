"""Multi-output ridge regression from the statistics, along the route that fits the shape of X."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import linalg, sparse

from labelspan._compat import is_dask_array
from labelspan._validation import check_square
from labelspan.linalg._eigenpairs import EPS
from labelspan.linalg._narrow import narrow
from labelspan.linalg._solver import choose_solver
from labelspan.linalg._whiten import whiten
from labelspan.moments import Moments, Root, Rows, Sample, collect


@dataclass(frozen=True)
class Regression:
    """Coefficients of T on X about the means, which the ridge does not touch.

    Attributes
    ----------
    coef : ndarray of shape (D, q)
        (xx + ridge I)^-1 xt; without a ridge, the solution of least norm.
    x_mean : ndarray of shape (D,)
        Mean of X.
    t_mean : ndarray of shape (q,)
        Mean of T.
    solver : str
        Route to the solution, see :func:`labelspan.linalg.choose_solver`.
    """

    coef: np.ndarray
    x_mean: np.ndarray
    t_mean: np.ndarray
    solver: str

    @property
    def intercept(self) -> np.ndarray:
        """Intercept (q,): the regression passes through the means."""
        return self.t_mean - self.x_mean @ self.coef


def regress(X: Any, T: Any, ridge: float) -> Regression:
    """Minimise ||Xc W - Tc||^2 + ridge ||W||^2 (scatter scale: no division by n).

    Parameters
    ----------
    X : ndarray, csr_array or Dask array of shape (n, D)
        Features.
    T : ndarray, csr_array or Dask array of shape (n, q)
        Targets.
    ridge : float
        Non-negative; 0 takes QR factors, which do not square the condition number.

    Returns
    -------
    Regression
        Time O(n D^2 + D^3 / 3 + D^2 q) for D <= n, the same with n for D for wide X;
        conjugate gradients for sparse X beyond 3000 on both sides.
    """
    n_rows, n_features = X.shape
    ridge_free = ridge == 0
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
        statistics = statistics_of(Sample(X, T, solver))
        coef = coefficients(statistics, ridge)
        return Regression(coef, statistics.x_mean, statistics.t_mean, solver)
    wide = narrow(X, ridge_free=ridge_free)
    statistics = statistics_of(Sample(wide.Z, T, "root" if ridge_free else "scatter"))
    mean = wide.mean + wide.lift(statistics.x_mean[:, None])[:, 0]
    coef = wide.lift(coefficients(statistics, ridge))
    return Regression(coef, mean, statistics.t_mean, solver)


def statistics_of(sample: Sample) -> Moments | Root | Rows:
    """One pass over the sample along the route that was chosen."""
    if sample.solver == "root":
        return collect(sample, Root.of, whole_sparse=False)
    if sample.solver == "krylov":
        return Rows.of(sample.X, sample.Y)
    statistic: Any = partial(Moments.of, tt=False)
    return collect(sample, statistic)


def coefficients(statistics: Moments | Root | Rows, ridge: float) -> np.ndarray:
    """(xx + ridge I)^-1 xt: whitening twice, W = E'xt and then E W."""
    if isinstance(statistics, Moments):
        scale = float(np.trace(statistics.xx))
        if ridge <= len(statistics.xx) * EPS * scale:
            # Cholesky factors cannot see so small a ridge; the eigenvectors can.
            values, V = linalg.eigh(statistics.xx, driver="evd", check_finite=False)
            kept = values > len(values) * EPS * max(values[-1], 0.0)
            V, values = V[:, kept], values[kept]
            return V @ ((V.T @ statistics.xt) / (values + ridge)[:, None])
    W, back = whiten(statistics, None, 1.0, ridge)
    return back(W)
