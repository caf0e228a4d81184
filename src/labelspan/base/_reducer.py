"""The abstract parent of all linear feature extractors."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from functools import partial
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import (
    cast,
    dense,
    is_dask_array,
    like,
    place_fitted,
    precision_of,
)
from labelspan.base._chunked import Chunked
from labelspan.base._significant import (
    AGAIN,
    SIGNIFICANT,
    n_significant,
    p_values_of,
    refused_when_significant,
)
from labelspan.compat import Interval, StrOptions, fit_context
from labelspan.gate import (
    Labels,
    by_blocks,
    check_fit,
    check_projections,
    fitting,
    in_dtype,
    mask_unobserved,
    of_rows,
    remember_names,
)
from labelspan.linalg import (
    AUTO,
    EigenPairs,
    Pencil,
    Route,
    route_of,
    signed_rows,
    solve,
    solver_that_fits,
    warn_if_rows_fit,
    with_chosen_ridge,
)
from labelspan.moments import Root, Sample, Statistics, checked, project, summarise

# Advice for when the D x D scatter matrix does not fit in memory.
ADVICE = (
    "For a small integer n_components, fit X in memory, or as a Dask array, which may be read more "
    "than once. Otherwise use MDDM(constraint='projection'), or select features first."
)

OVERFLOW = (
    "The sums of squares of X overflow: its values are too large for float64. "
    "Scale X first, e.g. by sklearn.preprocessing.StandardScaler."
)

N_COMPONENTS: list[Any] = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, 1, closed="neither"),
    None,
]

N_SIGNIFICANT: list[Any] = [*N_COMPONENTS, StrOptions({SIGNIFICANT})]

RIDGE: list[Any] = [StrOptions({AUTO}), Interval(Real, 0, None, closed="left")]


class LinearReducer(
    Chunked,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Linear map to the leading directions of a generalised eigenproblem.

    A method is a formula, ``_pencil``; this class does the rest. It defines ``_summarise`` if it
    needs other sums than the moments of X and labels, and ``_directions`` if it solves another
    problem.
    """

    # Whether one pass over the data suffices, so that partial_fit is exact.
    _one_pass: ClassVar[bool] = True
    _learnt: ClassVar[tuple[str, ...]] = (
        "components_", "eigenvalues_", "mean_", "n_components_", "explained_dependence_ratio_",
        "solver_",
    )  # fmt: skip
    # Whether the moments include the label scatter, which changes others if labels are missing.
    _label_scatter: ClassVar[bool] = False
    # The fitted parameter of the metric (a, b) that may be chosen: "mu_" is a, "ridge_" is b.
    _chosen: ClassVar[str] = ""
    # Whether directions have P'(xx + b / a I)P = n I for the metric a xx + b I: projections of the
    # training rows then have a variance of about 1.
    _unit_variance: ClassVar[bool] = False
    # The name of the ridge in the warning about fits without one.
    _ridge_name: ClassVar[str] = "ridge"

    n_components: Any
    components_: np.ndarray
    n_components_: int
    explained_dependence_ratio_: np.ndarray
    # Level of the tests of the directions, where "significant" is a choice.
    alpha: float

    @abstractmethod
    def _pencil(self, shape: tuple[int, int]) -> Pencil:
        """The eigenproblem, for labels (n, q); refuses parameters that do not fit this shape."""

    def _targets(self, labels: Labels) -> Labels:
        """What takes the place of the labels (n, q) in the moments."""
        return labels

    def _summarise(self, sample: Sample) -> Statistics:
        """Statistics of the sample; Poolable if ``_one_pass``."""
        return summarise(sample, tt=self._label_scatter)

    def _directions(self, statistics: Any, pencil: Pencil) -> EigenPairs:
        """Eigenpairs from the statistics, with as many vectors as ``n_components`` requires."""
        return solve(pencil, statistics, self.n_components)

    def _refusals(self) -> dict[str, str]:
        return refused_when_significant(self.n_components)

    def _solved(self, statistics: Any, pencil: Pencil) -> tuple[EigenPairs, Pencil]:
        """The eigenpairs, and the pencil with the ridge that was chosen for it."""
        weight = statistics.weight
        if callable(pencil.metric):
            pencil, statistics = with_chosen_ridge(pencil, statistics)
        pairs = self._directions(statistics, pencil)
        if self._unit_variance:
            pairs = pairs.of_unit_variance(weight, pencil.metric[0])
        return pairs, pencil

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, observed: Any = None
    ) -> LinearReducer:
        """Find the directions.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features. Sparse input is never made dense; for a Dask array, only sums leave the
            workers.
        y : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_labels)
            Label indicators in {0, 1}, bool or {-1, +1}; soft labels in [0, 1], where the method
            takes them, and NaN for labels that are not observed likewise; a 1-d y of classes is one
            label for two classes and one label per class for more.
        sample_weight : array-like or Dask array of shape (n_samples,), number or None, default=None
            Non-negative row weights: a row of weight k counts as k rows, one of weight 0 as none.
            None means a weight of 1 each.
        observed : array-like or sparse matrix of bool, (n_samples, n_labels), or None, default=None
            Which labels of a sparse `y` are observed, where not all of them are. The labels are
            then made dense.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        y = y if observed is None else mask_unobserved(y, observed)
        with fitting(self, "_chunks", *self._learnt):
            X, labels = check_fit(self, X, y, sample_weight)
            remember_names(self, labels)
            labels = self._targets(labels)
            pencil = self._pencil(labels.Y.shape)
            (n, D), q = X.shape, labels.Y.shape[1]
            needs = pencil.needs(n, D, q, self.n_components)
            needs["missing"] = labels.missing
            route = route_of(X, labels.Y, labels.weights, advice=ADVICE, **needs)
            with np.errstate(over="ignore", invalid="ignore"):
                statistics = self._summarise(route.sample)
            solved = self._learn(statistics, pencil, route, precision_of(X), X.shape[0])
            if self.n_components == SIGNIFICANT:
                K = solved.K(statistics) if callable(solved.K) else solved.K
                given = X, labels.Y, labels.weights, route, solved, K
                self._keep_significant(p_values_of(*given, self.alpha))
            place_fitted(self, X)
        return self

    def _keep_significant(self, p_values: np.ndarray) -> None:
        """Keep the directions before the first that is not significant."""
        k = min(n_significant(p_values, self.alpha), self.n_components_)
        self.p_values_ = p_values
        self.components_ = self.components_[:k].copy()
        self.n_components_ = k
        self.explained_dependence_ratio_ = self.explained_dependence_ratio_[:k].copy()

    def transform(self, X: Any) -> Any:
        """Project: ``(X - mean_) @ components_.T``.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_components_), or a lazy Dask array for one
            Projections, float32 for float32 input.
        """
        return of_rows(self, X, self._project, lambda: self.n_components_)

    def _project(self, X: Any) -> np.ndarray:
        return project(X, self.mean_, self.components_)

    def inverse_transform(self, X: Any) -> Any:
        """Reconstruct features from projections, by least squares.

        Among all rows with the given projections, this returns the one nearest to the mean:
        ``mean_ + X @ pinv(components_).T``, which is ``mean_ + X @ components_`` for orthonormal
        directions. With all D directions it is the inverse of ``transform``; with fewer,
        ``transform`` is the inverse of it.

        Parameters
        ----------
        X : array-like, frame or Dask array of shape (n_samples, n_components_)
            Projections, as returned by ``transform``.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or a lazy Dask array for one
            Features, dense, float32 for float32 input.
        """
        check_is_fitted(self)
        X = check_projections(X, self.n_components_)
        back = pseudo_inverse(dense(self.components_))
        rebuild = partial(reconstruct, mean=self.mean_, back=back)
        return by_blocks(X, rebuild, len(back)) if is_dask_array(X) else rebuild(X)

    def _needs_rows(self) -> str:
        if self.n_components == SIGNIFICANT:
            return AGAIN
        if self._one_pass:
            return ""
        return (
            "it needs the whole sample more than once. "
            "Use fit, which takes memory maps and, for every method but LPP, Dask arrays."
        )

    def _chunk_solver(self, n_features: int, n_labels: int) -> str:
        pencil = self._pencil((0, n_labels))
        needs = pencil.needs(0, n_features, n_labels, self.n_components)
        needs |= {"sparse": False, "streamed": True}
        return solver_that_fits(0, n_features, n_labels, advice=ADVICE, **needs)

    def _learn_pooled(self, statistics: Any, rest: np.ndarray, dtype: np.dtype) -> None:
        pool = self._chunks.pool
        route = Route(Sample(None, None), pool.solver)
        pencil = self._pencil((pool.n_rows, pool.shape[1]))
        self._learn(checked(statistics), pencil, route, dtype, pool.n_rows)

    def _learn(
        self, statistics: Any, pencil: Pencil, route: Route, dtype: Any, n_rows: int
    ) -> Pencil:
        """Set the fitted attributes; return the pencil with the ridge that was chosen."""
        self.__dict__.pop("p_values_", None)
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(statistics.squares).all():
                raise ValueError(OVERFLOW)
        if isinstance(statistics, Root):
            warn_if_rows_fit(statistics, n_rows, self._ridge_name)
        pairs, pencil = self._solved(statistics, pencil)
        if self._chosen:
            setattr(self, self._chosen, float(pencil.metric[self._chosen == "ridge_"]))
        mean = statistics.x_mean
        if route.wide is not None:
            pairs, mean = pairs.mapped(route.lift), route.mean(mean)
        self.components_ = in_dtype(signed_rows(pairs.vectors), dtype, "components_")
        self.eigenvalues_ = np.array(pairs.values, dtype=np.float64)
        self.mean_ = cast(mean, dtype, copy=True)
        self.n_components_ = self.components_.shape[0]
        if pairs.total is not None:
            shares = self.eigenvalues_[: self.n_components_] / pairs.total
            # Directions that complete these explain none of it.
            self.explained_dependence_ratio_ = np.pad(shares, (0, self.n_components_ - len(shares)))
        self.solver_ = route.solver
        if "label_scatter_clipped_" in self._learnt:
            self.label_scatter_clipped_ = getattr(statistics, "tt_clipped", 0.0)
        return pencil

    _n_features_out = property(attrgetter("n_components_"))


def pseudo_inverse(components: np.ndarray) -> np.ndarray:
    """Pinv(components) (D, k), in float64, of rows scaled to unit length: a short one counts."""
    rows = components.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    return linalg.pinv(rows / lengths[:, None], check_finite=False) / lengths


def reconstruct(T: np.ndarray, mean: np.ndarray, back: np.ndarray) -> np.ndarray:
    """Mean + T back', in the dtype of T."""
    dtype = precision_of(T)
    return T @ cast(like(T, back.T), dtype) + cast(like(T, mean), dtype)
