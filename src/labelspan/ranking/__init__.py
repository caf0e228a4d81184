"""Ranking SVMs: the labels of a row should score higher than the others."""

from typing import TYPE_CHECKING

from labelspan.ranking._base import COMMON, RankingClassifier, keep_common
from labelspan.ranking._bounds import Covariance, best_weights, top_mask
from labelspan.ranking._correlation import label_correlation, to_correlation
from labelspan.ranking._dual import DualState, Objectives
from labelspan.ranking._fit import (
    SHARE,
    Fit,
    fit_fixed_weights,
    joint_primal,
    relative_gap,
    solve_fixed,
)
from labelspan.ranking._pairs import Pairs
from labelspan.ranking._path import RankingPath, ranking_path
from labelspan.ranking._rows import as_rows
from labelspan.ranking._set_size import Threshold
from labelspan.ranking._sweep import weighted_squares
from labelspan.registry import door, names_in

if TYPE_CHECKING:
    from labelspan.registry import *
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [*names_in(__name__), "RankingPath", "label_correlation", "ranking_path"]
