"""The experiments of the shared-subspace paper: printed values, plans, methods of its own."""

from labelspan.experiments.reproduce.shared_subspace._experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
