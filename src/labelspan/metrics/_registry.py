"""The list of measures, and the conventions of the papers by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Literal

from labelspan.metrics import _auc, _mean, _ranking, _sets, _topk

Direction = Literal["max", "min"]
Needs = Literal["labels", "scores", "model"]


@dataclass(frozen=True)
class Measure:
    """A measure with its direction, conventions and inputs.

    Parameters
    ----------
    name : str
        Its name in `MEASURES`.
    function : callable
        ``function(Y_true, output, **parameters) -> float``.
    direction : {"max", "min"}
        Whether larger or smaller is better.
    needs : {"labels", "scores", "model"}
        Whether `output` is the predicted indicators, the scores, or the fitted model with the
        rows to evaluate; none of `MEASURES` needs the last.
    title : str
        Its name in a table.
    parameters : tuple of (str, value)
        Keyword arguments: the convention.

    Examples
    --------
    >>> from labelspan.metrics import MEASURES
    >>> measure = MEASURES["hamming_loss"]
    >>> measure.direction, measure.needs, measure([[1, 0]], [[1, 1]])
    ('min', 'labels', 0.5)
    """

    name: str
    function: Callable[..., float]
    direction: Direction
    needs: Needs
    title: str
    parameters: tuple[tuple[str, Any], ...] = ()

    def __call__(self, Y_true: Any, output: Any, observed: Any = None) -> float:
        """Evaluate the measure on true labels and predicted labels or scores."""
        # A caller's own measure need not have this argument.
        if observed is not None:
            return self.function(Y_true, output, observed=observed, **dict(self.parameters))
        return self.function(Y_true, output, **dict(self.parameters))


_LIST = (
    Measure("hamming_loss", _sets.hamming_loss, "min", "labels", "Hamming loss"),
    Measure("subset_accuracy", _sets.subset_accuracy, "max", "labels", "Subset accuracy"),
    Measure("instance_accuracy", _sets.instance_accuracy, "max", "labels", "Accuracy"),
    Measure("instance_precision", _sets.instance_precision, "max", "labels", "Precision"),
    Measure("instance_recall", _sets.instance_recall, "max", "labels", "Recall"),
    Measure("samples_f1", _sets.samples_f1, "max", "labels", "F1"),
    Measure("micro_f1", _sets.micro_f1, "max", "labels", "Micro-F1"),
    Measure("macro_f1", _sets.macro_f1, "max", "labels", "Macro-F1"),
    Measure("ranking_loss", _ranking.ranking_loss, "min", "scores", "Ranking loss"),
    Measure("one_error", _ranking.one_error, "min", "scores", "One-error"),
    Measure("coverage", _ranking.coverage, "min", "scores", "Coverage"),
    Measure("average_precision", _ranking.average_precision, "max", "scores", "Average precision"),
    Measure("macro_auc", _auc.macro_auc, "max", "scores", "Macro AUC"),
    Measure("micro_auc", _auc.micro_auc, "max", "scores", "Micro AUC"),
    Measure("precision_at_k", _topk.precision_at_k, "max", "scores", "Precision@5"),
    Measure("recall_at_k", _topk.recall_at_k, "max", "scores", "Recall@5"),
    Measure("ndcg_at_k", _topk.ndcg_at_k, "max", "scores", "nDCG@5"),
    Measure("squared_error", _mean.squared_error, "min", "scores", "Squared error"),
)

#: Every measure that needs no more than truth and output, by name.
MEASURES = MappingProxyType({measure.name: measure for measure in _LIST})

_SKIP = {"undefined_rows": "skip"}

_MDDM: Mapping[str, Mapping[str, Any]] = {
    "ranking_loss": {"ties": "worst", **_SKIP},
    "one_error": {"ties": "best", **_SKIP},
    "coverage": {"ties": "worst", **_SKIP},
    "average_precision": {"ties": "worst", **_SKIP},
    "macro_auc": {"undefined_labels": "skip"},
}
#: Keyword arguments of each measure that a paper fixes; a measure not listed keeps its defaults,
#: which are scikit-learn's.
CONVENTIONS: Mapping[str, Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "sklearn": {},
        "mddm": {"macro_f1": {"zero_division": 1.0}, **_MDDM},
        # What agrees with the values that the MDDM paper prints.
        "mddm-smoothed": {"macro_f1": {"smoothing": 1.0}, **_MDDM},
        "mvmd": {
            name: {"zero_division": 0.0}
            for name in ("instance_accuracy", "instance_precision", "instance_recall", "samples_f1")
        },
    }
)

#: The measures that each paper reports, in its order.
PAPER_MEASURES = MappingProxyType(
    {
        "mddm": (
            "hamming_loss",
            "micro_f1",
            "macro_f1",
            "ranking_loss",
            "one_error",
            "coverage",
            "average_precision",
            "macro_auc",
        ),
        "mvmd": (
            "hamming_loss",
            "instance_accuracy",
            "instance_precision",
            "instance_recall",
            "samples_f1",
            "subset_accuracy",
        ),
    }
)


def get_measure(name: str, convention: str = "sklearn", **parameters: Any) -> Measure:
    """Return a measure with the conventions of a paper bound to it.

    Parameters
    ----------
    name : str
        A key of `MEASURES`.
    convention : str, default="sklearn"
        A key of `CONVENTIONS`.
    **parameters
        Keyword arguments that override the convention.

    Returns
    -------
    Measure

    Examples
    --------
    >>> from labelspan.metrics import get_measure
    >>> get_measure("macro_f1", "mddm")([[1, 0]], [[1, 0]])
    1.0
    """
    if name not in MEASURES:
        near = get_close_matches(str(name).lower(), MEASURES, n=3)
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise ValueError(f"There is no measure {name!r}; use one of {', '.join(MEASURES)}.{hint}")
    if convention not in CONVENTIONS:
        raise ValueError(
            f"There is no convention {convention!r}; use one of {', '.join(CONVENTIONS)}."
        )
    bound = {**CONVENTIONS[convention].get(name, {}), **parameters}
    measure = MEASURES[name]
    title = re.sub(r"@\d+$", f"@{bound['k']}", measure.title) if "k" in bound else measure.title
    return replace(measure, title=title, parameters=tuple(bound.items()))


def evaluate(
    Y_true: Any,
    Y_pred: Any = None,
    Y_score: Any = None,
    *,
    measures: Iterable[str | Measure] | None = None,
    convention: str = "sklearn",
    observed: Any = None,
) -> dict[str, float]:
    """Evaluate several measures at once.

    Parameters
    ----------
    Y_true : array-like or sparse of shape (n_samples, n_labels)
        True label indicators.
    Y_pred : array-like or sparse of shape (n_samples, n_labels), optional
        Predicted label indicators.
    Y_score : array-like or sparse of shape (n_samples, n_labels), optional
        Scores.
    measures : iterable of str or Measure, optional
        By default every measure whose output was given.
    convention : str, default="sklearn"
        A key of `CONVENTIONS`, for the measures given by name.
    observed : array-like or sparse of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y_true` are observed; in a dense one the others are NaN.

    Returns
    -------
    dict of str to float
        Values by name; a measure requested with several parameters has them in its name:
        ``"precision_at_k(k=1)"``.

    Examples
    --------
    >>> from labelspan.metrics import evaluate
    >>> evaluate([[1, 0], [0, 1]], [[1, 0], [1, 1]], measures=["hamming_loss", "micro_f1"])
    {'hamming_loss': 0.25, 'micro_f1': 0.8}
    """
    outputs = {"labels": Y_pred, "scores": Y_score}
    if measures is None:
        measures = [name for name, item in MEASURES.items() if outputs[item.needs] is not None]
    asked = [get_measure(item, convention) if isinstance(item, str) else item for item in measures]
    results: dict[str, float] = {}
    for measure in asked:
        if outputs[measure.needs] is None:
            argument = "Y_pred" if measure.needs == "labels" else "Y_score"
            raise ValueError(f"The measure {measure.name!r} needs {argument}, which is None.")
        key = measure.name
        if sum(other.name == key for other in asked) > 1:
            told = ", ".join(f"{name}={value}" for name, value in measure.parameters)
            key += f"({told})" if told else ""
        if key in results:
            raise ValueError(f"The measure {key} is requested twice; drop one of them.")
        results[key] = measure(Y_true, outputs[measure.needs], observed)
    return results
