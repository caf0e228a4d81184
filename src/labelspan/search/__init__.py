"""What the searches over parameters share: parts of folds, measures of scores, tables."""

from labelspan.search._judge import Judge
from labelspan.search._parts import Fold, Parts, parts_of
from labelspan.search._results import results_table

__all__: list[str] = []
