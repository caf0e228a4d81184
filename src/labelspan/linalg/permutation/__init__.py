"""Distributions over all permutations of the rows: sums of a side, exact moments, tails."""

from labelspan.linalg.permutation._null import Null, Side, null_moments
from labelspan.linalg.permutation._side import (
    N_SAMPLED,
    cubes_by_features,
    cubes_of_sample,
    of_columns,
    of_gram,
    of_rows,
)
from labelspan.linalg.permutation._steps import (
    FEWEST_EFFECTIVE,
    by_scores,
    by_singular_vectors,
    step_down,
)
from labelspan.linalg.permutation._tail import add_one, exceeds, upper_tail

__all__ = [
    "FEWEST_EFFECTIVE",
    "N_SAMPLED",
    "Null",
    "Side",
    "add_one",
    "by_scores",
    "by_singular_vectors",
    "cubes_by_features",
    "cubes_of_sample",
    "exceeds",
    "null_moments",
    "of_columns",
    "of_gram",
    "of_rows",
    "step_down",
    "upper_tail",
]
