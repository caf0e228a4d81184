"""Classifiers with thresholds tuned on the training part, as the papers do."""

from __future__ import annotations

from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from labelspan.classifiers import MultiOutputRidge, ThresholdTuner
from labelspan.subspace import SharedSubspaceClassifier


def tuned_ridge(ridge: float = 0.01, min_labels: int = 0) -> ThresholdTuner:
    """Ridge regression with the threshold of each label that maximises its F1."""
    return ThresholdTuner(MultiOutputRidge(ridge), "per_label_f1", min_labels=min_labels)


def tuned_svm(C: float = 1.0, min_labels: int = 0) -> ThresholdTuner:
    machines = OneVsRestClassifier(LinearSVC(C=C, loss="hinge", max_iter=20000))
    return ThresholdTuner(machines, "per_label_f1", min_labels=min_labels)


def tuned_subspace(
    n_components: int | None = None,
    alpha: float = 0.1,
    beta: float = 0.01,
    min_labels: int = 0,
) -> ThresholdTuner:
    model = SharedSubspaceClassifier(n_components, alpha=alpha, beta=beta)
    return ThresholdTuner(model, "per_label_f1", min_labels=min_labels)
