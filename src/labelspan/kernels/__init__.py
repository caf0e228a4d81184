"""Kernel methods: the linear ones in the feature space of a kernel, exact or by landmarks."""

from labelspan.kernels._cca import KernelLabelCCA
from labelspan.kernels._cplst import KernelCPLST
from labelspan.kernels._cplst_cv import KernelCPLSTCV
from labelspan.kernels._mddm import KernelMDDM
from labelspan.kernels._path import KernelPath, kernel_path
from labelspan.kernels._shared_subspace import KernelSharedSubspaceClassifier

__all__ = [
    "KernelCPLST",
    "KernelCPLSTCV",
    "KernelLabelCCA",
    "KernelMDDM",
    "KernelPath",
    "KernelSharedSubspaceClassifier",
    "kernel_path",
]
