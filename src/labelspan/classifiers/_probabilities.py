"""The abstract parent of classifiers whose scores are probabilities."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from labelspan.arrays import namespace
from labelspan.base import LabelClassifier
from labelspan.gate import of_rows


class ProbabilityClassifier(LabelClassifier):
    """Scores are probabilities; a label is predicted if its probability is above 0.5."""

    _shows_scores: ClassVar[bool] = False

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each label, or of each class of a 1-d `y`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels) or (n_samples, n_classes), float64
            For a 1-d `y` each row sums to 1. A Dask array gives a lazy one.
        """
        return of_rows(self, X, self._probabilities, lambda: len(self.classes_), np.float64)

    def _probabilities(self, X: Any) -> np.ndarray:
        P = self._scores(X)
        return normalised(P, len(self.classes_)) if self._one_dimensional else P

    def _thresholds(self, X: Any) -> Any:
        return 0.5


def normalised(P: np.ndarray, n_classes: int) -> np.ndarray:
    """Probabilities of exclusive classes from those of labels; one label is the second of two."""
    xp = namespace(P)
    if n_classes == 1:
        return xp.ones_like(P)
    if n_classes == 2:
        return xp.concat([1 - P, P], axis=1)
    total = xp.sum(P, axis=1, keepdims=True)
    # Without smoothing, every class can have probability 0; then none is preferred.
    safe = xp.where(total > 0, total, xp.ones_like(total))
    return xp.where(total > 0, P / safe, xp.full_like(P, 1 / n_classes))
