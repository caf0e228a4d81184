"""Extractors whose directions are as long as in the papers: P'BP = I.

Those of the library are longer by sqrt(n), or sqrt(n mu), which matters to classifiers that
penalise weights.
"""

from __future__ import annotations

from labelspan.extraction import HSL, MDDM, OPLS
from labelspan.kernels import KernelHSL, KernelLabelCCA, KernelMDDM
from labelspan.subspace import PrintedCCA

__all__ = [
    "PrintedCCA",
    "PrintedHSL",
    "PrintedKernelCCA",
    "PrintedKernelHSL",
    "PrintedKernelMDDM",
    "PrintedMDDM",
    "PrintedOPLS",
]


class PrintedMDDM(MDDM):
    """MDDM with P'(mu xx + (1 - mu) I)P = I."""

    _unit_variance = False


class PrintedOPLS(OPLS):
    """OPLS with P'(xx + ridge I)P = I."""

    _unit_variance = False


class PrintedHSL(HSL):
    """HSL with P'(xx + ridge I)P = I."""

    _unit_variance = False


class PrintedKernelMDDM(KernelMDDM):
    """KernelMDDM with C'(mu QQ + (1 - mu) Q)C = I."""

    _unit_variance = False


class PrintedKernelCCA(KernelLabelCCA):
    """KernelLabelCCA with C'(QQ + ridge Q)C = I."""

    _unit_variance = False


class PrintedKernelHSL(KernelHSL):
    """KernelHSL with C'(QQ + ridge Q)C = I."""

    _unit_variance = False
