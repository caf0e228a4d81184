"""Conjugate gradients on many systems at once, each with its own matrix."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

# Error of a solution in the norm of its matrix, relative to the norm of the solution.
TOLERANCE = 5e-9
MAX_STEPS = 1000
# Number of last steps whose gain estimates the error before them; the present error is smaller.
LAST = 2
# From this error down, products in single precision suffice, because the correction is small.
ROUGH = 2e-3

#: From V (p, m) and the numbers (m,) of its columns to the columns A_k v_k.
Operator = Callable[[np.ndarray, np.ndarray], np.ndarray]


def conjugate_gradients(
    apply: Operator,
    precondition: Callable[[np.ndarray], np.ndarray],
    B: np.ndarray,
    *,
    rough: Operator | None = None,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
) -> np.ndarray:
    """Solve A_k x_k = b_k for symmetric positive definite A_k that can only be applied.

    The columns have no common Krylov space, because their matrices differ; they share the pass over
    the data. `rough` applies A in single precision, for steps that correct little: errors of
    products count relative to the remaining residual (Simoncini and Szyld 2003).
    """
    energy, given = np.zeros(B.shape[1]), (tolerance, max_steps)
    found = column_steps(apply, precondition, B, *given, energy=energy, rough=rough)
    warn_of_error(found.left, *given)
    if rough is None:
        return found.X
    # Correct what errors of the products may have left; for most columns it is nothing.
    R = B - apply(found.X, np.arange(B.shape[1]))
    more = column_steps(apply, precondition, R, *given, energy=energy)
    warn_of_error(more.left, *given)
    return found.X + more.X


class Steps(NamedTuple):
    """Solutions X (p, q), the number of steps, and estimated errors of unfinished columns."""

    X: np.ndarray
    n_steps: int
    left: np.ndarray


def column_steps(
    apply: Operator,
    precondition: Callable[[np.ndarray], np.ndarray],
    B: np.ndarray,
    tolerance: float,
    max_steps: int,
    *,
    energy: np.ndarray,
    rough: Operator | None = None,
    by_residual: bool = False,
) -> Steps:
    """The steps of :func:`conjugate_gradients`; `energy` (q,) is x'Ax of the solution so far.

    A column is done when its estimated error in the norm of A, relative to the solution, or with
    `by_residual` its residual relative to its right-hand side, is below `tolerance`.
    """
    X, R, P = np.zeros_like(B), B.copy(), np.zeros_like(B)
    limits = tolerance**2 * np.einsum("ij,ij->j", B, B)
    active, fit = np.arange(B.shape[1]), np.ones(B.shape[1])
    gains = np.zeros((LAST, B.shape[1]))
    for step in range(max_steps):
        Z = precondition(R)
        before, fit = fit, np.einsum("ij,ij->j", R, Z)
        if step == 0:
            gains[0] = fit
        if by_residual:
            going = np.einsum("ij,ij->j", R, R) > limits[active]
        else:
            going = (gains.sum(axis=0) > tolerance**2 * energy[active]) & (fit > 0)
        if not going.all():
            active, fit, before, gains = active[going], fit[going], before[going], gains[:, going]
            R, P, Z = R[:, going], P[:, going], Z[:, going]
        if len(active) == 0:
            return Steps(X, step, gains[0])
        if rough is not None and (gains.sum(axis=0) <= ROUGH**2 * energy[active]).all():
            apply = rough
        P *= fit / before
        P += Z
        AP = apply(P, active)
        length = fit / np.einsum("ij,ij->j", P, AP)
        X[:, active] += length * P
        AP *= length
        R -= AP
        gains[step % LAST] = length * fit
        energy[active] += length * fit
    return Steps(X, max_steps, np.sqrt(gains.sum(axis=0) / energy[active]))


def warn_of_error(left: np.ndarray, tolerance: float, max_steps: int) -> None:
    """Warn about columns that did not converge."""
    if len(left):
        warnings.warn(
            f"Conjugate gradients left {len(left)} label(s) with a relative error of up to "
            f"{left.max():.1e} after {max_steps} steps (tolerance {tolerance:.0e}). Raise the "
            "ridge or scale the features.",
            ConvergenceWarning,
            stacklevel=3,
        )


def rough_solve(L: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """From R to (L L')^-1 R in single precision, with rows of L scaled: a preconditioner."""
    L = np.tril(L)
    scales = np.sqrt(np.einsum("ij,ij->i", L, L))[:, None]
    unit = np.asfortranarray(L / scales, dtype=np.float32)

    def solve(R: np.ndarray) -> np.ndarray:
        R = R / scales
        sizes = np.maximum(R.max(axis=0), -R.min(axis=0))
        sizes[sizes == 0] = 1.0
        rough = (R / sizes).astype(np.float32, order="F")
        Z = linalg.cho_solve((unit, True), rough, overwrite_b=True, check_finite=False)
        # In the memory order of the residuals; LAPACK uses the other one.
        return np.multiply(Z, sizes / scales, out=R)

    return solve
