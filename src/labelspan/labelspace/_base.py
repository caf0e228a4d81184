"""The abstract parent of the classifiers that learn short codes of the labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import (
    cast,
    dense,
    empty,
    like,
    moved_to,
    namespace,
    precision_of,
    rows_at,
    sums,
)
from labelspan.base import RIDGE, THRESHOLD, Chunked, LabelClassifier, decide, with_fewer
from labelspan.compat import HasMethods, Interval
from labelspan.gate import (
    Labels,
    check_features,
    check_labels,
    label_tags,
    refuse_other_names,
)
from labelspan.labelspace._codes import (
    Encoding,
    LinearCodes,
    first_codes,
    fit_regressor,
    predict_codes,
    takes_weights,
)
from labelspan.labelspace._topk import leading_columns
from labelspan.labelspace._training import TrainingRows, TrainingSums
from labelspan.linalg import AUTO, Regression, pooled
from labelspan.moments import BLOCK_BYTES
from labelspan.registry import IN_MEMORY, ON_HOST

COUNT: list[Any] = [Interval(Integral, 0, None, closed="left"), None]
COUNT_OR_SHARE: list[Any] = [*COUNT, Interval(Real, 0, 1, closed="neither")]
COMMON: dict[str, list[Any]] = {
    "threshold": THRESHOLD,
    "n_components": COUNT,
    "regressor": [HasMethods(["fit", "predict"]), None],
    "ridge": RIDGE,
}
CODE_THRESHOLD = 0.5


class Errors(NamedTuple):
    """The two parts of bound (1) of Chen and Lin (2012) and their sum, on some rows.

    Attributes
    ----------
    encoding : float
        ``||Z - Z V'V||^2``: the part of the labels that the codes do not hold. For
        CompressedSensing the squared norm of Y - decode(encode(Y)).
    prediction : float
        ``||r(X) - Z V'||^2``: how far the predicted codes are from the true ones.
    bound : float
        The sum. With n rows and q labels, 4 / (n q) times it bounds the Hamming loss (their c),
        if the directions are orthonormal.
    """

    encoding: float
    prediction: float
    bound: float


class LabelSpaceClassifier(Chunked, LabelClassifier):
    """Code the labels, regress the codes on the features, decode the predictions.

    A method finds the directions that code the labels (``_encoding``) and defines how a code
    becomes scores (``_decode``). This class does the rest, for rows and for chunks.
    ``decision_function`` is the score minus 0.5, so that positive means predicted.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = COMMON
    # Whether the codes are Z V' with orthonormal V, as in the paper, or codes of Y itself.
    _centred: ClassVar[bool] = True
    _learnt: ClassVar[tuple[str, ...]] = (
        "components_",
        "eigenvalues_",
        "n_components_",
        "label_mean_",
        "ridge_",
        "regressor_",
    )

    def __init__(
        self,
        n_components: Any = None,
        *,
        regressor: Any = None,
        ridge: float | str = "auto",
        threshold: float | str = "paper",
    ):
        self.n_components = n_components
        self.regressor = regressor
        self.ridge = ridge
        self.threshold = threshold

    @abstractmethod
    def _encoding(self, sample: Any) -> Encoding:
        """Find the directions from :class:`TrainingRows` or :class:`TrainingSums`."""

    def _decode(self, T: np.ndarray) -> np.ndarray:
        """Scores (n, q) of codes (n, M); a label with a score above 0.5 is predicted."""
        return linear_scores(T, self.components_, self.label_mean_)

    def _learn(self, X: Any, labels: Labels) -> None:
        self._learn_codes(TrainingRows.of(X, labels))

    def _needs_rows(self) -> str:
        if self.regressor is None:
            return ""
        return (
            f"regressor={type(self.regressor).__name__}(...) learns from the rows, which a chunk "
            "does not keep. Set regressor=None for least squares, or use fit."
        )

    def _chunk_ridges(self) -> tuple[float | str, ...]:
        return (self.ridge,)

    def _learn_pooled(self, statistics: Any, rest: np.ndarray, dtype: np.dtype) -> None:
        n_rows = self._chunks.pool.n_rows
        self._learn_codes(TrainingSums(pooled(statistics), rest, n_rows, dtype))

    def _learn_codes(self, sample: Any) -> None:
        """Encode, and regress the codes: the one path of all methods and kinds of input."""
        found = self._encoding(sample)
        self.components_ = cast(found.pairs.vectors.T, sample.dtype, copy=True)
        self.eigenvalues_ = np.array(found.pairs.values, dtype=np.float64)
        self.n_components_ = self.components_.shape[0]
        self.label_mean_ = cast(found.label_mean, sample.dtype, copy=True)
        if "label_scatter_clipped_" in self._learnt:
            clipped = 0.0 if found.regression is None else found.regression.tt_clipped
            self.label_scatter_clipped_ = float(clipped)
        ridge: Any = found.ridge if found.regression is None else found.regression.ridges[0]
        # Of other regressors, a ridge is neither needed nor chosen.
        ridge = self.ridge if ridge is None else ridge
        self.ridge_ = None if ridge == AUTO else float(ridge)
        self.regressor_ = self._regress(sample, found)

    def _all_labels(self, sample: Any) -> Regression | None:
        """The regression of all labels on X, unless one of the codes alone costs less."""
        if self.regressor is None and sample.all_labels_first:
            return sample.regress(self.ridge, tt=self._scatter)
        return None

    def _regress(self, sample: Any, found: Encoding) -> Any:
        """The regression of the codes, as far as the encoding has not brought it."""
        V = found.pairs.vectors.T
        if self.regressor is not None and V.shape[0]:
            codes = self._encode(sample.Y) if found.codes is None else found.codes
            return fit_regressor(self.regressor, sample.X, codes, sample.weights)
        if found.regressor is not None:
            return found.regressor
        if V.shape[0] == 0:
            D = sample.shape[1]
            return LinearCodes(np.zeros(D), np.zeros((0, D), sample.dtype), np.zeros(0))
        if found.regression is not None:
            mean = found.regression.x_mean
            coef = found.regression.coefficients(V) if found.coef is None else found.coef
        else:
            # Codes up to a constant, which the regression removes.
            targets = sample.Y @ like(sample.Y, V.T)
            # The ridge is that of all labels, so that it does not depend on the number of codes.
            self.ridge_ = sample.ridge(self.ridge)
            direct = sample.regress(self.ridge_, targets=targets)
            mean, coef = direct.x_mean, direct.coefficients()
        level = np.zeros(V.shape[0])
        if not self._centred:
            level = moved_to(sample.X, V) @ moved_to(sample.X, found.label_mean)
        return LinearCodes.of(sample, mean, coef, level)

    def encode(self, Y: Any) -> np.ndarray:
        """Codes of labels.

        Parameters
        ----------
        Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
            Labels in any form that ``fit`` accepts.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            ``(Y - label_mean_) @ components_.T`` (without the mean for methods that do not
            centre).
        """
        check_is_fitted(self)
        return self._encode(self._check_labels(Y))

    def decode(self, T: Any) -> np.ndarray:
        """Scores of codes.

        Parameters
        ----------
        T : array-like of shape (n_samples, n_components_)
            Codes.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Scores; above 0.5 the label is predicted.
        """
        check_is_fitted(self)
        V = self.components_
        T = cast(like(V, namespace(T).asarray(T)), precision_of(V))
        if T.ndim != 2 or T.shape[1] != self.n_components_:
            raise ValueError(
                f"T has shape {T.shape}; expected (n_samples, {self.n_components_}), one column "
                "a component. Make it with encode(Y)."
            )
        return self._decode(T)

    def predict_topk(self, X: Any, k: int = 5) -> np.ndarray:
        """Columns of the k labels with the highest scores, best first.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features.
        k : int, default=5
            Number of labels per row, from 1 to n_labels.

        Returns
        -------
        ndarray of int of shape (n_samples, k)
            Label columns; on ties the first column comes first. Scores are computed for one block
            of rows at a time.
        """
        check_is_fitted(self)
        n_labels = self._n_labels
        if not isinstance(k, Integral) or not 1 <= k <= n_labels:
            raise ValueError(f"k={k!r}; expected an integer from 1 to {n_labels}, the labels.")
        T = self._predict_codes(X)
        chosen = empty(T, (T.shape[0], int(k)), np.int64)
        for rows in self._row_blocks(T.shape[0]):
            chosen[rows, :] = leading_columns(self._decode(rows_at(T, rows)), int(k))
        return chosen

    def errors(self, X: Any, Y: Any) -> Errors:
        """Encoding error, prediction error and bound (1) on some rows.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features.
        Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
            Their labels.

        Returns
        -------
        Errors
            ``encoding``, ``prediction`` and ``bound``, their sum.
        """
        T, indicators = self._predict_codes(X), self._check_labels(Y)
        if T.shape[0] != indicators.shape[0]:
            raise ValueError(
                f"X has {T.shape[0]} rows, Y has {indicators.shape[0]}; expected one row of Y for "
                "each row of X."
            )
        codes = self._encode(indicators)
        encoding = 0.0
        for rows in self._row_blocks(codes.shape[0]):
            kept = self._reconstruct(rows_at(codes, rows))
            residual = like(kept, dense(indicators[rows])) - kept
            encoding += float(sums(residual * residual))
        gap = cast(T - codes, np.float64)
        prediction = float(sums(gap * gap))
        return Errors(encoding, prediction, encoding + prediction)

    def truncate(self, M: int) -> Any:
        """The same model with its first M components, without a fit.

        Parameters
        ----------
        M : int
            From 0 to ``n_components_``.

        Returns
        -------
        object
            A new fitted estimator with ``n_components=M``, as ``fit`` with it would give.
        """
        shorter = with_fewer(self, M, 0, "M")
        shorter.components_ = self.components_[:M].copy()
        shorter.eigenvalues_ = self.eigenvalues_[:M].copy()
        shorter.n_components_ = int(M)
        shorter.regressor_ = first_codes(self.regressor_, self.n_components_, int(M))
        shorter._cut_from(self.n_components_)
        return shorter

    def _cut_from(self, n_fitted: int) -> None:
        """Adapt a truncated model, for methods whose components depend on their number."""

    def _encode(self, Y: Any) -> np.ndarray:
        V: Any = self.components_
        codes = like(V, Y) @ cast(V, np.float64).T
        if self._centred:
            codes = codes - V @ self.label_mean_
        return cast(codes, precision_of(V))

    def _reconstruct(self, T: np.ndarray) -> np.ndarray:
        """Y reconstructed from its codes: T V + mean, or the recovery if V is not orthonormal."""
        if not self._centred:
            return self._decode(T)
        return linear_scores(T, self.components_, self.label_mean_)

    def _predict_codes(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._codes(check_features(self, X))

    def _scores(self, X: Any) -> np.ndarray:
        """Scores (n, q) of checked features, minus the threshold."""
        scores = self._decode(self._codes(X))
        scores -= CODE_THRESHOLD
        return scores

    def _decisions(self, X: Any) -> Iterator[np.ndarray]:
        # With many labels the scores of all rows would not fit.
        T = self._codes(X)
        for rows in self._row_blocks(T.shape[0]):
            yield decide(self, self._decode(rows_at(T, rows)), CODE_THRESHOLD + self._cut(X))

    def _codes(self, X: Any) -> np.ndarray:
        return cast(predict_codes(self.regressor_, X, self.n_components_), precision_of(X))

    def _check_labels(self, Y: Any) -> Any:
        known = self.classes_ if self._one_dimensional else None
        labels = check_labels(Y, known, soft=label_tags(self).takes("soft_labels"))
        indicators = labels.Y
        if indicators.shape[1] != self._n_labels:
            raise ValueError(
                f"Y has {indicators.shape[1]} labels, but {type(self).__name__} was fitted with "
                f"{self._n_labels}; pass the same label columns."
            )
        refuse_other_names(getattr(self, "label_names_", None), labels.names)
        return indicators

    def _row_blocks(self, n_rows: int) -> Iterator[slice]:
        """Slices of rows whose scores take about BLOCK_BYTES."""
        height = max(BLOCK_BYTES // (8 * self._n_labels), 1)
        return (slice(a, min(a + height, n_rows)) for a in range(0, n_rows, height))

    def _is_pairwise(self) -> bool:
        if self.regressor is not None and get_tags(self.regressor).input_tags.pairwise:
            return True
        return super()._is_pairwise()

    def _refusals(self) -> dict[str, str]:
        if self.regressor is None:
            return {}
        name = type(self.regressor).__name__
        refused = {
            "device": ON_HOST,
            "dask": f"with regressor={name} {IN_MEMORY}: only regressor=None learns from blocks",
            "missing_labels": f"with regressor={name} it learns the codes of rows, and that of a "
            "row with a hole is not known: only regressor=None learns from available cases",
        }
        if not takes_weights(self.regressor):
            refused["sample_weight"] = f"its regressor, {name}, takes none"
        return refused


def linear_scores(T: np.ndarray, V: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Round-based decoding before rounding: T V + shift, in the dtype of T."""
    dtype = precision_of(T)
    scores = T @ cast(V, dtype)
    scores += cast(shift, dtype)
    return scores
