"""The abstract parent of linear classifiers that come with a subspace."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from labelspan.base import LabelClassifier
from labelspan.gate import of_rows
from labelspan.moments import project


class SubspaceClassifier(
    LabelClassifier, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Linear scores and projections on ``theta_`` relative to ``mean_``; a method learns them."""

    theta_: np.ndarray
    mean_: np.ndarray

    def transform(self, X: Any) -> Any:
        """Project on the shared subspace: ``(X - mean_) @ theta_.T``.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_components_), or a lazy Dask array for one
            Projections.
        """
        return of_rows(self, X, self._project, lambda: len(self._basis))

    def _project(self, X: Any) -> np.ndarray:
        return project(X, self.mean_, self._basis)

    @property
    def _basis(self) -> np.ndarray:
        """The directions that ``transform`` projects on, (r, D)."""
        return self.theta_

    @property
    def _n_features_out(self) -> int:
        return len(self._basis)
