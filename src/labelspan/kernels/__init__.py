"""Kernel methods: linear methods in the feature space of a kernel, exact or with landmarks."""

from labelspan.kernels._cca import KernelLabelCCA
from labelspan.kernels._cplst import KernelCodes, KernelCPLST
from labelspan.kernels._cplst_cv import RIDGES, KernelCPLSTCV, leading_vectors, losses_of_codes
from labelspan.kernels._gram import gram
from labelspan.kernels._held_out import HeldOut, held_out, kernel_spectrum
from labelspan.kernels._map import KernelMap, kernel_map
from labelspan.kernels._mddm import KernelMDDM
from labelspan.kernels._path import KernelPath, kernel_path
from labelspan.kernels._shared_subspace import KernelSharedSubspaceClassifier
from labelspan.kernels.family import KernelHSL, KernelPLS

__all__ = [
    "KernelCPLST",
    "KernelCPLSTCV",
    "KernelHSL",
    "KernelLabelCCA",
    "KernelMDDM",
    "KernelPLS",
    "KernelPath",
    "KernelSharedSubspaceClassifier",
    "kernel_path",
]
