"""The six methods of the shared-subspace paper, tuned as in its Sec. 6.1."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import KFold

from labelspan.classifiers import MultiOutputRidge, ThresholdTuner
from labelspan.cuts import above, tuned_thresholds
from labelspan.metrics import macro_f1
from labelspan.papers._printed import PrintedCCA
from labelspan.subspace import (
    ASOClassifier,
    HingeProblem,
    SharedSubspaceClassifierCV,
    row_coordinates,
)


@dataclass(frozen=True)
class Linear:
    """Scores X U + b, with U (D, q) and b (q,)."""

    U: np.ndarray
    b: np.ndarray

    def __call__(self, X: Any) -> np.ndarray:
        return np.asarray(X @ self.U) + self.b


Candidates = Iterator[tuple[tuple[float, ...], Linear]]


def powers(first: int, last: int) -> tuple[float, ...]:
    return tuple(10.0**i for i in range(first, last + 1))


# Candidates of Sec. 6.1 for the ridge of CCA and that of the regression or C, for C, for alpha.
GRIDS: dict[str, tuple[tuple[float, ...], ...]] = {
    "CCA+Ridge": (powers(-6, 1), powers(-6, 0)),
    "CCA+SVM": (powers(-6, 1), powers(-4, 5)),
    "SVM": (powers(-5, 5),),
    "ASO_SVM": (powers(-4, 3),),
}


class SearchedBaseline(ClassifierMixin, BaseEstimator):
    """A baseline with parameters tuned by cross-validated macro F1 and thresholds by training F1.

    `grid` holds the candidates of its one or two parameters, those of the paper if None. The search
    cuts scores at thresholds tuned on its training folds, or at 0 if not `cuts_in_search`.
    """

    def __init__(
        self,
        family: str = "SVM",
        grid: tuple[tuple[float, ...], ...] | None = None,
        n_folds: int = 5,
        cuts_in_search: bool = True,
    ):
        self.family = family
        self.grid = grid
        self.n_folds = n_folds
        self.cuts_in_search = cuts_in_search

    def fit(self, X: Any, Y: Any) -> SearchedBaseline:
        Y = np.asarray(Y)
        grid = self.grid or GRIDS[self.family]
        self.classes_ = np.tile([0, 1], (Y.shape[1], 1))
        with warnings.catch_warnings():
            # Candidates at the ends of the grids may not converge or may lack a label.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.scores_ = self._search(X, Y, grid)
        self.best_params_ = max(self.scores_, key=self.scores_.__getitem__)
        chosen = tuple((value,) for value in self.best_params_)
        ((_, self.model_),) = candidates(self.family, X, Y, chosen)
        self.thresholds_ = tuned_thresholds(self.model_(X), Y > 0, "per_label_f1")
        return self

    def _search(
        self, X: Any, Y: np.ndarray, grid: tuple[tuple[float, ...], ...]
    ) -> dict[tuple[float, ...], float]:
        if all(len(values) == 1 for values in grid):
            return {tuple(values[0] for values in grid): np.nan}
        found: dict[tuple[float, ...], float] = {}
        for train, test in KFold(self.n_folds).split(Y):
            for parameters, model in candidates(self.family, X[train], Y[train], grid):
                cuts: Any = 0.0
                if self.cuts_in_search:
                    cuts = tuned_thresholds(model(X[train]), Y[train] > 0, "per_label_f1")
                predicted = (model(X[test]) > cuts).astype(int)
                value = macro_f1(Y[test], predicted) / self.n_folds
                found[parameters] = found.get(parameters, 0.0) + value
        return found

    def decision_function(self, X: Any) -> np.ndarray:
        return above(self.model_(X), self.thresholds_)

    def predict(self, X: Any) -> np.ndarray:
        return (self.decision_function(X) > 0).astype(np.int64)


def candidates(
    family: str, X: Any, Y: np.ndarray, grid: tuple[tuple[float, ...], ...]
) -> Candidates:
    """Fit a family at every point of its grid, with shared computations."""
    if family == "ASO_SVM":
        for alpha in grid[0]:
            model = ASOClassifier(alpha=alpha, random_state=0).fit(X, Y)
            yield (alpha,), Linear(model.coef_.T, model.intercept_)
    elif family == "SVM":
        Z, lift = row_coordinates(X)
        for C, model in machines(Z, Y, grid[0]):
            yield (C,), Linear(lift(model.U), model.b)
    else:
        regress = machines if family == "CCA+SVM" else regressions
        for ridge, (A, directions) in projections(X, Y, grid[0]):
            for value, model in regress(A, Y, grid[1]):
                U = directions.U @ model.U
                yield (ridge, value), Linear(U, directions.b @ model.U + model.b)


def machines(X: Any, Y: np.ndarray, costs: tuple[float, ...]) -> Iterator[tuple[float, Linear]]:
    """One SVM per label with an unpenalised intercept, as in LIBSVM; increasing C, warm starts."""
    problem = HingeProblem(X, 2.0 * Y - 1.0, costs[0])
    for C in costs:
        problem.raise_price(C)
        yield C, Linear(*problem.solve(np.zeros(Y.shape)))


def regressions(X: Any, Y: np.ndarray, ridges: tuple[float, ...]) -> Iterator[tuple[float, Linear]]:
    for ridge in ridges:
        model = MultiOutputRidge(ridge).fit(X, Y)
        yield ridge, Linear(model.coef_.T, model.intercept_)


def projections(
    X: Any, Y: np.ndarray, ridges: tuple[float, ...]
) -> Iterator[tuple[float, tuple[np.ndarray, Linear]]]:
    """Canonical variables of the rows, and the linear map to them."""
    Z, lift = row_coordinates(X)
    for ridge in ridges:
        cca = PrintedCCA(None, ridge=ridge, label_ridge=0.0).fit(Z, Y)
        directions = cca.components_.T
        yield ridge, (cca.transform(Z), Linear(lift(directions), -cca.mean_ @ directions))


def searched_subspace(n_folds: int = 5) -> SharedSubspaceClassifierCV:
    """ML_LS: alpha and beta from the paper's candidates by macro F1; thresholds by training F1."""
    return SharedSubspaceClassifierCV(cv=KFold(n_folds), threshold="per_label_f1")


def searched_blindly(n_folds: int = 5) -> ThresholdTuner:
    """ML_LS: alpha and beta by the macro F1 of positive scores; then thresholds by training F1."""
    return ThresholdTuner(SharedSubspaceClassifierCV(cv=KFold(n_folds)), "per_label_f1")


# Of the inverse squared median distance.
WIDTHS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
# Eigenvalues below this share of the largest are rounding.
LEAST = 1e-10


class OnKernels(ClassifierMixin, BaseEstimator):
    """A method of the paper on the coordinates of the rows in the feature space of the kernel.

    With K = Z Z' for the centred kernel of the training rows, a linear method on Z is its kernel
    form; new rows have the coordinates of their projections on the training rows.
    """

    def __init__(
        self,
        family: str = "ML_LS",
        grid: tuple[tuple[float, ...], ...] | None = None,
        n_folds: int = 5,
    ):
        self.family = family
        self.grid = grid
        self.n_folds = n_folds

    def fit(self, X: Any, Y: Any) -> OnKernels:
        distances = squared_distances(X, X)
        above = distances[np.triu_indices_from(distances, 1)]
        self.rows_, self.median_ = X, float(np.median(above[above > 0]))
        K = self._values(distances)
        self.mean_ = K.mean(axis=0)
        K = K - self.mean_ - (self.mean_ - self.mean_.mean())[:, None]
        values, U = np.linalg.eigh((K + K.T) / 2)
        kept = values > LEAST * values[-1]
        self.inverse_ = U[:, kept] / np.sqrt(values[kept])
        Z = U[:, kept] * np.sqrt(values[kept])
        ours = self.family == "ML_LS"
        model = (
            searched_subspace(self.n_folds)
            if ours
            else SearchedBaseline(self.family, self.grid, self.n_folds)
        )
        self.model_ = model.fit(Z, Y)
        self.classes_ = self.model_.classes_
        return self

    def _values(self, distances: np.ndarray) -> np.ndarray:
        parts = [np.exp(-width / self.median_ * distances) for width in WIDTHS]
        return np.mean(parts, axis=0)

    def _coordinates(self, X: Any) -> np.ndarray:
        K = self._values(squared_distances(X, self.rows_)) - self.mean_
        K = K - K.mean(axis=1, keepdims=True)
        coordinates: np.ndarray = K @ self.inverse_
        return coordinates

    def decision_function(self, X: Any) -> Any:
        return self.model_.decision_function(self._coordinates(X))

    def predict(self, X: Any) -> Any:
        return self.model_.predict(self._coordinates(X))


def squared_distances(A: Any, B: Any) -> np.ndarray:
    distances: np.ndarray = euclidean_distances(A, B, squared=True)
    return distances
