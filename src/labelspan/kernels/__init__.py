"""Kernel methods: linear methods in the feature space of a kernel, exact or with landmarks."""

from typing import TYPE_CHECKING

from labelspan.kernels._cplst import KernelCodes
from labelspan.kernels._cplst_cv import RIDGES, leading_vectors, losses_of_codes
from labelspan.kernels._gram import gram
from labelspan.kernels._held_out import HeldOut, held_out, kernel_spectrum
from labelspan.kernels._map import KernelMap, kernel_map
from labelspan.kernels._path import KernelPath, kernel_path
from labelspan.kernels._several import WeightedMap
from labelspan.registry import door, names_in

if TYPE_CHECKING:
    from labelspan.registry import *
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [*names_in(__name__), "KernelPath", "kernel_path"]
