"""Choose method and dimension: statistics of the whole grid from one pass over the data."""

from labelspan.choice._reducer_cv import ReducerCV
from labelspan.choice._results import best_of_methods, smallest_within, standard_error
from labelspan.choice._summary import described

__all__ = ["ReducerCV"]
