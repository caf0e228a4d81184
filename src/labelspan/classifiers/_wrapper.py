"""The abstract parent of classifiers that refine the scores of another one."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags, indexable

from labelspan.base import LabelClassifier, held_out_scores, remember_features
from labelspan.gate import (
    Labels,
    check_splits,
    check_target,
    check_weights,
    label_tags,
    refuse_dask,
    refuse_device,
    unweighted,
)
from labelspan.registry import IN_MEMORY


class Wrapper(MetaEstimatorMixin, LabelClassifier):
    """Fits an estimator, which checks X, on all rows, then learns from its scores (``_tune``)."""

    estimator: Any
    n_jobs: int | None
    fit = unweighted(LabelClassifier.fit)

    @abstractmethod
    def _tune(self, X: Any, labels: Labels) -> None:
        """Learn from the rows and their labels; ``estimator_`` is fitted."""

    def _gate(self, X: Any, y: Any, sample_weight: Any, **_: Any) -> tuple[Any, Labels]:
        refuse_dask(self, label_tags(self).refused["dask"], X=X, y=y)
        refuse_device(self, X)
        check_weights(self, X, sample_weight, 1)
        return X, check_target(self, X, y)

    def _rows(self, X: Any) -> Any:
        return X

    def _learn(self, X: Any, labels: Labels) -> None:
        self.estimator_ = clone(self.estimator).fit(X, labels.target)
        remember_features(self, self.estimator_)
        self._tune(X, labels)

    def _cross_scores(
        self, X: Any, target: Any, cv: Any
    ) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
        """Scores (n, q) of every row by a clone of the estimator fitted without it; the folds."""
        (X,) = indexable(X)
        splits = check_splits(cv, X, target)
        held_out = np.concatenate([test for _, test in splits])
        if not np.array_equal(np.sort(held_out), np.arange(target.shape[0])):
            raise ValueError(
                "cv does not hold out every row exactly once, but each row needs one held-out "
                "score. Use an integer or a KFold."
            )
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(held_out_scores)(clone(self.estimator), X, target, fold, self._n_labels)
            for fold in splits
        )
        return np.concatenate(parts)[np.argsort(held_out)], splits

    def _checked_by(self) -> Any:
        return self.estimator

    def _refusals(self) -> dict[str, str]:
        refused = {
            "dask": IN_MEMORY,
            "sample_weight": "what it learns from held-out scores counts every row once",
            "soft_labels": "scores are tuned to rows that have a label and rows that lack it",
        }
        # Estimators of other libraries check their input themselves.
        theirs = getattr(get_tags(self.estimator), "label_tags", None)
        if theirs is not None and not theirs.takes("missing_labels"):
            of = f"its estimator {type(self.estimator).__name__} does"
            refused["missing_labels"] = f"{of}, because {theirs.refused['missing_labels']}"
        return refused
