"""The shared subspace: multi-label classifiers whose labels share a low-dimensional projection."""

from labelspan.subspace._aso import ASOClassifier
from labelspan.subspace._base import SubspaceClassifier
from labelspan.subspace._baselines import PrintedCCA, cca_ridge, cca_svm, one_vs_rest_svm
from labelspan.subspace._coordinates import row_coordinates
from labelspan.subspace._hinge import HingeProblem
from labelspan.subspace._pls import LabelPLS
from labelspan.subspace._shared_subspace import SharedSubspaceClassifier, leading_labels, mix
from labelspan.subspace._shared_subspace_cv import SharedSubspaceClassifierCV
from labelspan.subspace._structural_f1 import StructuralF1SVM
from labelspan.subspace._training_times import training_times

__all__ = [
    "ASOClassifier",
    "LabelPLS",
    "SharedSubspaceClassifier",
    "SharedSubspaceClassifierCV",
    "StructuralF1SVM",
    "cca_ridge",
    "cca_svm",
    "one_vs_rest_svm",
    "training_times",
]
