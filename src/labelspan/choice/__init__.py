"""Choose method and dimension: statistics of the whole grid from one pass over the data."""

from labelspan.choice._all_features import AllFeatures
from labelspan.choice._candidates import default_reducers
from labelspan.choice._reducer_cv import ReducerCV
from labelspan.choice._results import best_of_methods, name_of, smallest_within, standard_error
from labelspan.choice._space import Space
from labelspan.choice._summary import advice, described, measure_name

__all__ = ["ReducerCV"]
