"""Multi-label informed latent semantic indexing."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import (
    cholesky,
    dense,
    diagonal,
    like,
    moved_to,
    namespace,
    regular_factor,
    rows_at,
    solve_triangular,
    sums,
    triangle,
)
from labelspan.base import N_COMPONENTS, LinearReducer
from labelspan.compat import Interval, StrOptions
from labelspan.linalg import (
    EPS,
    FORMED,
    Back,
    EigenPairs,
    Pencil,
    Whitened,
    inverse_root,
    leading_sum,
    row_space,
    spectral,
    squared,
)
from labelspan.moments import Moments


class MLSI(LinearReducer):
    r"""Directions that explain the features and the labels at once.

    .. math:: X_c'X_c\, p = \lambda\, (X_c'((1 - \beta) X_cX_c' + \beta S_cS_c'
              + \mathrm{joint\_ridge}\, I)^{-1} X_c + \mathrm{ridge}\, I)\, p

    with the labels S in {-1, +1}: Eq. (39) of [1]_, after [2]_. ``form="original"`` is the problem
    of [2]_: the factors Xc p that reconstruct the features and the labels best,

    .. math:: ((1 - \beta) X_c'X_c X_c'X_c + \beta X_c'Y_c Y_c'X_c)\, p
              = \lambda\, (X_c'X_c + \mathrm{ridge}\, I)\, p.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep; or None for all with
        a positive eigenvalue (as many as the rank of X).
    beta : float in [0, 1], default=0.5
        Weight of the labels against the features.
    ridge : float, default=0.1
        The paper's gamma_x.
    joint_ridge : float > 0, default=0.1
        The paper's gamma_xy; without it the inner matrix has no inverse. The original form has
        none.
    form : {"ridge", "original"}, default="ridge"
        The problem: that of [1]_, with the inverse of the joint kernel, or that of [2]_, with
        labels in {0, 1}.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, orthonormal in the metric on the right-hand side.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues that were computed, descending.
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the sum of all eigenvalues that each direction has; a float
        `n_components` adds up these shares.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
    label_scatter_clipped_ : float
        Share of negative eigenvalues, which were set to zero, in the scatter of the label pairs:
        above 0 only if labels are missing in `y`.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    classes_ : ndarray
        Classes of a 1-d `y`.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    The n x n inverse never appears. With Q = ``xx`` - beta Xc'Sc (joint_ridge I +
    beta Sc'Sc)^-1 Sc'Xc, which is positive semi-definite, the Woodbury identity gives

        Xc' (...)^-1 Xc = Q (joint_ridge I + (1 - beta) Q)^-1,

    a function of Q alone. Its sum with ridge I has the inverse ((1 - beta) I + joint_ridge (h Q +
    ridge joint_ridge I)^-1) / h with h = 1 + ridge (1 - beta), for every beta, beta = 1
    included; and Xc = U A leaves the eigenvalues of A (that inverse) A', a sum of squares.
    With missing labels, they may seem to explain more than all of a direction of the features; the
    unexplained part is then set to zero. With Xc = U diag(s) V', the original form is the
    eigenproblem of the diagonal matrix of (1 - beta) s^4 / (s^2 + ridge) plus a product of rank q.
    Time O(n D^2 + D^3), memory O(D^2); if n < D, replace D by n.

    References
    ----------
    .. [1] J. Xu, J. Liu, J. Yin and C. Sun, "A multi-label feature extraction algorithm via
       maximizing feature variance and feature-label dependence simultaneously",
       Knowledge-Based Systems 98, 2016.
    .. [2] K. Yu, S. Yu and V. Tresp, "Multi-label informed latent semantic indexing",
       SIGIR 2005.

    Examples
    --------
    >>> from labelspan import MLSI
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> MLSI(n_components=5).fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "beta": [Interval(Real, 0, 1, closed="both")],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "joint_ridge": [Interval(Real, 0, None, closed="neither")],
        "form": [StrOptions({"ridge", "original"})],
    }
    _label_scatter = True
    _learnt = (*LinearReducer._learnt, "label_scatter_clipped_")

    def __init__(
        self,
        n_components: int | float | None = 0.999,
        *,
        beta: float = 0.5,
        ridge: float = 0.1,
        joint_ridge: float = 0.1,
        form: str = "ridge",
    ):
        self.n_components = n_components
        self.beta = beta
        self.ridge = ridge
        self.joint_ridge = joint_ridge
        self.form = form

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        return FORMED

    def _directions(self, statistics: Moments, pencil: Pencil) -> EigenPairs:
        if self.form == "original":
            return reconstructing(statistics, self.beta, self.ridge, self.n_components)
        A, T, V = row_factor(statistics)
        # Sc = 2 Yc, so the label scatter counts four times, the factor twice.
        K = inverse_root(4 * self.beta * moved_to(A, statistics.tt), self.joint_ridge)
        E = self._whitener(unexplained(A, float(2 * np.sqrt(self.beta)) * (T @ K)))
        W = E.T @ A.T
        squares = dense(sums(W * W, axis=1))
        return squared(Whitened(W, lambda Y: V(E @ like(E, Y)), squares), self.n_components)

    def _whitener(self, half: np.ndarray) -> np.ndarray:
        """E with E E' the inverse of the right-hand side, from half'half = Q."""
        inner = 1 + self.ridge * (1 - self.beta)
        L = lower_factor(half, inner, self.ridge * self.joint_ridge)
        inverse = solve_triangular(L, np.eye(L.shape[0]), transposed=True)
        return lower_factor(inverse.T, self.joint_ridge / inner, (1 - self.beta) / inner)


def reconstructing(statistics: Moments, beta: float, ridge: float, n_components: Any) -> EigenPairs:
    """Eigenpairs of the original form, in coordinates u of p = V diag(s^2 + ridge)^(-1/2) u."""
    form = spectral(statistics)
    V, s, UT = dense(form.V), form.s[:, None], dense(form.UT)
    size = np.sqrt(s**2 + ridge)
    F = s / size * UT
    G = np.diag((1 - beta) * (s**2 / size)[:, 0] ** 2) + beta * (F @ F.T)
    return leading_sum(G, n_components).mapped(lambda u: V @ (u / size))


def lower_factor(A: np.ndarray, a: float, b: float) -> np.ndarray:
    """L with L L' = a A'A + b I, by Cholesky if that is accurate, else by QR."""
    L = regular_factor(A.T @ A, a, b)
    if L is not None:
        return L
    rest = like(A, np.sqrt(b) * np.eye(A.shape[1]))
    return triangle(namespace(A).concat([float(np.sqrt(a)) * A, rest], axis=0)).T


def row_factor(moments: Moments) -> tuple[np.ndarray, np.ndarray, Back]:
    """A and T with A'A = xx and A'T = xt in coordinates of the row space, and the map back.

    The null space of Q is that of X, and the rank must come from X: if labels explain features, Q
    is small but not zero. Long columns come first, so that rounding cannot hide shorter ones.
    """
    xx, xt, V = row_space(moments)
    if V is not None:
        s = like(xt, np.sqrt(diagonal(xx)))
        return namespace(xx).sqrt(xx), xt / s[:, None], lambda Y: V @ Y
    order = np.argsort(-diagonal(xx), kind="stable")
    L = cholesky(rows_at(rows_at(xx, order).T, order))
    return L.T, solve_triangular(L, rows_at(xt, order)), lambda Y: rows_at(Y, np.argsort(order))


def unexplained(A: np.ndarray, N: np.ndarray) -> np.ndarray:
    """(I - N N')^(1/2) A, whose square is Q; N N' is the part that the labels explain."""
    xp = namespace(N)
    U, n, _ = xp.linalg.svd(N, full_matrices=False)
    root = xp.sqrt(xp.clip(1 - n**2, EPS, None))
    return A - (U * (1 - root)) @ (U.T @ A)
