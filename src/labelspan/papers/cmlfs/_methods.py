"""The baselines of the CMLFS paper: one linear SVM per label, on features chosen for it."""

from __future__ import annotations

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelspan.classifiers import ThresholdTuner
from labelspan.extraction import LabelCCA
from labelspan.ranking import LaRankSVM
from labelspan.selection import FisherSVM

# The paper regularises CCA by one number, which is the feature ridge here.
LABEL_RIDGE = 1e-5


def svm(C: float = 1.0, k: int | None = None) -> ThresholdTuner:
    """SVM or, with `k` features per label, FS+SVM; thresholds tuned by the F1 of each label."""
    return ThresholdTuner(FisherSVM(k, C=C, random_state=0), "per_label_f1", min_labels=1)


def sign_svm(C: float = 10.0) -> ThresholdTuner:
    """SVM with the labels of positive score, and at least the one of the highest."""
    return ThresholdTuner(
        FisherSVM(None, C=C, random_state=0), "fixed", threshold=0.0, min_labels=1
    )


def cca_svm(C: float = 1.0, ridge: float = 0.1, n_components: int = 1) -> ThresholdTuner:
    """CCA+SVM: SVMs on standardised canonical variates, thresholds as for SVM."""
    cca = LabelCCA(n_components, ridge=ridge, label_ridge=LABEL_RIDGE)
    machines = make_pipeline(cca, StandardScaler(), FisherSVM(None, C=C, random_state=0))
    return ThresholdTuner(machines, "per_label_f1", min_labels=1)


def tuned_larank(C: float = 1.0, tol: float = 1e-2) -> ThresholdTuner:
    """LaRank with thresholds tuned by the F1 of each label instead of the threshold function."""
    model = LaRankSVM(C, tol=tol, random_state=0)
    return ThresholdTuner(model, "per_label_f1", min_labels=1)
