"""What the classes of all families share."""

from labelspan.base._blocks import RowBlocks, with_fewer
from labelspan.base._chunked import ADVICE as REGRESSION_ADVICE
from labelspan.base._chunked import Chunked
from labelspan.base._classifier import (
    LINEAR,
    LabelClassifier,
    decide,
    label_presence,
    pick,
    remember,
    remember_features,
)
from labelspan.base._reducer import ADVICE as REDUCER_ADVICE
from labelspan.base._reducer import N_COMPONENTS, N_SIGNIFICANT, RIDGE, LinearReducer
from labelspan.base._significant import (
    AGAIN,
    ALPHA,
    SIGNIFICANT,
    n_significant,
    p_values_of_scores,
    refused_when_significant,
)
from labelspan.base._threshold import (
    THRESHOLD,
    chosen_thresholds,
    held_out_scores,
    label_scores,
)
