"""What the searches over parameters share: parts of folds, measures of scores, tables."""

from labelspan.search._axis import Axis, best_places
from labelspan.search._judge import (
    THRESHOLD,
    Judge,
    KnownScores,
    scored,
    scorer_of,
    search_measures,
)
from labelspan.search._parts import Fold, Parts, parts_of
from labelspan.search._results import (
    FoldScores,
    check_prices,
    on_folds,
    results_table,
    side_by_side,
)

__all__: list[str] = []
