"""Partial least squares on the labels, from sums over the rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from labelspan.base import (
    AGAIN,
    ALPHA,
    LINEAR,
    SIGNIFICANT,
    THRESHOLD,
    Chunked,
    n_significant,
    p_values_of_scores,
    refused_when_significant,
    with_fewer,
)
from labelspan.compat import Interval, StrOptions
from labelspan.gate import Labels
from labelspan.linalg import Components, Route, fix_signs, partial_least_squares, route_of
from labelspan.moments import CentredRows, Sample, anchored, checked, summarise
from labelspan.subspace._base import SubspaceClassifier


class LabelPLS(Chunked, SubspaceClassifier):
    r"""Uncorrelated scores of largest covariance with the labels, and the regression on them.

    .. math:: w_a = \arg\max_{\|w\| = 1} \|S_a'X_c w\|^2, \qquad
              t_a = X_c r_a, \quad S_{a+1} = S_a - t_a c_a'

    where :math:`S_1 = S_c`, S = 2Y - 1 in {-1, +1}, :math:`r_a` is :math:`w_a` made uncorrelated
    with the earlier scores, and :math:`c_a` regresses S on :math:`t_a`: the PLS2 of scikit-learn's
    ``PLSRegression(scale=False)``, found from ``xx`` and ``xt`` by improved kernel PLS no. 2 [1]_
    instead of from the rows. (SIMPLS is another algorithm, and for more than one label another
    model.) A label is predicted if its score is positive.

    Parameters
    ----------
    n_components : int or "significant", default=10
        Number of directions; fewer, with a warning, if those explain the labels completely.
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.
    alpha : float, default=0.05
        Level of the tests for ``n_components="significant"``, which keeps the directions before the
        first that noise would explain, see `p_values_`; rows in memory.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions r_a; the scores ``transform`` gives are uncorrelated.
    label_loadings_ : ndarray of shape (n_labels, n_components_)
        c_a: the regression on the first k scores has the coefficients
        ``label_loadings_[:, :k] @ components_[:k]``.
    coef_ : ndarray of shape (n_labels, n_features)
        Weights on the scale of -1 and +1.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_components_ : int
        Number of directions found.
    solver_ : str
        Solver that was used, see :func:`labelspan.linalg.choose_solver`; "krylov" for all sparse
        X in memory.
    p_values_ : ndarray of shape (n_tested,)
        With ``n_components="significant"``: for each direction up to the first above `alpha`, the
        p-value of the dependence that earlier scores and their loadings leave, against all orders
        of the rows of labels; never below that of the direction before.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if `y` was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    Notes
    -----
    Time O(n D^2 + k D (D + q)) and memory O(D^2 + D q) for k directions; if n < D, replace D by n.
    For a sparse X in memory, ``xx`` is never formed: O(k (nnz(X) + D q)) and O(D q). Each direction
    also takes the leading eigenvector of a matrix of min(D, q) rows.

    References
    ----------
    .. [1] B. S. Dayal and J. F. MacGregor, "Improved PLS algorithms", Journal of Chemometrics
       11(1), 1997.

    Examples
    --------
    >>> from labelspan import LabelPLS
    >>> from labelspan.datasets import load_yeast
    >>> yeast = load_yeast()
    >>> model = LabelPLS(n_components=5).fit(yeast.X, yeast.Y)
    >>> model.transform(yeast.X).shape, model.predict(yeast.X).shape
    ((2417, 5), (2417, 14))
    >>> model.truncate(3).coef_.shape
    (14, 103)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({SIGNIFICANT})],
        "alpha": ALPHA,
    }
    _learnt: ClassVar[tuple[str, ...]] = (
        *LINEAR, "components_", "label_loadings_", "mean_", "n_components_", "solver_",
    )  # fmt: skip
    components_: np.ndarray
    label_loadings_: np.ndarray

    def __init__(
        self,
        n_components: int | str = 10,
        *,
        threshold: float | str = "paper",
        alpha: float = 0.05,
    ):
        self.n_components = n_components
        self.threshold = threshold
        self.alpha = alpha

    def truncate(self, n_components: int) -> LabelPLS:
        """The same model with its first directions only, without a fit.

        Parameters
        ----------
        n_components : int
            From 1 to ``n_components_``.

        Returns
        -------
        LabelPLS
            A new fitted estimator, as ``fit`` with this parameter would give.
        """
        shorter = with_fewer(self, n_components, 1)
        R = self.components_[:n_components].T.astype(np.float64)
        C = self.label_loadings_[:, :n_components].astype(np.float64)
        shorter._keep_pooled(self.coef_.dtype, R @ C.T, self._mean, self._level, 0.0 * self._mean)
        shorter._keep_components(R, C, self.solver_)
        return shorter

    @property
    def _basis(self) -> np.ndarray:
        return self.components_

    def _needs_rows(self) -> str:
        return AGAIN if self.n_components == SIGNIFICANT else ""

    def _refusals(self) -> dict[str, str]:
        return refused_when_significant(self.n_components)

    def _chunk_ridges(self) -> tuple[float, ...]:
        # There is no ridge, but xx itself is needed, not its factor.
        return (1.0,)

    def _learn(self, X: Any, labels: Labels) -> None:
        scatter: Callable[[np.ndarray], np.ndarray]
        if sparse.issparse(X):
            route = Route(Sample(X, labels.Y, "thin", labels.weights), "krylov")
            statistics: Any = summarise(route.sample, signed=True)
            scatter = partial(by_rows, CentredRows(anchored(X)[0], labels.weights))
        else:
            route = route_of(X, labels.Y, labels.weights, advice="Select features first.")
            statistics = summarise(route.sample, signed=True)
            scatter = statistics.xx.__matmul__
        self.__dict__.pop("p_values_", None)
        if self.n_components == SIGNIFICANT:
            found = self._significant(X, labels, route, scatter, statistics.xt)
        else:
            found = partial_least_squares(scatter, statistics.xt, int(self.n_components))
        R, mean = route.lift(found.R), route.mean(statistics.x_mean)
        self._keep_about(X, R @ found.C.T, mean, statistics.t_mean, labels.weights)
        self._keep_components(R, found.C, route.solver)

    def _significant(
        self, X: Any, labels: Labels, route: Route, scatter: Any, xt: np.ndarray
    ) -> Components:
        """The directions before the first that is not significant."""
        with warnings.catch_warnings():
            # As many as there are.
            warnings.simplefilter("ignore", UserWarning)
            most = min(X.shape[0] - 1, *xt.shape)
            found = partial_least_squares(scatter, xt, most)
        given = X, labels.Y, labels.weights, route, found
        self.p_values_ = p_values_of_scores(*given, self.alpha)
        k = n_significant(self.p_values_, self.alpha)
        return Components(found.R[:, :k], found.C[:, :k], found.values[:k])

    def _learn_pooled(self, statistics: Any, rest: np.ndarray, dtype: np.dtype) -> None:
        self.__dict__.pop("p_values_", None)
        moments = checked(statistics).signed()
        n_components = int(self.n_components)
        found = partial_least_squares(moments.xx.__matmul__, moments.xt, n_components)
        self._keep_pooled(dtype, found.R @ found.C.T, moments.x_mean, moments.t_mean, rest)
        self._keep_components(found.R, found.C, self._chunks.pool.solver)

    def _keep_components(self, R: np.ndarray, C: np.ndarray, solver: str) -> None:
        dtype = self.coef_.dtype
        components = fix_signs(np.array(R.T, order="C"))
        signs = np.sign(np.sum(components * R.T, axis=1))
        self.components_ = components.astype(dtype)
        self.label_loadings_ = np.array(C * signs, dtype=dtype)
        self.mean_ = self._mean.astype(dtype)
        self.n_components_ = len(components)
        self.solver_ = solver


def by_rows(rows: CentredRows, r: np.ndarray) -> np.ndarray:
    """Multiply with xx through the rows themselves."""
    return rows.rmatvec(rows.matvec(r))
