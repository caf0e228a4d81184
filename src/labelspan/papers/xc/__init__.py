"""The Extreme Classification Repository's small sets: printed values, plans, a method."""

from labelspan.papers.xc._experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
