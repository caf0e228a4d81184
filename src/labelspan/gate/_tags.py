"""Tags that state which inputs ``fit`` accepts besides rows in memory with 0/1 labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from sklearn.utils import Tags, get_tags

from labelspan.registry import REFUSED, refused_by

# Cached, because listing them takes longer than filling them in, and every chunk needs them.
NAMES = tuple(f.name for f in fields(Tags))


@dataclass(slots=True)
class LabelTags:
    """The inputs that ``fit`` refuses, with reasons; see :class:`labelspan.registry.Row`."""

    refused: dict[str, str] = field(default_factory=lambda: dict(REFUSED))

    def takes(self, capability: str) -> bool:
        """Whether ``fit`` accepts this."""
        return capability not in self.refused

    def refuse(self, **reasons: str) -> None:
        """State inputs that ``fit`` refuses; the reason completes the error message."""
        self.refused.update(reasons)


@dataclass(slots=True)
class EstimatorTags(Tags):
    """scikit-learn's tags with those of labelspan."""

    label_tags: LabelTags = field(default_factory=LabelTags)


def with_label_tags(tags: Tags) -> EstimatorTags:
    """The same tags with those of labelspan added: no missing labels, no device."""
    return EstimatorTags(**{name: getattr(tags, name) for name in NAMES})


def complete_tags(estimator: Any, tags: Tags) -> EstimatorTags:
    """scikit-learn's tags with those of the registry, and of the parameters."""
    found = with_label_tags(tags)
    found.label_tags = label_tags(estimator)
    found.input_tags.sparse = True
    found.input_tags.pairwise = estimator._is_pairwise()
    found.array_api_support = found.label_tags.takes("device")
    found.target_tags.required = estimator._supervised
    if found.transformer_tags is not None:
        found.transformer_tags.preserves_dtype = ["float64", "float32"]
    if found.classifier_tags is not None:
        # Many labels; scikit-learn calls several columns of several classes multi-output.
        found.classifier_tags.multi_label = True
    else:
        found.target_tags.multi_output = True
    inner = estimator._checked_by()
    if inner is not None:
        theirs = get_tags(inner).input_tags
        found.input_tags.sparse, found.input_tags.allow_nan = theirs.sparse, theirs.allow_nan
        found.input_tags.pairwise = theirs.pairwise
    return found


def label_tags(estimator: Any) -> LabelTags:
    """What ``fit`` refuses: by its class, as the registry says, and by its parameters."""
    kind: type = type(estimator)
    return LabelTags({**refused_by(kind), **estimator._refusals()})


def unweighted(fit: Callable[..., Any]) -> Any:
    """The method `fit` of a parent without sample weights, which the gate refuses with reason."""

    def fit_alike(self: Any, X: Any, y: Any = None, observed: Any = None, **refused: Any) -> Any:
        """Learn from rows of equal weight.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Features. Sparse input is never made dense.
        y : array-like, sparse matrix or frame of shape (n_samples, n_labels), or (n_samples,)
            Label indicators in {0, 1}, bool or {-1, +1}, NaN where a label is not observed if the
            method accepts it; or a 1-d array of classes.
        observed : array-like or sparse matrix of bool, (n_samples, n_labels), or None, default=None
            Which labels of a sparse `y` are observed, where not all of them are. The labels are
            then made dense.
        **refused : dict
            Nothing else is accepted; `sample_weight` is refused with the reason.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        return fit(self, X, y, observed=observed, **refused)

    fit_alike.__name__ = "fit"
    return fit_alike
