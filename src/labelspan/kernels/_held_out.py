"""Kernel ridge regression on every fold and for every ridge, from one decomposition of K."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from labelspan.kernels._gram import Gram


@dataclass(frozen=True)
class KernelSpectrum:
    """H K H = U diag(s) U' with the labels in the same coordinates.

    Attributes
    ----------
    s : ndarray of shape (n,)
        Eigenvalues, not negative.
    U : ndarray of shape (n, n)
        Eigenvectors, all of them.
    UT : ndarray of shape (n, q)
        U'Tc.
    """

    s: np.ndarray
    U: np.ndarray
    UT: np.ndarray


def kernel_spectrum(of_rows: Gram, T: np.ndarray) -> KernelSpectrum:
    """Decompose the centred kernel, O(n^3), once for every ridge and fold."""
    s, U = linalg.eigh(of_rows.K, driver="evd", check_finite=False)
    # Folds are rows of U.
    U = np.ascontiguousarray(U)
    return KernelSpectrum(np.maximum(s, 0.0), U, U.T @ (T - T.mean(axis=0)))


@dataclass(frozen=True)
class HeldOut:
    """What a fit on the other rows says about the rows of a fold.

    Attributes
    ----------
    predicted : ndarray of shape (n_fold, q)
        Predictions for the rows of the fold, of a fit that has not seen them.
    coefficients : ndarray of shape (n_other, q)
        Dual coefficients of that fit.
    mean : ndarray of shape (q,)
        Mean of T over the other rows.
    Z : ndarray of shape (n_other, q)
        T of the other rows about that mean.
    ridge : float
        The ridge.
    """

    predicted: np.ndarray
    coefficients: np.ndarray
    mean: np.ndarray
    Z: np.ndarray
    ridge: float

    def label_matrix(self) -> np.ndarray:
        """Z'(2KQ - QKKQ)Z of the other rows, Eq. (8) of Chen and Lin (2012), from K Q Z = R.

        KQ(2 - KQ) = KQ + ridge KQQ: a sum, nothing is subtracted but in R = Z - ridge QZ.
        """
        R = self.Z - self.ridge * self.coefficients
        return R.T @ self.Z + self.ridge * (R.T @ self.coefficients)


def held_out(form: KernelSpectrum, T: np.ndarray, ridge: float, folds: list[Any]) -> list[HeldOut]:
    """Centred kernel ridge regression without each fold, without another factorisation of K.

    Parameters
    ----------
    form : KernelSpectrum
        Of all rows.
    T : ndarray of shape (n, q)
        Targets.
    ridge : float
        Positive.
    folds : list of ndarray
        The rows of each fold.

    Returns
    -------
    list of HeldOut
        Exact. O(n^2 n_fold) a fold, so O(n^3 / k) for k folds.

    Notes
    -----
    Centring K on the training rows is an intercept without a price. With
    G = H (HKH + ridge I)^-1 H and A = G T, the fit without the rows S has the residuals
    e = G_SS^-1 A_S on S and the coefficients A - G_:S e on the others.
    """
    weights = 1.0 / (form.s + ridge)
    constant = 1.0 / (len(T) * ridge)
    A = form.U @ (weights[:, None] * form.UT)
    residuals, lifted = [], []
    for fold in folds:
        U_S = form.U[fold]
        # One triangle is enough; the vector of ones is an eigenvector of the ridged kernel,
        # and H takes it out.
        G_SS = linalg.blas.dsyrk(1.0, (U_S * np.sqrt(weights)).T, trans=1)
        G_SS -= constant
        residuals.append(linalg.solve(G_SS, A[fold], assume_a="pos", check_finite=False))
        lifted.append(weights[:, None] * (U_S.T @ residuals[-1]))
    # U is read once for all folds.
    products = np.split(form.U @ np.hstack(lifted), len(folds), axis=1)
    results = []
    for fold, e, G_e in zip(folds, residuals, products, strict=True):
        others = np.setdiff1d(np.arange(len(T)), fold)
        mean = T[others].mean(axis=0)
        coefficients = (A - G_e)[others] + constant * e.sum(axis=0)
        results.append(HeldOut(T[fold] - e, coefficients, mean, T[others] - mean, ridge))
    return results
