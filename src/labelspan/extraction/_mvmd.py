"""Maximising feature variance and feature-label dependence simultaneously."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from labelspan.base import N_COMPONENTS, LinearReducer
from labelspan.compat import Interval
from labelspan.linalg import Pencil


class MVMD(LinearReducer):
    r"""Directions that maximise feature variance and feature-label dependence together.

    .. math:: \max_{P'P = I} \; \mathrm{tr}(P' G P), \qquad
              G = (1 - \beta) X_c'X_c + \beta X_c' S_c S_c' X_c

    with the labels S in {-1, +1}: Eqs. (34), (36) and (37) of [1]_. ``beta=0`` is PCA,
    ``beta=1`` is :class:`MDDM` with orthonormal directions.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None, default=0.999
        Number of directions; or the share of the eigenvalue sum to keep (t of Eq. 15); or
        None for all with a positive eigenvalue.
    beta : float in [0, 1], default=0.5
        Weight of the dependence against the variance.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Orthonormal directions, P' of the paper.
    eigenvalues_ : ndarray of shape (n_positive,)
        Positive eigenvalues of G that were computed, descending (scatter, not covariance).
    explained_dependence_ratio_ : ndarray of shape (n_components_,)
        Share of the sum of all eigenvalues that each direction has; a float
        `n_components` adds up these shares.
    reconstruction_error_ : float
        Least-squares form of the objective, Eqs. (30) and (35): (1 - beta) ||Xc - A P'||^2 + beta
        ||Sc'Xc - B P'||^2 for the best coefficients, which are A = Xc P and B = Sc'Xc P. Not known
        where only a few eigenvalues are found by products.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions kept.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`.
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
    Notation: ``xx`` = Xc'Xc, ``xt`` = Xc'Y with 0/1 labels; Sc = 2 Yc, so G is
    (1 - beta) ``xx`` + 4 beta ``xt xt'``. The +-1 coding matters: it weighs the dependence four
    times as much as 0/1 labels. Time O(n D^2 + D^3) and memory O(D^2); an integer `n_components`
    computes only that many eigenvectors. If n < D, replace D by n. Large sparse X with an integer
    `n_components`: Lanczos iterations, O(nnz(X) + n q) each and O(D n_components) memory.

    References
    ----------
    .. [1] J. Xu, J. Liu, J. Yin and C. Sun, "A multi-label feature extraction algorithm via
       maximizing feature variance and feature-label dependence simultaneously",
       Knowledge-Based Systems 98, 2016.

    Examples
    --------
    >>> from labelspan import MVMD
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> MVMD(n_components=5).fit(yeast.X, yeast.Y).transform(yeast.X).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": N_COMPONENTS,
        "beta": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, n_components: int | float | None = 0.999, *, beta: float = 0.5):
        self.n_components = n_components
        self.beta = beta

    @property
    def reconstruction_error_(self) -> float:
        """Sum of the eigenvalues of G that are left out, those that were not computed included."""
        kept = self.eigenvalues_[: self.n_components_]
        left = 1.0 - float(self.explained_dependence_ratio_.sum())
        return max(left, 0.0) * float(kept[0] / self.explained_dependence_ratio_[0])

    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        return Pencil(variance=(1 - self.beta, 4 * self.beta))
