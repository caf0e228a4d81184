"""One linear SVM per label, on features chosen for it: the baseline of the CMLFS paper."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import LinearSVC

from labelspan.arrays import dense
from labelspan.selection._scores import MultilabelFisherScore


class LabelwiseSVM(ClassifierMixin, BaseEstimator):
    """One linear SVM per label, on its `k` features of highest Fisher score; None means all."""

    def __init__(self, C: float = 1.0, k: int | None = None, random_state: Any = 0):
        self.C = C
        self.k = k
        self.random_state = random_state

    def fit(self, X: Any, Y: Any) -> LabelwiseSVM:
        """Fit an SVM for each label that some rows have and others lack."""
        Y = dense(Y)
        self.classes_ = np.tile([0, 1], (Y.shape[1], 1))
        everything = np.arange(X.shape[1])
        chosen = [everything] * Y.shape[1]
        if self.k is not None and self.k < X.shape[1]:
            chosen = [np.flatnonzero(ranks < self.k) for ranks in fisher_ranks(X, Y).T]
        self.columns_, self.machines_ = chosen, []
        for y, columns in zip(Y.T, chosen, strict=True):
            both = 0 < y.sum() < len(y)
            machine = LinearSVC(C=self.C, random_state=self.random_state) if both else None
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


def fisher_ranks(X: Any, Y: np.ndarray) -> np.ndarray:
    """Rank of each feature for each label by the Fisher score, from 0."""
    scores = MultilabelFisherScore(k=1).fit(X, Y).label_scores_
    return np.argsort(np.argsort(-scores, axis=0, kind="stable"), axis=0, kind="stable")
