"""Kernel ridge regression on every fold and for every ridge, from one decomposition of K."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labelspan import arrays
from labelspan.arrays import is_device, like, namespace, rows_at, sums
from labelspan.kernels._gram import Gram
from labelspan.moments import scaled


@dataclass(frozen=True)
class KernelSpectrum:
    """The matrix of :class:`Gram` as U diag(s) U', and the labels UT (n, q) in these coordinates.

    Each row of the centred labels is multiplied by the root of its weight; s (n,) is not negative.
    """

    s: np.ndarray
    U: np.ndarray
    UT: np.ndarray


def kernel_spectrum(
    of_rows: Gram, T: np.ndarray, weights: np.ndarray | None = None
) -> KernelSpectrum:
    """Decompose the centred kernel, O(n^3), once for every ridge and fold."""
    if is_device(of_rows.K):
        values, U = arrays.eigh(of_rows.K)
        w = namespace(T).ones_like(T[:, 0]) if weights is None else weights
        Tc = namespace(T).sqrt(w)[:, None] * (T - (w @ T) / sums(w))
        return KernelSpectrum(like(U, np.maximum(values, 0.0)), U, U.T @ Tc)
    s, U = linalg.eigh(of_rows.K, driver="evd", check_finite=False)
    # A fold selects rows of U.
    U = np.ascontiguousarray(U)
    Tc = scaled(T - np.average(T, axis=0, weights=weights), roots(weights))
    return KernelSpectrum(np.maximum(s, 0.0), U, U.T @ Tc)


@dataclass(frozen=True)
class HeldOut:
    """A fit without a fold, and its predictions for the fold.

    Its dual coefficients, 0 on the fold, and Z, T of the other rows minus their mean, are in the
    coordinates U of :class:`KernelSpectrum`, each row times the root of its weight.
    """

    predicted: np.ndarray
    coefficients: np.ndarray
    mean: np.ndarray
    Z: np.ndarray
    ridge: float

    def label_matrix(self) -> np.ndarray:
        """Z'(2KQ - QKKQ)Z of the other rows, Eq. (8) of Chen and Lin (2012), from K Q Z = R.

        KQ(2 - KQ) = KQ + ridge KQQ is a sum; the only subtraction is in R = Z - ridge QZ.
        """
        R = self.Z - self.ridge * self.coefficients
        return R.T @ self.Z + self.ridge * (R.T @ self.coefficients)


def held_out(
    form: KernelSpectrum,
    T: np.ndarray,
    ridges: Iterable[float],
    folds: list[Any],
    weights: np.ndarray | None = None,
) -> Iterator[list[HeldOut]]:
    """Centred kernel ridge regression without each fold, exactly, by ridge: O(n^3 / k + n^2 q).

    Centring K is an unpenalised intercept. With G = H (HKH + ridge I)^-1 H and A = G T, the fit
    without rows S has the residuals e = G_SS^-1 A_S on S and the coefficients A - G_:S e elsewhere,
    0 on S: they need not be formed, because U' times them has the same products. With weights, the
    same holds for rows times r, the square roots of their weights, and H = I - r r' / r'r.
    """
    if is_device(form.U):
        yield from (held_out_on_device(form, T, ridge, folds, weights) for ridge in ridges)
        return
    r = np.ones(len(T)) if weights is None else np.sqrt(weights)
    others = [without(form, T, r, fold) for fold in folds]
    along = form.U.T @ r
    for ridge in ridges:
        inverse = 1.0 / (form.s + ridge)
        # The vector r is an eigenvector of the kernel plus ridge, and H removes it.
        constant = 1.0 / (float(r @ r) * ridge)
        solved = inverse[:, None] * form.UT
        results = []
        for fold, (mean, Z) in zip(folds, others, strict=True):
            U_S, r_S = form.U[fold], r[fold]
            # One triangle is enough.
            G_SS = linalg.blas.dsyrk(1.0, (U_S * np.sqrt(inverse)).T, trans=1)
            G_SS -= constant * np.outer(r_S, r_S)
            e = linalg.solve(G_SS, U_S @ solved, assume_a="pos", check_finite=False)
            C = solved - inverse[:, None] * (U_S.T @ e) + constant * np.outer(along, r_S @ e)
            # Rows of weight 0 have no residual, and their predictions do not count.
            residual = np.divide(e, r_S[:, None], out=np.zeros_like(e), where=r_S[:, None] > 0)
            results.append(HeldOut(T[fold] - residual, C, mean, Z, ridge))
        yield results


def without(
    form: KernelSpectrum, T: np.ndarray, r: np.ndarray, fold: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Mean (q,) of T over the rows outside the fold, and U'Z (n, q) with Z = 0 in the fold."""
    kept = r.copy()
    kept[fold] = 0.0
    overall, mean = (r**2 @ T) / (r @ r), (kept**2 @ T) / (kept @ kept)
    # From all rows about their mean: leave the fold out, and change the mean.
    inside = r[fold, None] * (T[fold] - overall)
    return mean, form.UT - form.U[fold].T @ inside - np.outer(form.U.T @ kept, mean - overall)


def held_out_on_device(
    form: KernelSpectrum, T: Any, ridge: float, folds: list[Any], weights: Any
) -> list[HeldOut]:
    """The same on the device of the rows; U is read once per fold."""
    xp, n_rows = namespace(T), T.shape[0]
    inverse = 1.0 / (form.s + ridge)
    r = xp.ones_like(T[:, 0]) if weights is None else xp.sqrt(weights)
    constant = 1.0 / (float(r @ r) * ridge)
    A = form.U @ (inverse[:, None] * form.UT)
    results = []
    for fold in folds:
        U_S, r_S = rows_at(form.U, fold), rows_at(r, fold)
        G_SS = (U_S * inverse) @ U_S.T - constant * (r_S[:, None] * r_S)
        e = xp.linalg.solve(G_SS, rows_at(A, fold))
        G_e = form.U @ (inverse[:, None] * (U_S.T @ e))
        others = np.setdiff1d(np.arange(n_rows), fold)
        T_o, r_o = rows_at(T, others), rows_at(r, others)
        mean = (r_o**2 @ T_o) / (r_o @ r_o)
        coefficients = rows_at(A - G_e, others) + constant * (r_o[:, None] * (r_S @ e))
        share = xp.where(r_S > 0, 1.0 / xp.where(r_S > 0, r_S, xp.ones_like(r_S)), 0.0 * r_S)
        predicted = rows_at(T, fold) - share[:, None] * e
        Z = r_o[:, None] * (T_o - mean)
        results.append(HeldOut(predicted, coefficients, mean, Z, ridge))
    return results


def roots(weights: np.ndarray | None) -> np.ndarray | None:
    """Square roots of weights, if there are any."""
    return None if weights is None else np.sqrt(weights)
