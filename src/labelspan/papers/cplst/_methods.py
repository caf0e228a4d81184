"""PLST and CPLST with the regressors of Chen and Lin (2012), one fit for every number of codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

import joblib
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from labelspan.arrays import dense
from labelspan.kernels import (
    RIDGES,
    KernelCPLST,
    KernelCPLSTCV,
    gram,
    held_out,
    kernel_map,
    kernel_spectrum,
    leading_vectors,
    losses_of_codes,
)
from labelspan.labelspace import CPLST, PLST

N_FOLDS = 5


class FirstCodes(BaseEstimator):
    """The first M codes of a model with all of them, which cells that differ only in M share.

    The last fit is kept. `codes` is "plst" or "cplst"; with a "kernel" regressor, "cplst" is
    kernel-CPLST, and "same kernel" means that both codes have its width and ridge.
    """

    def __init__(self, codes: str = "plst", regressor: str = "linear", n_components: int = 1):
        self.codes = codes
        self.regressor = regressor
        self.n_components = n_components

    def fit(self, X: Any, Y: Any) -> FirstCodes:
        self.fitted_ = FITS[self.regressor](Sample.of(X, Y), self.codes)
        self.n_components_ = min(self.n_components, len(self.fitted_.V))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """V'r(x) + ybar minus the threshold of one half, for the first M rows of V."""
        V, mean = self.fitted_.V[: self.n_components_], self.fitted_.mean
        return (all_scores(self.fitted_, Sample.of(X)) - mean) @ V.T @ V + mean - 0.5

    def predict(self, X: Any) -> np.ndarray:
        return (self.decision_function(X) > 0).astype(np.int64)


@dataclass(frozen=True)
class Sample:
    digest: str
    X: Any = field(compare=False)
    Y: Any = field(compare=False)

    @classmethod
    def of(cls, X: Any, Y: Any = None) -> Sample:
        Y = Y.toarray() if sparse.issparse(Y) else Y
        return cls(str(joblib.hash((X, Y))), X, Y)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model of all codes: its directions V (K, q), label means, and scores (n, q) of new rows."""

    V: np.ndarray
    mean: np.ndarray
    scores: Callable[[Any], np.ndarray]


@lru_cache(maxsize=2)
def all_scores(fitted: Fitted, sample: Sample) -> np.ndarray:
    return fitted.scores(sample.X)


def linear(sample: Sample, codes: str) -> Fitted:
    return least_squares(sample)[codes]


@lru_cache(maxsize=1)
def least_squares(sample: Sample) -> dict[str, Fitted]:
    """Both codes by one regression: with all codes, the scores are those of the labels.

    The codes are the columns of Z V' for an orthogonal V, and least squares is linear in its
    targets.
    """
    model = CPLST(ridge=0.0).fit(sample.X, sample.Y)
    Y = np.asarray(sample.Y, dtype=np.float64)
    directions = {"plst": leading_codes(Y), "cplst": model.components_}
    return {name: Fitted(V, model.label_mean_, scores_of(model)) for name, V in directions.items()}


@lru_cache(maxsize=2)
def cubist(sample: Sample, codes: str) -> Fitted:
    """Cubist, the successor of the M5 that WEKA's M5P rebuilds, with its defaults."""
    trees: Any = import_module("cubist").Cubist(random_state=0)
    if sparse.issparse(sample.X):
        # Cubist takes dense rows only.
        trees = make_pipeline(FunctionTransformer(dense, accept_sparse=True), trees)
    return _fitted(LINEAR[codes](regressor=trees), sample)


LINEAR: dict[str, Callable[..., Any]] = {
    "plst": partial(PLST, ridge=0.0),
    "cplst": partial(CPLST, ridge=0.0),
}


def _fitted(model: Any, sample: Sample) -> Fitted:
    model.fit(sample.X, sample.Y)
    return Fitted(model.components_, model.label_mean_, scores_of(model))


def scores_of(model: Any) -> Callable[[Any], np.ndarray]:
    return lambda X: model.decode(model.regressor_.predict(X))


def kernel(sample: Sample, codes: str) -> Fitted:
    return kernel_search(sample)[codes][codes]


def same_kernel(sample: Sample, codes: str) -> Fitted:
    return kernel_search(sample)["cplst"][codes]


@lru_cache(maxsize=1)
def kernel_search(sample: Sample) -> dict[str, dict[str, Fitted]]:
    """Width and ridge of PLST and of kernel-CPLST by the sum of the losses of all M (Sec. 4.3).

    Features are not scaled, as the paper mentions none. Returns both codes with this regression,
    by the method whose width and ridge were used.
    """
    X, Y = sample.X, np.asarray(sample.Y, dtype=np.float64)
    folds = [test for _, test in KFold(N_FOLDS).split(Y)]
    widths = KernelCPLSTCV()._widths(X)
    # Those of PLST depend on neither the width nor the ridge.
    plain = [leading_codes(np.delete(Y, fold, axis=0)).T for fold in folds]
    losses = np.array([width_losses(X, Y, gamma, folds, plain) for gamma in widths])
    names = ("plst", "cplst")
    best = {codes: int(np.argmin(losses[:, :, place])) for place, codes in enumerate(names)}
    fitted = {}
    for point in set(best.values()):
        gamma, ridge = np.unravel_index(point, losses.shape[:2])
        model = KernelCPLST(gamma=widths[gamma], ridge=RIDGES[ridge]).fit(X, Y)
        directions = {"plst": leading_codes(Y), "cplst": model.components_}
        fitted[point] = {
            name: Fitted(V, model.label_mean_, scores_of(model)) for name, V in directions.items()
        }
    return {codes: fitted[point] for codes, point in best.items()}


def width_losses(
    X: Any, Y: np.ndarray, gamma: float, folds: list[Any], plain: list[np.ndarray]
) -> np.ndarray:
    """Losses (ridge, codes) of both methods, summed over numbers of codes and folds.

    `plain` are the directions (q, q) of PLST without each fold.
    """
    form = kernel_spectrum(gram(kernel_map(KernelCPLST(gamma=gamma), X), X), Y)
    losses = np.zeros((len(RIDGES), 2))
    for i, fits in enumerate(held_out(form, Y, RIDGES, folds)):
        for held, fold, V in zip(fits, folds, plain, strict=True):
            for j, codes in enumerate((V, leading_vectors(held.label_matrix))):
                losses[i, j] += losses_of_codes(held, codes, Y[fold]).sum()
    return losses


def leading_codes(Y: np.ndarray) -> np.ndarray:
    """Eigenvectors of Z'Z as rows, the leading one first."""
    Z = Y - Y.mean(axis=0)
    return np.ascontiguousarray(leading_vectors(Z.T @ Z).T)


#: How a model of all codes is fitted, by the name of its regressor.
FITS: dict[str, Callable[[Sample, str], Fitted]] = {
    "linear": linear,
    "cubist": cubist,
    "kernel": kernel,
    "same kernel": same_kernel,
}
