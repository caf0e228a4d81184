"""What a fit will cost, before it is started."""

from labelspan._cost._cost import Cost, cost

__all__ = ["Cost", "cost"]
