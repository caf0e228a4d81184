"""The experiments of the MDDM paper: printed values, plans, methods of its own."""

from labelspan.experiments.reproduce.mddm._experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
