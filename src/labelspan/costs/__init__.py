"""Predict the cost of a fit before it starts."""

from labelspan.costs._cost import Cost, cost

__all__ = ["Cost", "cost"]
