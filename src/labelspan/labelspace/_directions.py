"""Directions of the labels from small symmetric matrices."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelspan.arrays import like, namespace, orthonormal
from labelspan.labelspace._regressor import Codes
from labelspan.linalg import EigenPairs, Regression, leading_sum, signed_rows


@dataclass(frozen=True)
class Encoding:
    """How a method codes the labels, and what it found of the regression of the codes on X.

    Attributes
    ----------
    pairs : EigenPairs
        Directions as columns (q, M), and the values that order them.
    label_mean : ndarray of shape (q,)
        Mean of the labels.
    regression : Regression or None
        That of all labels, if there was one; the codes are linear in the labels.
    coef : ndarray of shape (D, M) or None
        Coefficients of the codes in that regression, if they are known.
    regressor : Codes or None
        The least squares of the codes, if the directions came with them.
    codes : ndarray of shape (n, M) or None
        Codes of the training rows, if they are not a function of the labels.
    ridge : float or None
        The ridge of directions that did not come with a regression.
    """

    pairs: EigenPairs
    label_mean: np.ndarray
    regression: Regression | None = None
    coef: np.ndarray | None = None
    regressor: Codes | None = None
    codes: np.ndarray | None = None
    ridge: float | None = None


def no_direction(n_labels: int, n_components: Any) -> EigenPairs:
    """No codes, because none is requested or every label is constant."""
    if n_components is not None and n_components > 0:
        warnings.warn(
            f"n_components={n_components}, but the labels, or the features, are constant on the "
            "training rows: 0 directions are kept and the label means are predicted.",
            UserWarning,
            stacklevel=2,
        )
    return EigenPairs(np.zeros(0), np.zeros((n_labels, 0)))


def signed(pairs: EigenPairs) -> EigenPairs:
    """The same pairs with signs fixed."""
    return EigenPairs(pairs.values, signed_rows(pairs.vectors).T)


def at_most(n_components: int | None, limit: int, what: str) -> int:
    """Number of codes, limited to the possible number."""
    if n_components is None:
        return limit
    if n_components > limit:
        warnings.warn(
            f"n_components={n_components} is more than the {limit} {what}; {limit} are kept "
            "(see n_components_).",
            UserWarning,
            stacklevel=2,
        )
    return min(int(n_components), limit)


def leading_rows(
    K: np.ndarray,
    adjoint: Callable[[np.ndarray], np.ndarray],
    n_labels: int,
    n_components: Any,
) -> EigenPairs:
    """Leading eigenvectors (q, k) of F'F from K = F F' (m, m), the small side: v = F'u / s.

    K is overwritten; `adjoint` maps U (m, k) to F'U (q, k).
    """
    if float(namespace(K).linalg.trace(K)) <= 0 or n_components == 0:
        return no_direction(n_labels, n_components)
    pairs = leading_sum(K, n_components)
    # With small singular values, the quotient is orthonormal to fewer digits; QR repairs that.
    roots = np.sqrt(pairs.values[: pairs.vectors.shape[1]])
    return pairs.mapped(lambda U: orthonormal(adjoint(U) / like(U, roots)))
