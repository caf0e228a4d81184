"""The measures as scorers, for scikit-learn's searches and cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from labelspan.base import label_scores
from labelspan.metrics._registry import MEASURES, Measure, get_measure


@dataclass(frozen=True, repr=False)
class MeasureScorer:
    """A measure that takes a fitted classifier and rows; greater is better.

    A measure of predicted labels gets ``predict``; a measure of scores gets
    ``decision_function`` or else ``predict_proba``. Losses are negated. For a 1-d `y`, two classes
    are one label and more classes are one label each, in the order of ``classes_``.

    Parameters
    ----------
    measure : Measure
        A measure of labels or scores, with its convention.

    Examples
    --------
    >>> from labelspan.classifiers import MultiOutputRidge
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.metrics import get_scorer
    >>> yeast = load_yeast()
    >>> model = MultiOutputRidge(1.0).fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    >>> score = get_scorer("ranking_loss")(model, yeast.X[yeast.test], yeast.Y[yeast.test])
    >>> print(f"{score:.2f}")
    -0.18
    """

    measure: Measure

    def __call__(self, estimator: Any, X: Any, y: Any, observed: Any = None) -> float:
        """Evaluate a fitted classifier; negated if smaller is better."""
        Y = indicators(estimator, y)
        if self.measure.needs == "labels":
            output = indicators(estimator, estimator.predict(X))
        else:
            self._check_scores(estimator)
            n_labels = 1 if np.ndim(Y) == 1 else Y.shape[1]
            output = label_scores(estimator, X, n_labels)
        value = self.measure(Y, output, observed)
        return value if self.measure.direction == "max" else -value

    def __repr__(self) -> str:
        parameters = "".join(f", {name}={value!r}" for name, value in self.measure.parameters)
        return f"get_scorer({self.measure.name!r}{parameters})"

    def _check_scores(self, estimator: Any) -> None:
        if not (hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")):
            labels = ", ".join(name for name, item in MEASURES.items() if item.needs == "labels")
            raise TypeError(
                f"The measure {self.measure.name!r} needs scores, but {type(estimator).__name__} "
                "has neither decision_function nor predict_proba. Use a measure of predicted "
                f"labels: {labels}."
            )


def get_scorer(name: str, convention: str = "sklearn", **parameters: Any) -> MeasureScorer:
    """Return a measure as a scorer for ``GridSearchCV``, ``cross_validate`` and the like.

    Parameters
    ----------
    name : str
        A key of `MEASURES`. Losses keep their names; their scores are negated.
    convention : str, default="sklearn"
        A key of `CONVENTIONS`.
    **parameters
        Keyword arguments of the measure that override the convention, such as ``k=1``.

    Returns
    -------
    MeasureScorer
        ``scorer(estimator, X, y) -> float``, greater is better.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from labelspan.classifiers import MultiOutputRidge
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.metrics import get_scorer
    >>> yeast = load_yeast()
    >>> grid = {"ridge": [0.01, 10.0]}
    >>> search = GridSearchCV(MultiOutputRidge(), grid, scoring=get_scorer("one_error"))
    >>> search.fit(yeast.X, yeast.Y).best_params_
    {'ridge': 10.0}
    """
    return MeasureScorer(get_measure(name, convention, **parameters))


#: A scorer for every measure of `MEASURES`, with scikit-learn's conventions.
scorers: Mapping[str, MeasureScorer] = MappingProxyType(
    {name: MeasureScorer(measure) for name, measure in MEASURES.items()}
)


def indicators(estimator: Any, y: Any) -> Any:
    """Labels in the form of the measures; classes of a 1-d y become columns."""
    if np.ndim(y) != 1:
        return y
    if not hasattr(estimator, "classes_"):
        raise TypeError(
            f"y is 1-d, but {type(estimator).__name__} has no classes_ to order its classes by. "
            "Pass y as a matrix of label indicators."
        )
    y, classes = np.asarray(y), np.asarray(estimator.classes_)
    # With two classes, the second is the label.
    columns = classes[1:2] if len(classes) == 2 else classes
    return y[:, None] == columns
