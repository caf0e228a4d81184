"""The abstract parent of the ranking family: input validation, pairs, scores, prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from labelspan.base import THRESHOLD, LabelClassifier, chosen_thresholds, decide
from labelspan.compat import Interval
from labelspan.gate import Labels, in_dtype, with_complement
from labelspan.moments import longest_row, score_at, warn_of_unobserved
from labelspan.ranking._fit import Fit, warn_unconverged
from labelspan.ranking._pairs import Pairs
from labelspan.ranking._set_size import fit_threshold
from labelspan.system import Watch

COMMON: dict[str, list[Any]] = {
    "C": [Interval(Real, 0, None, closed="neither")],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "max_pairs": [None, Interval(Integral, 1, None, closed="left")],
    "min_labels": [Interval(Integral, 0, None, closed="left")],
    "max_time": [Interval(Real, 0, None, closed="neither"), None],
    "verbose": ["verbose"],
    "random_state": ["random_state"],
    "threshold": THRESHOLD,
}


def keep_common(classifier: Any, *values: Any) -> None:
    """Store the parameters that every method of the family has behind C, in the order above."""
    vars(classifier).update(zip([*COMMON][1:], values, strict=True))


class RankingClassifier(LabelClassifier):
    """Linear scores of labels, learnt so that the labels of an instance outrank the others.

    A method learns W from rows and pairs (``_solve``). A label is predicted if W'x exceeds the
    threshold function, and never if it was never observed; one label is trained as [y, 1 - y].
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = COMMON
    _min_samples: ClassVar[int] = 1
    C: float
    tol: float
    max_iter: int
    max_time: float | None
    verbose: int
    max_pairs: int | None
    min_labels: int
    random_state: Any
    n_iter_: int

    @abstractmethod
    def _solve(
        self, X: Any, pairs: Pairs, n_labels: int, rng: np.random.Generator, watch: Watch
    ) -> Fit:
        """Solve the problem; W has a row for each feature of X and one for the bias."""

    def _learn(self, X: Any, labels: Labels) -> None:
        Y = with_complement(labels.Y)
        never = np.isnan(labels.Y).all(axis=0) if labels.missing else np.zeros(0, dtype=bool)
        self._never = never if never.any() else None
        if self._never is not None:
            warn_of_unobserved(~never)
        rng = generator(self.random_state)
        pairs = Pairs.of(Y, self.max_pairs, rng, labels.weights)
        watch = Watch(type(self).__name__, self.max_time, self.verbose, self.tol)
        try:
            fit = self._solve(X, pairs, Y.shape[1], rng, watch)
        except np.linalg.LinAlgError as error:
            raise ValueError(
                f"A Newton step of {type(self).__name__} is singular in float64: the longest row "
                f"of X has the norm {longest_row(X):.3g}, and C={self.C:g}. Scale X first, e.g. by "
                "sklearn.preprocessing.StandardScaler, or lower C."
            ) from error
        self.n_iter_, self.n_pairs_ = fit.n_sweeps, int(pairs.start[-1])
        warn_unconverged(fit.gap, self.tol, self.n_iter_, self.max_iter, watch)
        # The arrays for prediction have the dtype of X, the certificates are float64.
        W = fit.W[:, :1] - fit.W[:, 1:] if self._n_labels == 1 else fit.W
        self._keep(X, W[:-1], W[-1])
        self.label_covariance_ = fit.covariance.matrix()
        self.primal_objective_, self.dual_objective_ = fit.primal, fit.dual
        self.objectives_ = np.array(fit.objectives)
        usable = np.flatnonzero(pairs.counts)
        self._threshold = t = fit_threshold(X, Y, usable, fit, self._mean, labels.weights)
        self.threshold_coef_ = in_dtype(t.coef, X.dtype, "threshold_coef_")
        self.threshold_intercept_ = float(score_at(t.mean, -t.coef[:, None], t.level)[0])

    def _decisions(self, X: Any) -> Iterator[np.ndarray]:
        if self._n_labels == 1 and not self._one_dimensional:
            # The absence of the label is a second label, so every row has one of the two.
            chosen = chosen_thresholds(self)
            cut = 0.0 if chosen is None else chosen
            yield (self._scores(X) > cut) & (self._never is None)
        elif self._never is not None:
            # Such a label has the score 0, which may be above a threshold.
            scores = np.where(self._never, -np.inf, self._scores(X))
            yield decide(self, scores, self._cut(X))
        else:
            yield from super()._decisions(X)

    def _thresholds(self, X: Any) -> Any:
        if self._one_dimensional:
            return 0.0
        return self._threshold.of(X)[:, None]


def generator(random_state: Any) -> np.random.Generator:
    """A NumPy generator from anything that scikit-learn takes as a random state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
