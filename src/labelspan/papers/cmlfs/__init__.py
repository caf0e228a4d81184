"""The experiments of the CMLFS paper: printed values, plans, methods of its own."""

from labelspan.papers.cmlfs._experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
