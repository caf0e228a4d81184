"""Column subset selection of the labels (ML-CSSP)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.utils import check_random_state, get_tags

from labelspan.arrays import dense
from labelspan.base import THRESHOLD, label_presence
from labelspan.compat import HasMethods, StrOptions
from labelspan.gate import Labels
from labelspan.labelspace._base import COMMON, LabelSpaceClassifier
from labelspan.labelspace._codes import Codes, Encoding, at_most, no_direction, takes_weights
from labelspan.linalg import EPS, EigenPairs, leading_sum
from labelspan.registry import IN_MEMORY

# They learn labels one by one, so the first M are those of a fit of M.
SEPARABLE = (MultiOutputClassifier, OneVsRestClassifier)


class LabelSubset(LabelSpaceClassifier):
    r"""Learn M of the labels and decode the others from them (ML-CSSP).

    .. math:: \min_{|C| = M} \|Y - Y_C Y_C^+ Y\|_F^2

    Bi and Kwok [1]_: the codes are M of the labels themselves, so that any classifier learns
    them, and :math:`Y_C^+ Y = (Y'Y)_{CC}^+ (Y'Y)_C` decodes all labels. The best C is hard to
    find; both selections here are approximate.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of labels M to learn; None for the rank of Y. A larger number warns;
        ``n_components_`` holds the number kept. 0 predicts no label.
    selection : {"pivoted", "leverage"}, default="pivoted"
        "pivoted" takes the label that those before explain least: a pivoted Cholesky factor of Y'Y,
        or pivoted QR of Y. Deterministic and nested. "leverage" draws the labels, as published,
        with probabilities in proportion to the squared lengths of the rows of the M leading
        eigenvectors of Y'Y.
    classifier : classifier or None, default=None
        Learns the M labels: any scikit-learn classifier; one for a single label is fitted
        once per label. Its probabilities are decoded if it has them, else its predictions.
        None means least squares on the labels, from sufficient statistics.
    random_state : int, RandomState or None, default=None
        Draws the labels of "leverage".
    threshold : {"paper", "auto"} or float, default="paper"
        The score above which a label is predicted. "paper" is the rule of the method; "auto" has
        the best micro-F1 of held-out scores of five folds, see :class:`ThresholdTuner`.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_components_,)
        Columns of Y that are learnt, in the order of their selection.
    decoding_ : ndarray of shape (n_components_, n_labels)
        Weights of the learnt labels in the scores of all labels; for the learnt ones themselves
        the identity.
    ridge_ : float or None
        The ridge of the least squares, where there is one.
    components_ : ndarray of shape (n_components_, n_labels)
        Rows of the identity: the labels that are learnt.
    eigenvalues_ : ndarray
        For "pivoted", the squared length of the part of each learnt label that those before do not
        explain, descending. For "leverage", empty.
    label_mean_ : ndarray of shape (n_labels,)
        Mean of the training labels.
    regressor_ : object
        Predicts the learnt labels: least squares, with ``coef_`` and ``intercept_``; or an object
        with the fitted classifier as ``classifier``.
    n_components_ : int
        Number of labels M that are learnt.
    classes_ : ndarray of shape (n_classes,) or (n_labels, 2)
        Classes of a 1-d `y`; otherwise [0, 1] for each label.
    label_names_ : ndarray of str
        Names of the labels, if y was a frame.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X was a frame with string column names.

    See Also
    --------
    PartialBinaryRelevance : M random labels; the others are predicted absent.

    Notes
    -----
    Y is not centred, as in the paper. Time O(nnz(Y) c + q M^2) for "pivoted" and
    O(nnz(Y) c + q^3) for "leverage", with c labels per row; memory O(q^2). Decoding takes
    O(M q) per row. Bound (1) of Chen and Lin does not hold for ``errors``: the decoding is not
    orthonormal. ``truncate`` needs "pivoted", and a classifier whose labels are learnt
    independently.

    References
    ----------
    .. [1] W. Bi and J. T. Kwok, "Efficient multi-label classification with many labels",
       ICML 2013.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.labelspace import LabelSubset
    >>> yeast = load_yeast()
    >>> X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
    >>> model = LabelSubset(5, classifier=KNeighborsClassifier()).fit(X, Y)
    >>> model.labels_
    array([11,  1,  2,  4,  7])
    >>> model.predict(yeast.X[yeast.test]).shape
    (917, 14)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": THRESHOLD,
        "n_components": COMMON["n_components"],
        "selection": [StrOptions({"pivoted", "leverage"})],
        "classifier": [HasMethods(["fit", "predict"]), None],
        "random_state": ["random_state"],
    }
    _centred: ClassVar[bool] = False
    _scatter: ClassVar[bool] = True
    _learnt: ClassVar[tuple[str, ...]] = (
        *LabelSpaceClassifier._learnt,
        "labels_",
        "decoding_",
        "_gram",
    )
    # The parent learns by least squares; a classifier is specific to this class.
    regressor = None
    ridge = 0.0

    def __init__(
        self,
        n_components: int | None = None,
        *,
        selection: str = "pivoted",
        classifier: Any = None,
        random_state: Any = None,
        threshold: float | str = "paper",
    ):
        self.n_components = n_components
        self.selection = selection
        self.classifier = classifier
        self.random_state = random_state
        self.threshold = threshold

    def _learn(self, X: Any, labels: Labels) -> None:
        if self.classifier is not None and not is_classifier(self.classifier):
            raise TypeError(
                f"classifier is {type(self.classifier).__name__}, which is not a classifier; the "
                "codes are labels. Use a classifier, None for least squares, or PLST and CPLST, "
                "which take a regressor."
            )
        super()._learn(X, labels)

    def _needs_rows(self) -> str:
        if self.classifier is None:
            return ""
        return (
            f"classifier={type(self.classifier).__name__}(...) learns from the rows, which a chunk "
            "does not keep. Set classifier=None for least squares, or use fit."
        )

    def _encoding(self, sample: Any) -> Encoding:
        regression = self._all_labels(sample) if self.classifier is None else None
        mean = sample.label_mean(regression)
        gram = sample.label_scatter(regression) + sample.weight * np.outer(mean, mean)
        if self.n_components == 0 or not mean.any():
            chosen, pivots = np.zeros(0, dtype=np.int64), np.zeros(0)
            no_direction(len(gram), self.n_components)
        elif self.selection == "pivoted":
            chosen, pivots = pivoted(gram, self.n_components)
        else:
            M, shares = leverages(gram, self.n_components)
            draw = check_random_state(self.random_state).choice
            # One after the other; labels that were drawn before are redrawn.
            chosen, pivots = draw(len(gram), M, replace=False, p=shares), np.zeros(0)
        self.labels_, self._gram = chosen, gram[chosen]
        self.decoding_ = decoding(self._gram, chosen).astype(sample.dtype)
        V = np.zeros((len(gram), len(chosen)))
        V[chosen, np.arange(len(chosen))] = 1.0
        learnt = None
        if self.classifier is not None and len(chosen):
            Y = dense(sample.Y[:, chosen])
            learnt = fit_classifier(self.classifier, sample.X, Y, sample.weights)
        return Encoding(EigenPairs(pivots, V), mean, regression, regressor=learnt)

    def _cut_from(self, n_fitted: int) -> None:
        if self.selection == "leverage" and self.n_components_ < n_fitted:
            raise ValueError(
                "truncate needs selection='pivoted', whose first labels are those of a smaller M; "
                f"'leverage' draws others. Set n_components={self.n_components_} and fit again."
            )
        self.labels_ = self.labels_[: self.n_components_].copy()
        self._gram = self._gram[: self.n_components_].copy()
        self.decoding_ = decoding(self._gram, self.labels_).astype(self.decoding_.dtype)

    def _decode(self, T: np.ndarray) -> np.ndarray:
        scores: np.ndarray = T @ self.decoding_.astype(T.dtype, copy=False)
        return scores

    def _is_pairwise(self) -> bool:
        return self.classifier is not None and bool(get_tags(self.classifier).input_tags.pairwise)

    def _refusals(self) -> dict[str, str]:
        if self.classifier is None:
            return {}
        refused = {
            "dask": f"{IN_MEMORY}: only classifier=None learns from blocks",
            "soft_labels": "a classifier learns classes; set classifier=None for least squares",
        }
        if not takes_weights(self.classifier):
            name = type(self.classifier).__name__
            refused["sample_weight"] = f"its classifier, {name}, takes none"
        return refused


@dataclass(frozen=True)
class ClassifierCodes(Codes):
    """Labels in {0, 1}, or their probabilities, by a fitted classifier of those that vary (M,)."""

    classifier: Any
    varies: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Codes (n, M)."""
        codes = np.ones((X.shape[0], len(self.varies)))
        if self.varies.any():
            present = label_presence(self.classifier, X)
            codes[:, self.varies] = present[:, : self.varies.sum()]
        return codes

    def first(self, M: int) -> ClassifierCodes:
        """The same classifier for the first M labels."""
        if len(self.varies) > M and not isinstance(self.classifier, SEPARABLE):
            raise ValueError(
                f"truncate needs a classifier whose labels are learnt independently: None, "
                f"{', '.join(kind.__name__ for kind in SEPARABLE)}, or one that takes a single "
                f"label; this is {type(self.classifier).__name__}. Set n_components={M} and fit "
                "again, or wrap it: sklearn.multioutput.MultiOutputClassifier(classifier)."
            )
        return replace(self, varies=self.varies[:M])


def fit_classifier(
    classifier: Any, X: Any, Y: np.ndarray, weights: np.ndarray | None
) -> ClassifierCodes:
    """Fit a clone to labels (n, M), one clone per label if it takes only one."""
    model = clone(classifier)
    # Most classifiers reject a label that all rows have.
    varies = Y.min(axis=0) == 0
    if varies.sum() == 1 or not get_tags(model).classifier_tags.multi_label:
        model = MultiOutputClassifier(model)
    weighted = {} if weights is None else {"sample_weight": weights}
    if varies.any():
        model.fit(X, Y[:, varies], **weighted)
    return ClassifierCodes(model, varies)


def pivoted(gram: np.ndarray, M: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Labels by a pivoted Cholesky factor of Y'Y, the first of equal gains, and the gains."""
    q = len(gram)
    left = np.diag(gram).copy()
    least = q * EPS * left.max()
    n_asked = q if M is None else min(M, q)
    L = np.empty((q, n_asked))
    chosen: list[int] = []
    pivots: list[float] = []
    while len(chosen) < n_asked and left.max() > least:
        m, k = len(chosen), int(np.argmax(left >= (1 - 1e-9) * left.max()))
        L[:, m] = (gram[:, k] - L[:, :m] @ L[k, :m]) / np.sqrt(left[k])
        chosen.append(k)
        pivots.append(left[k])
        left -= np.square(L[:, m])
        left[chosen] = 0.0
    at_most(M, len(chosen), "labels that are not sums of others")
    return np.array(chosen, dtype=np.int64), np.array(pivots)


def leverages(gram: np.ndarray, M: int | None) -> tuple[int, np.ndarray]:
    """How many labels to draw, M or the rank, and probabilities (q,): leverages in Y'Y."""
    V = leading_sum(gram.copy(), M).vectors
    squares = np.where(np.diag(gram) > 0, np.square(V).sum(axis=1), 0.0)
    return V.shape[1], squares / squares.sum()


def decoding(gram: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(Y'Y)_CC^+ (Y'Y)_C from the rows of the labels C of Y'Y, (M, q)."""
    weights: np.ndarray = np.linalg.pinv(gram[:, labels], hermitian=True) @ gram
    return weights
