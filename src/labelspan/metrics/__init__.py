"""Measures of multi-label prediction, with the conventions of the papers as parameters."""

from labelspan.metrics._auc import macro_auc, micro_auc
from labelspan.metrics._counts import Counts, Side
from labelspan.metrics._goal import SKLEARN_NAMES, goal_of, refuse_unknown
from labelspan.metrics._mean import squared_error
from labelspan.metrics._nearest import nearest
from labelspan.metrics._ranking import average_precision, coverage, one_error, ranking_loss
from labelspan.metrics._registry import (
    CONVENTIONS,
    MEASURES,
    PAPER_MEASURES,
    Measure,
    evaluate,
    get_measure,
)
from labelspan.metrics._retrieval import (
    retrieval_map_at_k,
    retrieval_ndcg_at_k,
    retrieval_precision_at_k,
    retrieval_recall_at_k,
    shared_label_at_k,
)
from labelspan.metrics._scorers import MeasureScorer, get_scorer, scorers
from labelspan.metrics._search_measure import SearchMeasure, search_measure
from labelspan.metrics._sets import (
    hamming_loss,
    instance_accuracy,
    instance_precision,
    instance_recall,
    macro_f1,
    micro_f1,
    samples_f1,
    subset_accuracy,
)
from labelspan.metrics._topk import (
    ndcg_at_k,
    precision_at_k,
    propensities,
    propensity_scored_precision_at_k,
    recall_at_k,
)

__all__ = [
    "CONVENTIONS",
    "MEASURES",
    "PAPER_MEASURES",
    "Measure",
    "MeasureScorer",
    "average_precision",
    "coverage",
    "evaluate",
    "get_measure",
    "get_scorer",
    "hamming_loss",
    "instance_accuracy",
    "instance_precision",
    "instance_recall",
    "macro_auc",
    "macro_f1",
    "micro_auc",
    "micro_f1",
    "ndcg_at_k",
    "nearest",
    "one_error",
    "precision_at_k",
    "propensities",
    "propensity_scored_precision_at_k",
    "ranking_loss",
    "recall_at_k",
    "retrieval_map_at_k",
    "retrieval_ndcg_at_k",
    "retrieval_precision_at_k",
    "retrieval_recall_at_k",
    "samples_f1",
    "scorers",
    "shared_label_at_k",
    "squared_error",
    "subset_accuracy",
]
