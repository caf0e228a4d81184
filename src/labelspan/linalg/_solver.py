"""The solver choice: a table, in one function."""

from __future__ import annotations

# A sparse problem whose smaller side is beyond this is solved by multiplying with X only.
KRYLOV_SIDE = 3000


def choose_solver(
    n_rows: int,
    n_features: int,
    *,
    sparse: bool,
    streamed: bool,
    scatter: bool = True,
    thin: bool = True,
    ridge_free: bool = False,
) -> str:
    """Pick the route to the eigenvectors; the fitted ``solver_`` reports it.

    ============== ======================================== =====================================
    solver_        taken when (first that fits)             largest square array
    ============== ======================================== =====================================
    ``"thin"``     the method needs no xx                   min(D, q)
    ``"root"``     no ridge; rows at hand n >= D, or stream D + q (QR, condition not squared)
    ``"scatter"``  stream: Dask, ``partial_fit``            D
    ``"krylov"``   sparse, thin F, min(n, D) > 3000         q (block conjugate gradients)
    ``"rows"``     n < D                                    n (exact reduction to the row space)
    ``"scatter"``  otherwise                                D
    ============== ======================================== =====================================

    Parameters
    ----------
    n_rows, n_features : int
        Shape of X.
    sparse : bool
        Whether X is sparse.
    streamed : bool
        Whether X is seen block by block and never as a whole.
    scatter : bool, default=True
        Whether the method needs xx at all.
    thin : bool, default=True
        Whether the method is F F' v = lambda (a xx + b I) v with a thin F and b > 0.
    ridge_free : bool, default=False
        Whether b = 0.

    Returns
    -------
    {"thin", "root", "scatter", "krylov", "rows"}
        Name of the route.

    Examples
    --------
    >>> from labelspan.linalg import choose_solver
    >>> choose_solver(6000, 47236, sparse=True, streamed=False)
    'krylov'
    """
    if not scatter:
        return "thin"
    if ridge_free and (streamed or n_rows >= n_features):
        return "root"
    if streamed:
        return "scatter"
    if sparse and thin and not ridge_free and min(n_rows, n_features) > KRYLOV_SIDE:
        return "krylov"
    return "rows" if n_rows < n_features else "scatter"
