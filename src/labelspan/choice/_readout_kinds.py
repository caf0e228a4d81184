"""What classifiers after a reducer have: probabilities or scores, and thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.base import LabelClassifier, label_scores
from labelspan.classifiers import MLkNN, MultiOutputRidge


def gives_probabilities(search: Any) -> bool:
    """Whether the readout has no scores but probabilities."""
    readout = search.readout[0] if isinstance(search.readout, tuple) else search.readout
    return readout == "mlknn" or not (
        isinstance(readout, str) or hasattr(readout, "decision_function")
    )


def gives_scores(search: Any) -> bool:
    """Whether the readout has scores."""
    return not gives_probabilities(search)


def is_linear_readout(readout: Any) -> bool:
    """Whether the readout needs the sums of the projections only."""
    readout = readout[0] if isinstance(readout, tuple) else readout
    return readout == "ridge" or isinstance(readout, MultiOutputRidge)


def refused_by_readout(readout: Any) -> dict[str, str]:
    """What a search with this readout refuses, and why."""
    if is_linear_readout(readout):
        return {}
    return {
        "missing_labels": "the classifier after the reducer learns from rows that have every "
        "label; readout='ridge' does not need them",
        "sample_weight": "the classifier after the reducer counts every row once; "
        "readout='ridge' takes weights",
    }


def check_threshold(threshold: Any, readout: Any) -> None:
    """Refuse thresholds that are known after a fit only."""
    learns = isinstance(readout, LabelClassifier) and not isinstance(
        readout, MultiOutputRidge | MLkNN
    )
    if threshold == "paper" and learns:
        raise ValueError(
            f"threshold='paper' is not known for {type(readout).__name__}, which learns its own; "
            "use 'auto' or a number."
        )


def label_scores_of(readout: Any, Z: np.ndarray, n_labels: int) -> np.ndarray:
    """Scores (n, q) of a fitted readout for checked projections."""
    own = isinstance(readout, LabelClassifier)
    return readout._scores(Z) if own else label_scores(readout, Z, n_labels)
