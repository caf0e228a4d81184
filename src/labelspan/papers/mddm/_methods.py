"""Methods of the MDDM paper's experiments that choose parameters by five-fold cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.model_selection import KFold
from sklearn.svm import LinearSVC

from labelspan.classifiers import MLkNN
from labelspan.papers._printed import PrintedMDDM

#: Section 4: C from {10^t}, t = -2..2, by five folds of the training part.
PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)
#: Section 4.4: width of the label kernel from {10^(0.5 t)}, t = -2..2.
WIDTHS = tuple(round(10 ** (0.5 * t), 6) for t in range(-2, 3))
N_FOLDS = 5


class ChosenSVM(ClassifierMixin, BaseEstimator):
    """One linear SVM per label, its C by the accuracy of the label: the paper names no criterion.

    Ties go to the smallest C. A label without both classes is scored -1 or +1 for all rows.
    """

    def __init__(self, penalties: Sequence[float] = PENALTIES, n_folds: int = N_FOLDS) -> None:
        self.penalties = penalties
        self.n_folds = n_folds

    def fit(self, X: Any, Y: Any) -> ChosenSVM:
        Y = _dense(Y)
        right = svm_accuracies(X, Y, self.penalties, folds(len(Y), self.n_folds))
        self.penalties_ = np.asarray(self.penalties)[right.argmax(axis=0)]
        self.machines_ = [
            _machine(X, y, C) for y, C in zip(Y.T, self.penalties_.tolist(), strict=True)
        ]
        self.classes_ = np.tile([0, 1], (Y.shape[1], 1))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        return np.column_stack([_scores(machine, X) for machine in self.machines_])

    def predict(self, X: Any) -> np.ndarray:
        return (self.decision_function(X) > 0).astype(int)


class LabelWidthMDDM(TransformerMixin, BaseEstimator):
    """MDDM with a label kernel whose width is chosen by cross-validation (section 4.4).

    The paper names no criterion. Here it is the Hamming loss of `classifier` in each fold, "mlknn"
    or "svm" (`ChosenSVM` with the best C of each label on the same folds).
    """

    def __init__(
        self,
        n_components: int = 10,
        constraint: str = "projection",
        classifier: str = "mlknn",
        widths: Sequence[float] = WIDTHS,
        n_folds: int = N_FOLDS,
    ) -> None:
        self.n_components = n_components
        self.constraint = constraint
        self.classifier = classifier
        self.widths = widths
        self.n_folds = n_folds

    def fit(self, X: Any, Y: Any) -> LabelWidthMDDM:
        """Choose the width (the smallest one on ties) and fit on all rows."""
        Y = _dense(Y)
        with warnings.catch_warnings():
            # The smallest widths of the grid leave the identity on most data.
            warnings.filterwarnings("ignore", message="label_width=")
            losses = [self._loss(width, X, Y) for width in self.widths]
            self.label_width_ = self.widths[int(np.argmin(losses))]
            self.losses_ = np.array(losses)
            self.reducer_ = self._reducer(self.label_width_).fit(X, Y)
        self.eigenvalues_ = self.reducer_.eigenvalues_
        return self

    def transform(self, X: Any) -> np.ndarray:
        return self.reducer_.transform(X)

    def _reducer(self, width: float) -> PrintedMDDM:
        return PrintedMDDM(
            self.n_components,
            constraint=self.constraint,
            mu=0.5,
            label_correlation="rbf",
            label_width=width,
        )

    def _loss(self, width: float, X: Any, Y: np.ndarray) -> float:
        parts = []
        for train, test in folds(len(Y), self.n_folds):
            reducer = self._reducer(width).fit(X[train], Y[train])
            Z, Z_test = reducer.transform(X[train]), reducer.transform(X[test])
            if self.classifier == "mlknn":
                predicted = MLkNN(10).fit(Z, Y[train]).predict(Z_test)
                parts.append((predicted == Y[test]).mean(axis=0)[None])
            else:
                parts.append(_right(Z, Y[train], Z_test, Y[test], PENALTIES))
        return float(1 - np.mean(parts, axis=0).max(axis=0).mean())


def folds(n: int, n_folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return list(KFold(n_folds, shuffle=True, random_state=0).split(np.empty((n, 0))))


def svm_accuracies(
    X: Any,
    Y: np.ndarray,
    penalties: Sequence[float],
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    """Accuracy per C and label, (penalties, q)."""
    parts = [_right(X[train], Y[train], X[test], Y[test], penalties) for train, test in splits]
    return np.mean(parts, axis=0)


def _right(
    X: Any, Y: np.ndarray, X_test: Any, Y_test: np.ndarray, penalties: Sequence[float]
) -> np.ndarray:
    rows = [
        [
            ((_scores(_machine(X, y, C), X_test) > 0) == y_test).mean()
            for y, y_test in zip(Y.T, Y_test.T, strict=True)
        ]
        for C in penalties
    ]
    return np.array(rows)


def _machine(X: Any, y: np.ndarray, C: float) -> LinearSVC | float:
    if y.min() == y.max():
        return 1.0 if y[0] else -1.0
    # The hinge loss, as in the paper's SVM; liblinear orders the rows at random.
    return LinearSVC(C=C, loss="hinge", dual=True, max_iter=1000, random_state=0).fit(X, y)


def _scores(machine: LinearSVC | float, X: Any) -> np.ndarray:
    if isinstance(machine, float):
        return np.full(X.shape[0], machine)
    return machine.decision_function(X)


def _dense(Y: Any) -> np.ndarray:
    return np.asarray(Y.toarray() if sparse.issparse(Y) else Y)
