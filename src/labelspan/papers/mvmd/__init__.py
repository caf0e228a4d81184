"""The experiments of the MVMD paper: printed values, plans, methods of its own."""

from labelspan.papers.mvmd._experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
