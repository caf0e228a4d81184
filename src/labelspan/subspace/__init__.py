"""The shared subspace: multi-label classifiers whose labels share a low-dimensional projection."""

from labelspan.subspace._shared_subspace import SharedSubspaceClassifier
from labelspan.subspace._shared_subspace_cv import SharedSubspaceClassifierCV

__all__ = ["SharedSubspaceClassifier", "SharedSubspaceClassifierCV"]
