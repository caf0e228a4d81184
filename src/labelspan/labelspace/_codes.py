"""How labels are coded: directions, and the maps from features to codes."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from labelspan.arrays import cast, converted, like, moved_to, namespace, orthonormal, precision_of
from labelspan.gate import in_dtype
from labelspan.linalg import EigenPairs, Regression, leading_sum
from labelspan.moments import score_at, scores_about

# They learn outputs independently, so the first M are those of a fit of M.
SEPARABLE = (LinearRegression, Ridge, KernelRidge, MultiOutputRegressor)


@dataclass(frozen=True)
class Encoding:
    """Directions as columns (q, M) with the values that order them, and the mean of the labels.

    And what was found on the way: the `regression` of all labels, the `coef` (D, M) of the
    codes in it, their fitted `regressor`, `codes` (n, M) that no function of the labels gives, or
    the `ridge` of directions without a regression.
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
            stacklevel=2,
        )
    return EigenPairs(np.zeros(0), np.zeros((n_labels, 0)))


def at_most(n_components: int | None, limit: int, what: str) -> int:
    """Number of codes, limited to the possible number."""
    if n_components is None:
        return limit
    if n_components > limit:
        warnings.warn(
            f"n_components={n_components} is more than the {limit} {what}; {limit} are kept "
            "(see n_components_).",
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


class Codes(ABC):
    """A fitted map to codes that are learnt independently of each other."""

    @abstractmethod
    def predict(self, X: Any) -> np.ndarray:
        """Codes (n, M)."""

    @abstractmethod
    def first(self, M: int) -> Codes:
        """The map to the first M codes."""

    def __sklearn_array_api_convert__(self, convert: Callable[[Any], Any]) -> Any:
        return converted(self, convert)


@dataclass(frozen=True)
class LinearCodes(Codes):
    """r(x) = coef (x - mean) + offset, the least squares of ``regressor=None``: coef (M, D)."""

    mean: np.ndarray
    coef: np.ndarray
    offset: np.ndarray

    @classmethod
    def of(cls, sample: Any, mean: Any, coef: Any, codes: Any) -> LinearCodes:
        """From coefficients (D, M), and the codes (M,) at the exact mean of the sample."""
        # The sums may come from a device.
        mean, coef, codes = (moved_to(sample.X, array) for array in (mean, coef, codes))
        rounded = in_dtype(coef.T, sample.dtype, "The coefficients of the codes")
        return cls(mean, rounded, sample.codes_at_mean(mean, coef, codes))

    @property
    def coef_(self) -> np.ndarray:
        """Coefficients (M, D), under the name that scikit-learn gives them."""
        return self.coef

    @property
    def intercept_(self) -> np.ndarray:
        """Codes of x = 0, (M,)."""
        intercept = score_at(self.mean, -self.coef.T, self.offset)
        return cast(intercept, precision_of(self.coef))

    def predict(self, X: Any) -> np.ndarray:
        """Codes (n, M)."""
        return scores_about(X, self.mean, self.coef, self.offset)

    def first(self, M: int) -> LinearCodes:
        """The same map to the first M codes."""
        return LinearCodes(self.mean, self.coef[:M].copy(), self.offset[:M].copy())

    def times(self, factor: float) -> LinearCodes:
        """The map to codes of another scale."""
        return LinearCodes(self.mean, self.coef * factor, self.offset * factor)


@dataclass(frozen=True)
class FirstCodes(Codes):
    """The first M outputs of a regressor that was fitted to more, perhaps in another scale."""

    regressor: Any
    n_fitted: int
    M: int
    factor: float = 1.0

    def predict(self, X: Any) -> np.ndarray:
        """Codes (n, M)."""
        return self.factor * predict_codes(self.regressor, X, self.n_fitted)[:, : self.M]

    def first(self, M: int) -> FirstCodes:
        """The first M outputs of the same regressor."""
        return replace(self, M=M)

    def times(self, factor: float) -> FirstCodes:
        """The map to codes of another scale."""
        return replace(self, factor=factor * self.factor)


def fit_regressor(regressor: Any, X: Any, T: np.ndarray, weights: np.ndarray | None) -> Any:
    """Fit a clone of `regressor` to the codes T (n, M), one clone per code if it takes only one."""
    model = clone(regressor)
    if not get_tags(model).target_tags.multi_output:
        model = MultiOutputRegressor(model)
    return model.fit(X, T) if weights is None else model.fit(X, T, sample_weight=weights)


def takes_weights(learner: Any) -> bool:
    """Whether ``fit`` takes sample weights; for a wrapper, that of the inner estimator."""
    if isinstance(learner, MultiOutputRegressor | MultiOutputClassifier):
        learner = learner.estimator
    return has_fit_parameter(learner, "sample_weight")


def predict_codes(regressor: Any, X: Any, M: int) -> np.ndarray:
    """Codes (n, M); a regressor may return one code as a 1-d array."""
    T = regressor.predict(X)
    T = namespace(T).asarray(T)
    if T.ndim == 1 and M == 1:
        T = T[:, None]
    if T.shape != (X.shape[0], M):
        raise ValueError(
            f"The regressor returned an array of shape {T.shape}; expected ({X.shape[0]}, {M}), "
            "one column per code. Wrap it: sklearn.multioutput.MultiOutputRegressor(regressor)."
        )
    return T


def first_codes(regressor: Any, n_fitted: int, M: int) -> Any:
    """Reduce a fitted regressor to its first M outputs; refuse if a fit of M would differ."""
    if isinstance(regressor, Codes):
        return regressor.first(M)
    last = regressor[-1] if isinstance(regressor, Pipeline) else regressor
    if not isinstance(last, SEPARABLE):
        raise ValueError(
            f"truncate needs a regressor whose outputs are learnt independently: None, "
            f"{', '.join(kind.__name__ for kind in SEPARABLE)} or a Pipeline that ends in one; "
            f"this is {type(last).__name__}. Set n_components={M} and fit again, or wrap it: "
            "sklearn.multioutput.MultiOutputRegressor(regressor)."
        )
    return FirstCodes(regressor, n_fitted, M)
