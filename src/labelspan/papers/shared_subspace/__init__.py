"""The experiments of the shared-subspace paper: printed values, plans, methods of its own."""

from labelspan.papers.shared_subspace._experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
