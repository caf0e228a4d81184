"""The multi-task lasso as a selector, over a path of penalties."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelspan.compat import Interval
from labelspan.gate import check_size, in_dtype
from labelspan.linalg import is_large_sparse
from labelspan.moments import Sample, checked, summarise
from labelspan.selection._scores import FeatureScore
from labelspan.selection.embedded._group_lasso import Problem, Solution, solve


class MultiTaskSelector(FeatureScore):
    r"""Select the features that the multi-task lasso gives a weight.

    .. math:: \min_{W, b} \; \tfrac12 \|X W + 1 b' - Y\|_F^2 + \gamma \sum_j \|w_j\|_2

    with the rows w_j of W (n_features, n_labels): a feature is used for all labels or for none.
    The penalty falls along a path from the smallest gamma whose W is zero, until `n_features`
    features have a weight.

    Parameters
    ----------
    n_features : int, default=10
        Largest number of features to keep: those with the longest rows of W.
    gamma : float or None, default=None
        The penalty, where fewer features may have a weight. None follows the path to the first
        with at least `n_features` weights.
    n_gammas : int, default=50
        Number of penalties on the whole path, at equal ratios.
    smallest : float, default=1/30
        End of the path, as a share of the smallest gamma whose W is zero. With fewer weights
        there, fewer features are kept, with a warning.
    tol : float, default=1e-4
        Duality gap, relative to the objective.
    max_iter : int, default=10000
        Largest number of sweeps over the features per penalty.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        W', on the scale of labels in 0/1.
    gamma_ : float
        The penalty of ``coef_``.
    gammas_ : ndarray of shape (n_steps,)
        The penalties of the path so far.
    norms_ : ndarray of shape (n_steps, n_features)
        Lengths of the rows of W at each: which features enter when.
    gaps_ : ndarray of shape (n_steps,)
        Relative duality gaps at each.
    n_iter_ : int
        Number of sweeps over the whole path.
    scores_ : ndarray of shape (n_features,)
        Lengths of the rows of ``coef_.T``.
    support_ : ndarray of bool, shape (n_features,)
        Features kept; the first ones if no feature has a weight.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the longest row.
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
    The problem is convex, and learnt from the scatters ``xx``, ``xt`` and the trace of ``tt``, so
    from chunks and Dask arrays too; for wide sparse X only the columns of ``xx`` of the features in
    the working set are formed. Block coordinate descent on working sets, extrapolated; features
    that a sphere about the dual point excludes never enter. The certificate is the gap to the dual
    point, the residual times a number: its objective follows from the same sums. Time O(a^2 q) per
    sweep with a working set of a features and O(D a q) per gap, after the sums. scikit-learn's
    ``MultiTaskLasso(alpha)`` is gamma = n alpha.

    References
    ----------
    .. [1] G. Obozinski, B. Taskar and M. I. Jordan, "Joint covariate selection and joint subspace
       selection for multiple classification problems", Statistics and Computing 20, 2010.
    .. [2] E. Ndiaye, O. Fercoq, A. Gramfort and J. Salmon, "Gap safe screening rules for sparsity
       enforcing penalties", Journal of Machine Learning Research 18, 2017.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import MultiTaskSelector
    >>> yeast = load_yeast()
    >>> MultiTaskSelector(5).fit_transform(yeast.X, yeast.Y).shape
    (2417, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features": [Interval(Integral, 1, None, closed="left")],
        "gamma": [None, Interval(Real, 0, None, closed="neither")],
        "n_gammas": [Interval(Integral, 2, None, closed="left")],
        "smallest": [Interval(Real, 0, 1, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }
    _learnt: ClassVar[tuple[str, ...]] = (
        *FeatureScore._learnt, "coef_", "gamma_", "gammas_", "norms_", "gaps_", "n_iter_",
    )  # fmt: skip
    _size: ClassVar[str] = "n_features"
    _nested: ClassVar[bool] = False
    _about_first: ClassVar[bool] = True
    _min_samples: ClassVar[int] = 2

    def __init__(
        self,
        n_features: int = 10,
        *,
        gamma: float | None = None,
        n_gammas: int = 50,
        smallest: float = 1 / 30,
        tol: float = 1e-4,
        max_iter: int = 10_000,
    ):
        self.n_features = n_features
        self.gamma = gamma
        self.n_gammas = n_gammas
        self.smallest = smallest
        self.tol = tol
        self.max_iter = max_iter

    def _chunk_solver(self, n_features: int, n_labels: int) -> str:
        super()._chunk_solver(n_features, n_labels)
        return "scatter"

    def _summarise(self, sample: Sample) -> Any:
        wide = is_large_sparse(sample.X) and not sample.part
        solver = "krylov" if wide else "scatter"
        if solver == "scatter":
            side = sample.X.shape[1], sample.X.shape[1]
            check_size(side, "The scatter matrix of the features", "Drop rare features first.")
        return summarise(replace(sample, solver=solver), tt=True)

    def _learn_pooled(self, statistics: Any, rest: np.ndarray, dtype: np.dtype) -> None:
        super()._learn_pooled(checked(statistics), rest, dtype)

    def _rank(self, sums: Any) -> None:
        super()._rank(sums)
        if self.scores_.any():
            self.support_ &= self.scores_ > 0
        found, wanted = int(self.support_.sum()), min(self.n_features, len(self.scores_))
        if self.gamma is None and 0 < found < wanted:
            warnings.warn(
                f"n_features={self.n_features} is more than the {found} that have a weight at the "
                f"end of the path. Lower smallest={self.smallest:.3g} to keep more.",
                stacklevel=2,
            )

    def _score(self, sums: Any) -> tuple[np.ndarray, np.ndarray]:
        problem = Problem.of(sums)
        D = len(problem.xt)
        path = problem.largest * np.geomspace(1.0, self.smallest, self.n_gammas)
        if self.gamma is not None:
            # Larger penalties lead to it, each solved from the one before.
            path = np.append(path[path > self.gamma], self.gamma)
        last: Solution | None = None
        steps: list[Solution] = []
        for gamma in path:
            last = solve(problem, float(gamma), last, self.tol, self.max_iter)
            steps.append(last)
            if self.gamma is None and len(last.kept) >= min(self.n_features, D):
                break
        assert last is not None
        self.gammas_ = path[: len(steps)].copy()
        self.norms_ = np.stack([step.norms(D) for step in steps])
        self.gaps_ = np.array([step.bounds.gap for step in steps])
        self.n_iter_ = sum(step.n_iter for step in steps)
        self.gamma_ = float(self.gammas_[-1])
        coef = np.zeros((problem.xt.shape[1], D))
        coef[:, last.kept] = last.W.T
        self.coef_ = in_dtype(coef, np.float64, "coef_")
        if self.gaps_.max() > self.tol:
            warnings.warn(
                f"Stopped after max_iter={self.max_iter} sweeps with a relative gap of "
                f"{self.gaps_.max():.2g}, above tol={self.tol:.2g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        scores = self.norms_[-1].copy()
        return scores, scores
