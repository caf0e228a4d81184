"""The other baselines of the shared-subspace paper, as scikit-learn pipelines."""

from __future__ import annotations

from typing import Any

from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from labelspan.classifiers import MultiOutputRidge, ThresholdTuner
from labelspan.extraction import LabelCCA


class PrintedCCA(LabelCCA):
    """LabelCCA with directions as long as in the papers, P'(xx + ridge I)P = I.

    Classifiers that penalise weights depend on the length.
    """

    _unit_variance = False


def cca_ridge(cca: float = 0.1, ridge: float = 0.01) -> ThresholdTuner:
    """CCA+Ridge: canonical directions, ridge regression, thresholds on F1.

    Parameters
    ----------
    cca : float, default=0.1
        Ridge of the canonical directions; the paper tunes it over 1e-6, ..., 10.
    ridge : float, default=0.01
        Ridge of the regression; the paper tunes it over 1e-6, ..., 1.

    Returns
    -------
    ThresholdTuner
        Around ``make_pipeline(LabelCCA(None, ...), MultiOutputRidge(...))``.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import cca_ridge
    >>> yeast = load_yeast()
    >>> cca_ridge().fit(yeast.X, yeast.Y).predict(yeast.X).shape
    (2417, 14)
    """
    directions = PrintedCCA(None, ridge=cca, label_ridge=0.0)
    return ThresholdTuner(make_pipeline(directions, MultiOutputRidge(ridge)), "per_label_f1")


def cca_svm(cca: float = 0.1, C: float = 1.0) -> ThresholdTuner:
    """CCA+SVM: canonical directions, one linear SVM per label, thresholds on F1.

    Parameters
    ----------
    cca : float, default=0.1
        Ridge of the canonical directions; the paper tunes it over 1e-6, ..., 10.
    C : float, default=1.0
        Weight of the hinge loss; the paper tunes it over 1e-4, ..., 1e5.

    Returns
    -------
    ThresholdTuner
        Around ``make_pipeline(LabelCCA(None, ...), OneVsRestClassifier(SVC()))``.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import cca_svm
    >>> yeast = load_yeast()
    >>> cca_svm().fit(yeast.X, yeast.Y).predict(yeast.X).shape
    (2417, 14)
    """
    directions = PrintedCCA(None, ridge=cca, label_ridge=0.0)
    return ThresholdTuner(make_pipeline(directions, kernel_machines(C)), "per_label_f1")


def one_vs_rest_svm(C: float = 1.0) -> ThresholdTuner:
    """SVM: one linear SVM per label on all features, thresholds on F1.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the hinge loss; the paper tunes it over 1e-5, ..., 1e5.

    Returns
    -------
    ThresholdTuner
        ``ThresholdTuner(OneVsRestClassifier(LinearSVC(loss="hinge")), "per_label_f1")``.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import one_vs_rest_svm
    >>> yeast = load_yeast()
    >>> one_vs_rest_svm(0.1).fit(yeast.X[:300], yeast.Y[:300]).predict(yeast.X).shape
    (2417, 14)
    """
    return ThresholdTuner(machines(C), "per_label_f1")


def machines(C: float) -> Any:
    """One linear SVM per label, in a fixed order of coordinates."""
    return OneVsRestClassifier(LinearSVC(C=C, loss="hinge", random_state=0, max_iter=20000))


def kernel_machines(C: float) -> Any:
    """The same by LIBSVM, as in the paper: faster than coordinates on a few dense features."""
    return OneVsRestClassifier(SVC(C=C, kernel="linear", max_iter=100_000))
