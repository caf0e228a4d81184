"""Predict the cost of a fit before it starts."""

from labelspan._cost._cost import Cost, cost

__all__ = ["Cost", "cost"]
