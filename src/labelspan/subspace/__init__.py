"""The shared subspace: multi-label classifiers whose labels share a low-dimensional projection."""

from labelspan.subspace._aso import ASOClassifier
from labelspan.subspace._shared_subspace import SharedSubspaceClassifier
from labelspan.subspace._shared_subspace_cv import SharedSubspaceClassifierCV
from labelspan.subspace._structural_f1 import StructuralF1SVM

__all__ = [
    "ASOClassifier",
    "SharedSubspaceClassifier",
    "SharedSubspaceClassifierCV",
    "StructuralF1SVM",
]
