"""The baselines of the CMLFS paper: one linear machine a label, on features chosen for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from labelspan.classifiers import ThresholdTuner
from labelspan.extraction import LabelCCA
from labelspan.ranking import LaRankSVM
from labelspan.selection._path import dense, fisher_ranks

# The paper regularises CCA by one number, which is that of the features here.
LABEL_RIDGE = 1e-5


class LabelwiseSVM(ClassifierMixin, BaseEstimator):
    """One linear support vector machine a label, on the features of its highest Fisher scores.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss.
    k : int or None, default=None
        Features of each label; None is all.
    """

    def __init__(self, C: float = 1.0, k: int | None = None):
        self.C = C
        self.k = k

    def fit(self, X: Any, Y: Any) -> LabelwiseSVM:
        """Fit a machine for each label that some rows have and others lack."""
        Y = dense(Y)
        self.classes_ = np.arange(Y.shape[1])
        everything = np.arange(X.shape[1])
        chosen = [everything] * Y.shape[1]
        if self.k is not None and self.k < X.shape[1]:
            chosen = [np.flatnonzero(ranks < self.k) for ranks in fisher_ranks(X, Y).T]
        self.columns_, self.machines_ = chosen, []
        for y, columns in zip(Y.T, chosen, strict=True):
            both = 0 < y.sum() < len(y)
            machine = LinearSVC(C=self.C, random_state=0) if both else None
            self.machines_.append(machine and machine.fit(X[:, columns], y))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Score the labels; 0 for one that was constant in training."""
        scores = np.zeros((X.shape[0], len(self.machines_)))
        for label, (machine, columns) in enumerate(zip(self.machines_, self.columns_, strict=True)):
            if machine is not None:
                scores[:, label] = machine.decision_function(X[:, columns])
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """Labels of positive score."""
        return (self.decision_function(X) > 0).astype(np.int64)


def svm(C: float = 1.0, k: int | None = None) -> ThresholdTuner:
    """SVM and, with `k` features a label, FS+SVM; thresholds by the F1 of each label."""
    return ThresholdTuner(LabelwiseSVM(C, k), min_labels=1)


def cca_svm(C: float = 1.0, ridge: float = 0.1, n_components: int = 1) -> ThresholdTuner:
    """CCA+SVM: machines on standardised canonical variates, thresholds as for SVM."""
    cca = LabelCCA(n_components, ridge=ridge, label_ridge=LABEL_RIDGE)
    return ThresholdTuner(make_pipeline(cca, StandardScaler(), LabelwiseSVM(C)), min_labels=1)


def tuned_larank(C: float = 1.0, tol: float = 1e-2) -> ThresholdTuner:
    """LaRank with thresholds by the F1 of each label in place of the threshold function."""
    return ThresholdTuner(LaRankSVM(C, tol=tol, random_state=0), min_labels=1)
