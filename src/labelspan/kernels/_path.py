"""Models that differ only in their ridges, from one kernel and one factor of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from labelspan.compat import n_rows_of
from labelspan.kernels._base import KERNEL_PARAMETERS
from labelspan.kernels._shifted import PathSolver
from labelspan.kernels._statistics import Dual, Induced, induce

# Parameters of the kernel or the labels; models that differ in these share nothing.
NOT_SHARED = frozenset({*KERNEL_PARAMETERS, "label_kernel", "constraint"})


@dataclass(frozen=True)
class KernelPath:
    """Models of :func:`kernel_path`.

    Attributes
    ----------
    params : tuple of dict
        The points of the grid, in the order of scikit-learn's ``ParameterGrid``.
    estimators : tuple of estimator
        One fitted model per point.
    residual : float
        Largest residual of a linear system, relative to its right-hand side, label by label; 0 if
        no (n, n) kernel was needed.
    """

    params: tuple[dict[str, Any], ...]
    estimators: tuple[Any, ...]
    residual: float


def kernel_path(
    estimator: Any, X: Any, y: Any, grid: Mapping[str, Sequence[Any]], *, tol: float = 1e-6
) -> KernelPath:
    r"""Fit a kernel method at every point of a grid that does not change the kernel.

    All four methods need :math:`(Q + \rho I)^{-1} F` with the centred kernel matrix Q and
    right-hand sides F spanned by the labels; ridge, mu, alpha and beta only enter through
    :math:`\rho`. So the kernel is evaluated and factorised once, at one :math:`\sigma` in the
    middle of all :math:`\rho`. Because

    .. math:: (Q + \rho I)(Q + \sigma I)^{-1} = I + (\rho - \sigma)(Q + \sigma I)^{-1},

    conjugate gradients for every :math:`\rho` share one Krylov space. They converge at a rate that
    depends on the ends of the grid, not on the kernel.

    Parameters
    ----------
    estimator : KernelMDDM, KernelLabelCCA, KernelCPLST or KernelSharedSubspaceClassifier
        Not changed; its clones are fitted.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Features, or a precomputed kernel.
    y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
        Labels.
    grid : dict of sequences
        Candidates by parameter name: ridge, mu, alpha, beta, label_ridge, n_components and others
        that do not change the kernel and its landmarks.
    tol : float, default=1e-6
        Largest residual of a linear system from the Krylov space, relative to its right-hand side,
        label by label; between 0 and 1. Ridges that miss it get their own factor.

    Returns
    -------
    KernelPath
        The models, each as ``fit`` would give it up to `tol`, with a kernel in float64.

    See Also
    --------
    KernelCPLSTCV : Cross-validation over widths and ridges, which needs the folds as well.

    Notes
    -----
    One kernel and one factor, n^3 / 3, and one solve with q right-hand sides per step, 2 n^2 q;
    five ridges from 1/16 to 16 need 14 to 26 steps. If there are so many labels that one factor per
    ridge is cheaper (q above n / 80 for these five), each ridge gets its own factor, and they share
    only the kernel. Memory: the (n, n) kernel, two (n, R q) arrays for the solutions of R ridges,
    and (n, k q) for the basis of k steps; R q is at most n, and k q a quarter of it. With
    landmarks, the passes over the rows are shared. On a device, the kernel is shared and each ridge
    has its own factor.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.kernels import KernelLabelCCA, kernel_path
    >>> yeast = load_yeast()
    >>> path = kernel_path(
    ...     KernelLabelCCA(5, gamma=0.5), yeast.X[:500], yeast.Y[:500], {"ridge": [0.1, 1.0, 10.0]}
    ... )
    >>> [model.ridge for model in path.estimators]
    [0.1, 1.0, 10.0]
    """
    if not hasattr(estimator, "_ridges"):
        raise TypeError(
            "kernel_path takes KernelMDDM, KernelLabelCCA, KernelCPLST and "
            f"KernelSharedSubspaceClassifier; got {type(estimator).__name__}."
        )
    if not isinstance(grid, Mapping):
        raise TypeError(
            f"grid is a {type(grid).__name__}; pass a dict of candidates by the name of a "
            'parameter, e.g. {"ridge": [0.1, 1.0, 10.0]}.'
        )
    wrong = sorted(NOT_SHARED.intersection(grid))
    if wrong:
        raise ValueError(
            f"The grid varies {wrong[0]!r}, which changes the kernel or the labels, so that there "
            "is nothing to share. Call kernel_path once for each value of it."
        )
    if not isinstance(tol, Real) or not 0 < tol < 1:
        raise ValueError(f"tol={tol!r}; allowed are numbers between 0 and 1.")
    params = tuple(ParameterGrid(grid))
    models = tuple(clone(estimator).set_params(**point) for point in params)
    for model in models:
        model._validate_params()
    n_rows = n_rows_of(X)
    ridges = [ridge for model in models for ridge in model._ridges(n_rows)]
    common = Common(clone(estimator), ridges, float(tol))
    # In the order of their ridges, so that those with the same solutions follow each other.
    for model in sorted(models, key=lambda model: model._ridges(n_rows)):
        model._shared_kernel = common.induce
        model.fit(X, y)
        del model._shared_kernel
    return KernelPath(params, models, common.residual)


class Common:
    """What the models of a path share: the kernel, and the solutions of its systems."""

    def __init__(self, estimator: Any, ridges: list[float], tol: float):
        self.estimator = estimator
        self.ridges = ridges
        self.tol = tol
        self._solver: PathSolver | None = None
        # With the kernel matrix (False), and with only its product with the labels (True).
        self._made: dict[bool, Induced] = {}

    def induce(
        self, X: Any, T: Any, weights: np.ndarray | None, *, ridge: float | None, tt: bool
    ) -> Induced:
        """The sample of all models, from the first that needs it."""
        # Landmark features also serve models without a ridge.
        product_only = ridge is None and self.estimator.n_landmarks is None
        if product_only not in self._made:
            # Use float64, which suits every ridge.
            least = None if product_only else 0.0
            made = induce(self.estimator, X, T, weights, ridge=least, tt=tt)
            statistics = made.statistics
            if isinstance(statistics, Dual) and not product_only:
                self._solver = PathSolver(statistics.K, statistics.T, self.ridges, self.tol)
                made = replace(made, statistics=replace(statistics, solver=self._solver))
            self._made[product_only] = made
        return self._made[product_only]

    @property
    def residual(self) -> float:
        """Largest relative residual of the solves so far; 0 without an (n, n) kernel."""
        return 0.0 if self._solver is None else self._solver.residual
