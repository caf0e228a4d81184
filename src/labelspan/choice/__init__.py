"""Which method, which dimension: the whole grid from one pass over the data."""

from labelspan.choice._reducer_cv import ReducerCV

__all__ = ["ReducerCV"]
