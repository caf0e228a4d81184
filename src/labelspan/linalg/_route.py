"""From the shape of X to the solver, and to the sample that its statistics summarise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.arrays import is_dask_array
from labelspan.gate import MAX_SQUARE_BYTES, check_size
from labelspan.linalg._narrow import Narrow, check_gram, narrow
from labelspan.moments import Sample

# A sparse problem whose smaller side is larger than this is solved by products with X only.
KRYLOV_SIDE = 3000
# An array of all features, or all rows, by all labels that is larger than this is not formed if
# products with X and Y suffice.
LABEL_BYTES = 2**30
# LabelCCA forms the scatter matrix of so many labels at most: 1 GB.
MOST_LABELS = 11000
# Advice for labels so many that their products with the features do not fit.
FEWER = (
    "For sparse X or Dask arrays, MDDM, MVMD and OPLS with a small integer n_components do not "
    f"need this array, nor does LabelCCA up to {MOST_LABELS:,} labels. Otherwise drop rare labels "
    "or features first."
)


@dataclass(frozen=True)
class Route:
    """The solver, the sample to summarise, X or its row space, and the maps of its coordinates."""

    sample: Sample
    solver: str
    wide: Narrow | None = None

    def lift(self, C: np.ndarray) -> np.ndarray:
        """Directions (D, k) from those in the coordinates of the statistics."""
        return C if self.wide is None else self.wide.lift(C)

    def project(self, X: Any) -> Any:
        """Other rows in the coordinates of the statistics; their mean is not subtracted."""
        return X if self.wide is None else self.wide.project(X)

    def mean(self, x_mean: np.ndarray) -> np.ndarray:
        """Mean of X from that of the statistics."""
        return x_mean if self.wide is None else self.wide.mean + self.lift(x_mean[:, None])[:, 0]


def route_of(
    X: Any,
    T: Any,
    weights: np.ndarray | None = None,
    *,
    advice: str,
    streamed: bool | None = None,
    missing: bool | None = None,
    centre: bool = True,
    ridge_free: bool = False,
    **needs: bool,
) -> Route:
    """Choose the solver, reject arrays that would not fit, and reduce a wide X to its row space.

    `advice` says what to do if xx does not fit; `streamed` whether X is one of several blocks
    (None: if it is a Dask array); `missing` whether labels are, if known. The others are those of
    :func:`choose_solver` and :func:`narrow`.
    """
    solver = solver_that_fits(
        X.shape[0],
        X.shape[1],
        T.shape[1],
        advice=advice,
        sparse=sparse.issparse(X),
        streamed=is_dask_array(X) if streamed is None else streamed,
        ridge_free=ridge_free,
        **needs,
    )
    if solver != "rows":
        return Route(Sample(X, T, solver, weights, missing=missing), solver)
    wide = narrow(X, weights, ridge_free=ridge_free, centre=centre)
    kind = "root" if ridge_free else "scatter"
    return Route(Sample(wide.Z, T, kind, weights, missing=missing), solver, wide)


def solver_that_fits(n: int, D: int, q: int, *, advice: str, **needs: bool) -> str:
    """The choice of :func:`labelspan.linalg.choose_solver`, or a refusal of arrays too large."""
    solver = choose_solver(n, D, n_labels=q, **needs)
    if solver in ("scatter", "root"):
        check_size((D, D), "The scatter matrix of the features", advice)
    if solver == "rows":
        check_gram(n)
    if solver in ("thin", "krylov"):
        height = D if solver == "thin" else max(n, D)
        check_size((height, q), "An array of all features, or rows, by all labels", FEWER)
    return solver


def choose_solver(
    n_rows: int,
    n_features: int,
    *,
    sparse: bool,
    streamed: bool,
    scatter: bool = True,
    thin: bool = True,
    ridge_free: bool = False,
    few: bool = False,
    n_labels: int = 1,
) -> str:
    """Choose how to find the eigenvectors; the fitted ``solver_`` reports it.

    ============== ======================================== =====================================
    solver_        used if (first that applies)             largest square array
    ============== ======================================== =====================================
    ``"products"`` few directions, sparse or Dask, and an   none (block Lanczos, 1 pass per step)
                   array of the others would not fit
    ``"thin"``     the method needs no xx                   min(D, q)
    ``"root"``     no ridge; n >= D in memory, or stream    D + q (QR, condition not squared)
    ``"scatter"``  stream: Dask, ``partial_fit``            D
    ``"krylov"``   sparse, thin F, min(n, D) > 3000         q (block conjugate gradients)
    ``"rows"``     n < D                                    n (exact reduction to the row space)
    ``"scatter"``  otherwise                                D
    ============== ======================================== =====================================

    `scatter`: the method needs xx; `thin`: it is F F' v = lambda (a xx + b I) v with a thin F and
    b > 0; `ridge_free`: b = 0; `few`: products with X and Y can find the directions requested.

    Examples
    --------
    >>> from labelspan.linalg import choose_solver
    >>> choose_solver(6000, 47236, sparse=True, streamed=False)
    'krylov'
    """
    narrow, wide = sorted((n_rows, n_features))
    # Rows that come in chunks (n_rows = 0) are seen once.
    if few and n_rows and streamed:
        if too_large(n_features, n_labels, n_features if scatter else 0):
            return "products"
    elif few and sparse and not scatter:
        if too_large(n_features, n_labels):
            return "products"
    elif few and sparse and narrow > KRYLOV_SIDE and too_large(wide, n_labels, narrow * ridge_free):
        return "products"
    if not scatter:
        return "thin"
    if ridge_free and (streamed or n_rows >= n_features):
        return "root"
    if streamed:
        return "scatter"
    if sparse and thin and not ridge_free and min(n_rows, n_features) > KRYLOV_SIDE:
        return "krylov"
    return "rows" if n_rows < n_features else "scatter"


def is_large_sparse(X: Any) -> bool:
    """Whether X is sparse and has too many rows and columns for a scatter matrix."""
    if is_dask_array(X) or not sparse.issparse(X):
        return False
    return choose_solver(*X.shape, sparse=True, streamed=False) == "krylov"


def too_large(height: int, n_labels: int, side: int = 0) -> bool:
    """Whether an array (height, n_labels), or a square one, would not fit."""
    return 8 * height * n_labels > LABEL_BYTES or 8 * side**2 > MAX_SQUARE_BYTES
