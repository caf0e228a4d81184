"""Partial least squares in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

from labelspan.compat import Interval
from labelspan.gate import Labels, NoDirectionError
from labelspan.kernels._base import KERNEL_PARAMETERS, KernelReducer, keep_kernel
from labelspan.linalg import EigenPairs, Pencil, partial_least_squares
from labelspan.moments import Moments


class KernelPLS(KernelReducer):
    r"""Uncorrelated scores in a kernel's feature space of largest covariance with the labels.

    .. math:: a_j = \arg\max_{a'Qa = 1} \|Y_j'Qa\|^2, \qquad
              t_j = Q c_j, \quad Y_{j+1} = Y_j - t_j t_j'Y_j / (t_j't_j)

    where Q is the centred kernel matrix, :math:`Y_1` the centred labels and :math:`c_j` is
    :math:`a_j` made uncorrelated with the scores before: kernel PLS [1]_, at convergence. A
    linear kernel gives the scores of :class:`labelspan.LabelPLS`.

    Parameters
    ----------
    n_components : int, default=10
        Number of directions; fewer, with a warning, if those explain the labels completely.
    kernel : str or callable, default="rbf"
        A kernel of scikit-learn's ``pairwise_kernels``, "precomputed", or a function of two
        rows.
    gamma : float or None, default=None
        Coefficient of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None is
        1 / n_features (1 for "chi2").
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Keywords of a callable kernel.
    n_landmarks : int or None, default=None
        Number of Nystroem landmarks; None means exact.
    landmarks : {"uniform", "kmeans", "leverage"}, default="uniform"
        Landmarks at random; the rows nearest to k-means centres; or at random by approximate
        ridge leverage scores.
    random_state : int, RandomState or None, default=None
        Seed of the landmarks.

    Attributes
    ----------
    dual_components_ : ndarray of shape (n_components_, n_training_rows or n_landmarks)
        Centred coefficients c of the directions; the scores of the training rows are uncorrelated.
    offset_ : ndarray of shape (n_components_,)
        Centring term, subtracted from a projection.
    eigenvalues_ : ndarray of shape (n_components_,)
        Squared covariance of each direction with the labels that the earlier ones leave
        unexplained, for weights a of length one.
    n_components_ : int
        Number of directions found.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        Rows that serve as landmarks, with ``n_landmarks``, among those of positive weight.
    nystroem_error_ : float
        Relative error of the centred kernel (Frobenius norm) on a sample of at most 500 rows,
        with ``n_landmarks``.
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
    Improved kernel PLS no. 2 with Q as metric and as scatter: two products with Q per direction,
    O(n^2 k), and one (n, n) array. With m landmarks O(n m (D + m) + m^2 k) and O(m^2).

    References
    ----------
    .. [1] R. Rosipal and L. J. Trejo, "Kernel partial least squares regression in reproducing
       kernel Hilbert space", Journal of Machine Learning Research 2, 2001.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.kernels import KernelPLS
    >>> yeast = load_yeast()
    >>> X, Y = yeast.X[:500], yeast.Y[:500]
    >>> KernelPLS(5, gamma=0.5).fit(X, Y).transform(X).shape
    (500, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        **KERNEL_PARAMETERS,
    }

    # Directions of PLS have the length that their weights give them.
    _unit_variance: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int = 10,
        *,
        kernel: str | Callable[..., float] = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | None = None,
        landmarks: str = "uniform",
        random_state: Any = None,
    ):
        self.n_components = n_components
        keep_kernel(
            self, kernel, gamma, degree, coef0, kernel_params, n_landmarks, landmarks, random_state
        )

    def _refusals(self) -> dict[str, str]:
        return {}

    def _pencil(self) -> Pencil:
        # No ridge, but the whole of Q is needed.
        return Pencil((1.0, 0.0))

    def _targets(self, labels: Labels) -> Any:
        return labels.Y

    def _directions(self, statistics: Any, pencil: Pencil) -> EigenPairs:
        if isinstance(statistics, Moments):
            scatter = statistics.xx.__matmul__
            found = partial_least_squares(scatter, statistics.xt, self.n_components)
        else:
            Q = statistics.K.__matmul__
            found = partial_least_squares(Q, statistics.T, self.n_components, Q)
        if len(found.values) == 0:
            raise NoDirectionError()
        return EigenPairs(found.values, found.R, None)
