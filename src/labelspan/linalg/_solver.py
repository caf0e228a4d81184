"""The table that chooses the solver."""

from __future__ import annotations

from labelspan.gate import MAX_SQUARE_BYTES

# A sparse problem whose smaller side is larger than this is solved by products with X only.
KRYLOV_SIDE = 3000
# An array of all features, or all rows, by all labels that is larger than this is not formed if
# products with X and Y suffice.
LABEL_BYTES = 2**30
# LabelCCA forms the scatter matrix of so many labels at most: 1 GB.
MOST_LABELS = 11000


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


def too_large(height: int, n_labels: int, side: int = 0) -> bool:
    """Whether an array (height, n_labels), or a square one, would not fit."""
    return 8 * height * n_labels > LABEL_BYTES or 8 * side**2 > MAX_SQUARE_BYTES
