"""Choose method and dimension: statistics of the whole grid from one pass over the data."""

from typing import TYPE_CHECKING

from labelspan.choice._candidates import default_reducers
from labelspan.choice._columns import AllFeatures
from labelspan.choice._results import best_of_methods, name_of, smallest_within, standard_error
from labelspan.choice._space import Space
from labelspan.choice._summary import advice, described, measure_name
from labelspan.registry import door, names_in

if TYPE_CHECKING:
    from labelspan.registry import *
else:
    __getattr__, __dir__ = door(__name__)

__all__ = names_in(__name__)
