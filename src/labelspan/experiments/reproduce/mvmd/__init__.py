"""The experiments of the MVMD paper: printed values, plans, methods of its own."""

from labelspan.experiments.reproduce.mvmd._experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
