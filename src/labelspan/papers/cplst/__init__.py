"""The experiments of the CPLST paper: printed values, plans, methods of its own."""

from labelspan.papers.cplst import _experiments, _regressors

EXPERIMENTS = (*_experiments.EXPERIMENTS, *_regressors.EXPERIMENTS)

__all__ = ["EXPERIMENTS"]
