"""The experiments of the shared-subspace paper: printed values, plans, methods of its own."""

from labelspan.papers.shared_subspace import _experiments, _kernels
from labelspan.papers.shared_subspace._methods import OnKernels

EXPERIMENTS = (*_experiments.EXPERIMENTS, *_kernels.EXPERIMENTS)

__all__ = ["EXPERIMENTS", "OnKernels"]
