"""What the searches over parameters share: parts of folds, measures of scores, tables."""

from labelspan.search._judge import Judge, KnownScores
from labelspan.search._parts import Fold, Parts, parts_of
from labelspan.search._results import (
    FoldScores,
    check_dimensions,
    check_prices,
    on_folds,
    results_table,
)

__all__: list[str] = []
