"""Tags that state which inputs ``fit`` accepts besides rows in memory with 0/1 labels."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from sklearn.utils import Tags

# Cached, because listing them takes longer than filling them in, and every chunk needs them.
NAMES = tuple(f.name for f in fields(Tags))
#: Why Dask arrays are refused, where rows are compared with rows or read again and again.
IN_MEMORY = "needs all rows in memory here"
#: Why searches refuse soft labels.
SCORED = "held-out rows are scored by measures of labels that a row has or lacks"

#: Why missing labels are refused if the method has no sums for them.
ALL_LABELS = "its statistics count every row of every label"
#: Why arrays on a device are refused if the work is done on the host.
ON_HOST = "works on the host"
#: Classes that accept them.
TAKERS = (
    "CLaRankSVM, CMLFS, CPLST, DiscriminativeRatio, LEML, LaRankSVM, LabelCCA, LabelPLS, MDDM, "
    "MLFS, MLSI, MLkNN, MVMD, MultiOutputRidge, MultilabelFisherScore, OCCA, OPLS, PLST, "
    "ProbabilityCalibrator, ReducerCV, SemiSupervised, SharedSubspaceClassifier or ThresholdTuner"
)
#: Why they are refused in chunks and Dask arrays if each label is learnt separately.
OWN_ROWS = "keeps sums over all rows of these, and each label needs those over its own rows"


@dataclass(slots=True)
class LabelTags:
    """The inputs that ``fit`` refuses, with reasons.

    Attributes
    ----------
    refused : dict
        Reasons by capability: "dask" (Dask arrays), "sample_weight" (weights of the rows),
        "soft_labels" (numbers between 0 and 1), and, refused unless a class takes them,
        "missing_labels" (NaN for labels that are not observed), "device" (arrays of torch or
        CuPy) and "device_holes" (the first with the second); "streamed_holes" are missing labels
        in chunks and in Dask arrays. Everything else is accepted.
    """

    refused: dict[str, str] = field(
        default_factory=lambda: {
            "missing_labels": ALL_LABELS,
            "device": ON_HOST,
            "device_holes": ON_HOST,
        }
    )

    def takes(self, capability: str) -> bool:
        """Whether ``fit`` accepts this."""
        return capability not in self.refused

    def refuse(self, **reasons: str) -> None:
        """State inputs that ``fit`` refuses; the reason completes the error message."""
        self.refused.update(reasons)

    def take(self, capability: str) -> None:
        """State that ``fit`` accepts this, unless a parent class has its own reason against it."""
        if self.refused.get(capability) in (ALL_LABELS, ON_HOST):
            del self.refused[capability]


@dataclass(slots=True)
class EstimatorTags(Tags):
    """scikit-learn's tags with those of labelspan."""

    label_tags: LabelTags = field(default_factory=LabelTags)


def with_label_tags(tags: Tags) -> EstimatorTags:
    """The same tags with those of labelspan added: no missing labels, no device."""
    return EstimatorTags(**{name: getattr(tags, name) for name in NAMES})


def follow_device(tags: EstimatorTags) -> None:
    """State that arrays learnt on a device stay there."""
    tags.array_api_support = True
    tags.label_tags.take("device")


def label_tags(estimator: Any) -> LabelTags:
    """The tags of an estimator for input validation."""
    found: LabelTags = estimator.__sklearn_tags__().label_tags
    return found


class Unweighted:
    """A ``fit`` without sample weights; passing them raises an error with the reason."""

    def fit(self, X: Any, y: Any = None, **refused: Any) -> Any:
        """Learn from rows of equal weight.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features. Sparse input is never made dense.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or (n_samples,)
            Label indicators in {0, 1}, bool or {-1, +1}; or a 1-d array of classes.
        **refused : dict
            Nothing else is accepted; `sample_weight` is refused with the reason.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        return super().fit(X, y, **refused)  # type: ignore[misc]
