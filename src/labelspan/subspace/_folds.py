"""The spectral form of a training fold, and the scores of every grid point from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
from scipy import linalg, sparse

from labelspan.arrays import cast, is_device, like, namespace, on_host, rows_at, to_host
from labelspan.gate import check_square
from labelspan.linalg import (
    GRAM_GRADED,
    Route,
    centre_both,
    column_scales,
    is_graded,
    narrow,
    rank,
    route_of,
    spectral,
    squares,
)
from labelspan.moments import Moments, Sample, centred, collect, dense, project, scaled, summarise
from labelspan.subspace._shared_subspace import default_n_components, shared_labels

Fold = tuple[np.ndarray, np.ndarray]
# From this many features per row, the coordinates of all rows save time.
MANY_FEATURES = 2


@dataclass(frozen=True)
class FoldForm:
    """Training rows X = U diag(s) V' and the rows to score in the same coordinates.

    Attributes
    ----------
    s : ndarray of shape (t,)
        Singular values of the (centred) training rows.
    US : ndarray of shape (t, q)
        U'S, S the (centred) labels in {-1, +1}.
    Z : ndarray of shape (n_scored, t)
        Rows to score, times V.
    s_mean : ndarray of shape (q,)
        Mean of the training labels, zero without an intercept.
    n_rows : int
        Number of training rows.
    weight : float
        Sum of their weights; their number if they have none.
    """

    s: np.ndarray
    US: np.ndarray
    Z: np.ndarray
    s_mean: np.ndarray
    n_rows: int
    weight: float

    def ridge_scores(self, price: float) -> np.ndarray:
        """Scores (n_scored, q) of the ridge regression with this penalty."""
        shrunk = (self.s / (self.s**2 + self.weight * price))[:, None] * self.US
        return self.Z @ like(self.Z, shrunk)

    def labels(self, alpha: float, beta: float) -> np.ndarray:
        """Eigenvectors P (q, r) of C C' (Eq. 26), largest first."""
        loose, tight = (self.s / (self.s**2 + self.weight * p) for p in (beta, alpha + beta))
        return shared_labels(np.sqrt(loose * tight), self.US)

    def grid(
        self, alphas: Sequence[float], betas: Sequence[float], dimensions: Sequence[int | None]
    ) -> Iterator[tuple[tuple[int, int, int], np.ndarray]]:
        """Scores at every point of the grid, with its indices into the three sequences.

        O(n_scored t q) per pair of alpha and beta; one score matrix is held at a time.
        """
        for j, beta in enumerate(betas):
            loose = self.ridge_scores(beta)
            for i, alpha in enumerate(alphas):
                tight = self.ridge_scores(alpha + beta) if alpha > 0 else loose
                P = like(self.Z, self.labels(alpha, beta))
                for k, n_components in enumerate(dimensions):
                    r = default_n_components(P.shape[0]) if n_components is None else n_components
                    kept = P[:, : min(r, P.shape[1])]
                    inside = ((loose - tight) @ kept) @ kept.T
                    yield (i, j, k), to_host(tight + inside) + self.s_mean


@dataclass(frozen=True)
class FoldPlan:
    """How to decompose a fold.

    Attributes
    ----------
    centre : bool
        Whether there is an intercept.
    ridge_free : bool
        Whether the grid holds beta = 0: then QR factors replace Gram matrices.
    with_training : bool
        Whether the training rows are scored too, before the others.
    keeps_rank : bool, default=True
        Whether alpha = beta = 0 can be scored: not from a difference of moments.
    """

    centre: bool
    ridge_free: bool
    with_training: bool
    keeps_rank: bool = True


def fold_form(sample: Sample, fold: Fold, plan: FoldPlan, shared: Any = None) -> FoldForm:
    """Decompose the training rows of a fold: the thin SVD that all grid points share.

    Parameters
    ----------
    sample : Sample
        Features, 0/1 labels and weights of all rows.
    fold : tuple of ndarray
        Rows to train on and rows to score.
    plan : FoldPlan
        How to decompose.
    shared : Moments, ndarray of shape (n, n), Sample or None
        Moments of the training rows, the Gram matrix of all rows, or all rows in fewer coordinates,
        if known; None uses the training rows themselves.

    Returns
    -------
    FoldForm
        O(n t^2) with t = min(n, D) from the rows, O(t^3) from shared statistics.
    """
    if isinstance(shared, Sample):
        sample, shared = shared, None
    (train, test), X, Y = fold, sample.X, sample.Y
    weights = None if sample.weights is None else rows_at(sample.weights, train)
    if isinstance(shared, np.ndarray):
        rows = shared[train]
        return dual_form(rows[:, train], rows[:, test].T, Y[train], plan, weights)
    others = cast(rows_at(X, test), np.float64)
    # If the moments are known, the training rows are only scored, if at all.
    needed = train if shared is None or plan.with_training else train[:0]
    rows, Y = cast(rows_at(X, needed), np.float64), rows_at(Y, train)
    wide = shared is None and len(train) < X.shape[1] and not is_device(X)
    if wide and not has_graded_columns(rows):
        return wide_form(rows, others, Y, plan, weights)
    route = Route(Sample(rows, Y), "scatter")
    if shared is None:
        route = route_of(
            rows,
            Y,
            weights,
            advice="Select features first.",
            centre=plan.centre,
            ridge_free=plan.ridge_free,
            thin=False,
        )
        shared = summarise(route.sample, signed=True, centre=plan.centre)
    # The problem of side t is solved on the host, which has LAPACK; rows stay on their device.
    shared = on_host(shared)
    form = spectral(shared)
    parts = [route.sample.X] * plan.with_training + [route.project(others)]
    projected = [project(part, shared.x_mean, form.V.T) for part in parts]
    Z = namespace(projected[0]).concat(projected, axis=0)
    return FoldForm(form.s, form.UT, Z, shared.t_mean, len(train), shared.weight)


def wide_form(
    rows: Any, others: Any, Y: Any, plan: FoldPlan, weights: np.ndarray | None
) -> FoldForm:
    """Form for fewer rows than features, through the rows."""
    if plan.ridge_free:
        wide = narrow(rows, weights, ridge_free=True, centre=plan.centre)
        if weights is not None:
            U, s, Vt = linalg.svd(scaled(wide.Z, np.sqrt(weights)), full_matrices=False)
            return row_form(U, s, wide.project(others) @ Vt.T, Y, plan, weights)
        # The coordinates from QR factors are orthogonal: Z = U diag(s).
        s = np.linalg.norm(wide.Z, axis=0)
        return row_form(wide.Z / s, s, wide.project(others), Y, plan)
    check_square(rows.shape[0], "The Gram matrix of the rows", "Use fewer rows or select features.")
    if not sparse.issparse(rows) and plan.centre:
        mean = rows.mean(axis=0)
        rows, others = rows - mean, others - mean
    return dual_form(dense(rows @ rows.T), dense(others @ rows.T), Y, plan, weights)


def has_graded_columns(X: Any) -> bool:
    """Whether the scales of the columns are so far apart that a Gram matrix loses some."""
    scales = column_scales(squares(centred(X, np.ones(X.shape[0]))[0], True))
    return is_graded(scales, GRAM_GRADED)


def dual_form(
    K: np.ndarray, cross: np.ndarray, Y: Any, plan: FoldPlan, weights: np.ndarray | None
) -> FoldForm:
    """Form from the Gram matrix K and the products of the rows to score.

    With R the square roots of the weights, R K R = U diag(s^2) U'.
    """
    if plan.centre:
        shares = np.full(len(K), 1 / len(K)) if weights is None else weights / weights.sum()
        means = shares @ K
        cross = cross - (cross @ shares)[:, None] - means + means @ shares
        K = centre_both(K, shares)
    if weights is not None:
        root = np.sqrt(weights)
        K, cross = K * np.outer(root, root), cross * root
    values, U = linalg.eigh(K, driver="evd", overwrite_a=False, check_finite=False)
    values, U = values[::-1], U[:, ::-1]
    r = rank(values, len(values))
    s, U = np.sqrt(values[:r]), U[:, :r]
    return row_form(U, s, cross @ (U / s), Y, plan, weights)


def row_form(
    U: np.ndarray,
    s: np.ndarray,
    Z: np.ndarray,
    Y: Any,
    plan: FoldPlan,
    weights: np.ndarray | None = None,
) -> FoldForm:
    """Form from left singular vectors of the weighted rows, which carry the labels over."""
    S = 2.0 * dense(Y) - 1.0
    mean = np.average(S, axis=0, weights=weights) * plan.centre
    root = np.ones((len(S), 1)) if weights is None else np.sqrt(weights)[:, None]
    Z = np.vstack([U * s / root, Z]) if plan.with_training else Z
    return FoldForm(s, U.T @ (root * (S - mean)), Z, mean, len(S), float(np.sum(root**2)))


def shared_statistics(sample: Sample, folds: Sequence[Fold], centre: bool) -> list[Any]:
    """The argument `shared` of :func:`fold_form` for each fold, from one pass over X.

    D <= n: moments of all rows minus those of the held-out block. D > n: the Gram matrix of all
    rows, of which each fold takes its blocks.
    """
    X = sample.X
    n_rows, n_features = X.shape
    if n_features > n_rows and is_device(X):
        return [None] * len(folds)
    if n_features > n_rows:
        check_square(n_rows, "The Gram matrix of the rows", "Use fewer rows or select features.")
        rows = X.astype(np.float64)
        if has_graded_columns(rows):
            return [None] * len(folds)
        # Any common shift works, and one near the mean of the fold costs no digits.
        rows = rows - rows.mean(axis=0) if centre and not sparse.issparse(X) else rows
        return [dense(rows @ rows.T)] * len(folds)
    check_square(n_features, "The scatter matrix of the features", "Select features first.")
    of_block: Any = partial(Moments.of, tt=False)
    held_out = [collect(part_of(sample, test), of_block) for _, test in folds]
    tested = np.concatenate([test for _, test in folds])
    if np.array_equal(np.sort(tested), np.arange(n_rows)):
        total = reduce(add, held_out)
    else:
        total = collect(sample, of_block)
    rest = [(total - part).signed() for part in held_out]
    return rest if centre else [moments.about_zero() for moments in rest]


def in_row_space(sample: Sample, plan: FoldPlan) -> Sample | None:
    """All rows in orthonormal coordinates of the space they span, if that saves work in folds.

    A fold without a ridge factorises D x n by QR steps. With many more features than rows this is
    done once, O(D n^2), and every fold uses the n coordinates, in which the problem is the same.
    None if nothing is saved.
    """
    X = sample.X
    many = X.shape[1] > MANY_FEATURES * X.shape[0]
    if not (plan.ridge_free and many) or is_device(X):
        return None
    rows = X.astype(np.float64)
    if has_graded_columns(rows):
        return None
    Z = narrow(rows, ridge_free=True, centre=plan.centre).Z
    return Sample(Z, sample.Y, weights=sample.weights)


def part_of(sample: Sample, rows: np.ndarray) -> Sample:
    """Some rows of a sample."""
    X, Y, *weights = sample.at(rows)
    return Sample(X, Y, weights=weights[0] if weights else None)
