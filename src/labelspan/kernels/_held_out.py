"""Ridge regression on a kernel without every fold and for every ridge, from one decomposition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from labelspan.arrays import cast, like, namespace, rows_at
from labelspan.kernels._gram import Gram
from labelspan.kernels._landmarks import Features
from labelspan.kernels._spectrum import KernelSpectrum, decomposed
from labelspan.kernels._statistics import feature_moments, labels_about_mean
from labelspan.linalg import solve_ridges
from labelspan.moments import Moments, Sample


def kernel_spectrum(
    of_rows: Gram, T: np.ndarray, weights: np.ndarray | None = None
) -> KernelSpectrum:
    """Decompose the centred kernel, O(n^3), once for every ridge and fold."""
    return decomposed(of_rows.K, labels_about_mean(T, weights)[2])


@dataclass(frozen=True)
class HeldOut:
    """Predictions (n_fold, q) for a fold from a fit to the other rows, and the mean of their T.

    `label_matrix` (q, q) is that of Eq. (8) of the fit; `coefficients` (n, q) are its dual ones in
    the coordinates U, None on landmark features.
    """

    predicted: np.ndarray
    mean: np.ndarray
    label_matrix: np.ndarray
    coefficients: np.ndarray | None = None


def held_out(
    form: KernelSpectrum,
    T: np.ndarray,
    ridges: Iterable[float],
    folds: list[Any],
    weights: np.ndarray | None = None,
) -> Iterator[list[HeldOut]]:
    """For each positive ridge the fits without each fold, exactly: O(n n_fold^2 + n n_fold q) each.

    Centring K on the training rows is an unpenalised intercept. With G = H (HKH + ridge I)^-1 H and
    A = G T, the fit without the rows S has the residuals e = G_SS^-1 A_S on S and the coefficients
    A - G_:S e on the others; on S these are 0. So they need not be formed: U' times them has the
    same products. With weights, the same holds for rows times r, the square roots of their weights,
    and H = I - r r' / r'r.
    """
    T, xp = cast(T, np.float64), namespace(form.U)
    r = like(form.U, np.ones(T.shape[0])) if weights is None else xp.sqrt(weights)
    others = [without(form, T, r, fold) for fold in folds]
    along, size = form.U.T @ r, float(r @ r)
    for ridge in ridges:
        inverse = 1.0 / (form.s + ridge)
        # The vector r is an eigenvector of the kernel plus ridge, and H removes it.
        constant = 1.0 / (size * ridge)
        solved = inverse[:, None] * form.UT
        results = []
        for fold, (mean, Z) in zip(folds, others, strict=True):
            U_S, r_S = rows_at(form.U, fold), rows_at(r, fold)
            half = U_S * xp.sqrt(inverse)
            G_SS = half @ half.T - constant * (r_S[:, None] * r_S)
            e = xp.linalg.solve(G_SS, U_S @ solved)
            C = solved - inverse[:, None] * (U_S.T @ e) + constant * along[:, None] * (r_S @ e)
            # Rows of weight 0 have no residual, and their predictions do not count.
            share = xp.where(r_S > 0, 1.0 / xp.where(r_S > 0, r_S, 1.0 + r_S), 0.0 * r_S)
            predicted = rows_at(T, fold) - share[:, None] * e
            results.append(HeldOut(predicted, mean, matrix_of(Z, C, ridge), C))
        yield results


def without(form: KernelSpectrum, T: Any, r: Any, fold: Any) -> tuple[Any, Any]:
    """Mean (q,) of T over the rows outside the fold, and U'Z (n, q) with Z = 0 in the fold."""
    left = np.ones(T.shape[0])
    left[fold] = 0.0
    kept = r * like(r, left)
    overall, mean = (r**2 @ T) / (r @ r), (kept**2 @ T) / (kept @ kept)
    # From all rows about their mean: leave the fold out, and change the mean.
    inside = rows_at(r, fold)[:, None] * (rows_at(T, fold) - overall)
    moved = (form.U.T @ kept)[:, None] * (mean - overall)
    return mean, form.UT - rows_at(form.U, fold).T @ inside - moved


def matrix_of(Z: Any, C: Any, ridge: float) -> Any:
    """Z'(2KQ - QKKQ)Z, Eq. (8) of Chen and Lin (2012), from C = QZ and KQZ = R.

    KQ(2 - KQ) = KQ + ridge KQQ is a sum; the only subtraction is in R = Z - ridge QZ.
    """
    R = Z - ridge * C
    return R.T @ Z + ridge * (R.T @ C)


def held_out_features(
    features: Features,
    X: Any,
    T: np.ndarray,
    ridges: tuple[float, ...],
    folds: list[Any],
    weights: np.ndarray | None = None,
) -> list[list[HeldOut]]:
    """For each fold and positive ridge the fit on landmark features without the fold, from sums.

    O(n m (D + m) + k R m^3) for k folds that partition the rows, R ridges and m features.
    """
    sample = Sample(X, T, weights=weights)
    of_rows = partial(feature_moments, features, xx=True, tt=False)
    parts = [of_rows(*sample.at(S)) for S in folds]
    rows = np.concatenate(folds)
    partition = len(rows) == len(T) == len(np.unique(rows))
    total = reduce(add, parts) if partition else of_rows(*sample.at(slice(None)))
    return [
        one_fold(features, X[S], total - part, ridges) for S, part in zip(folds, parts, strict=True)
    ]


def one_fold(
    features: Features, X: Any, others: Moments, ridges: tuple[float, ...]
) -> list[HeldOut]:
    """Fit on the moments of the other rows and predict the rows X of a fold."""
    solved = solve_ridges(others, ridges)
    coefs = [solved.coefficients(i=i) for i in range(len(ridges))]
    # All ridges together, so that the kernel of the fold is evaluated once.
    W = np.hstack(coefs)
    dual, offset = features.R @ W, others.x_mean @ W
    centred = np.concatenate([K @ dual for _, K in features.map_.blocks(X)]) - offset
    predicted = np.split(centred + np.tile(others.t_mean, len(ridges)), len(ridges), axis=1)
    return [
        HeldOut(block, others.t_mean, solved.explained(i) + ridges[i] * (coef.T @ coef))
        for i, (block, coef) in enumerate(zip(predicted, coefs, strict=True))
    ]
