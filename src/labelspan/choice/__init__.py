"""Which method, which dimension: the whole grid from one pass over the data."""

from labelspan.choice._reducer_cv import ReducerCV
from labelspan.choice._splits import parts_of

__all__ = ["ReducerCV"]
