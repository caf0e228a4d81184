"""The experiments of the CMLFS paper: printed values, plans, methods of its own."""

from labelspan.papers.cmlfs import _convergence, _experiments

EXPERIMENTS = (*_experiments.EXPERIMENTS, *_convergence.EXPERIMENTS)

__all__ = ["EXPERIMENTS"]
