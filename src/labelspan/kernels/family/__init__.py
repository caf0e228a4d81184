"""Kernel forms of further linear methods: hypergraphs and partial least squares."""

from labelspan.kernels.family._hsl import KernelHSL
from labelspan.kernels.family._pls import KernelPLS

__all__ = ["KernelHSL", "KernelPLS"]
