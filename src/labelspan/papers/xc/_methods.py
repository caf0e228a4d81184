"""Label-space models as the Extreme Classification Repository ranks them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize

from labelspan.labelspace import CPLST, LEML, PLST, CompressedSensing, LabelSubset
from labelspan.metrics import precision_at_k, propensities

RIDGES = (0.1, 0.3, 1.0, 3.0, 10.0)
#: One row in this many is held out to choose the ridge.
ONE_IN = 5
MODELS: dict[str, Any] = {
    "PLST": lambda M, ridge: PLST(M, ridge=ridge),
    "CPLST": lambda M, ridge: CPLST(M, ridge=ridge),
    "LEML": lambda M, ridge: LEML(M, ridge=ridge),
    "CS": lambda M, ridge: CompressedSensing(M, ridge=ridge, random_state=0),
    "ML-CSSP": lambda M, ridge: LabelSubset(M, selection="leverage", random_state=0),
}
WITHOUT_RIDGE = ("ML-CSSP",)


class Ranked(BaseEstimator):
    """A label-space model on rows of unit length, with the propensities of its training labels.

    The ridge has the highest precision at 1 on every fifth training row, after a fit on the
    others. ML-CSSP has no ridge.
    """

    def __init__(
        self, model: str = "CPLST", n_components: int = 100, ridges: tuple[float, ...] = RIDGES
    ):
        self.model = model
        self.n_components = n_components
        self.ridges = ridges

    def fit(self, X: Any, Y: Any) -> Ranked:
        X = normalize(X)
        self.propensities_ = propensities(Y)
        make = MODELS[self.model]
        candidates = self.ridges[:1] if self.model in WITHOUT_RIDGE else self.ridges
        self.ridge_ = candidates[0]
        if len(candidates) > 1:
            held = np.arange(X.shape[0]) % ONE_IN == 0
            found = [
                precision_at_k(
                    Y[held],
                    make(self.n_components, ridge)
                    .fit(X[~held], Y[~held])
                    .decision_function(X[held]),
                    k=1,
                )
                for ridge in candidates
            ]
            self.ridge_ = candidates[int(np.argmax(found))]
        self.estimator_ = make(self.n_components, self.ridge_).fit(X, Y)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        return self.estimator_.decision_function(normalize(X))

    def predict(self, X: Any) -> np.ndarray:
        return self.estimator_.predict(normalize(X))
