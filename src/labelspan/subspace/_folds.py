"""The spectral form of a training fold, and the scores of every grid point from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from labelspan.arrays import cast, dense, like, rows_at
from labelspan.gate import check_square
from labelspan.linalg import narrow, spectral
from labelspan.moments import Moments, Sample, collect, project, summarise
from labelspan.search import Fold, parts_of
from labelspan.subspace._shared_subspace import default_n_components, shared_labels


@dataclass(frozen=True)
class FoldForm:
    """Training rows X = U diag(s) V' and the rows to score in the same coordinates.

    Attributes
    ----------
    s : ndarray of shape (t,)
        Singular values of the (centred) training rows.
    US : ndarray of shape (t, q)
        U'S, S the (centred) labels in {-1, +1}.
    Z : ndarray of shape (n_scored, t)
        Rows to score, times V.
    s_mean : ndarray of shape (q,)
        Mean of the training labels, zero without an intercept.
    weight : float
        Sum of the weights of the training rows; their number if they have none.
    """

    s: np.ndarray
    US: np.ndarray
    Z: np.ndarray
    s_mean: np.ndarray
    weight: float

    def grid(
        self, alphas: Sequence[float], betas: Sequence[float], dimensions: Sequence[int | None]
    ) -> Iterator[tuple[tuple[int, int, int], np.ndarray]]:
        """Scores at every point of the grid, with its indices into the three sequences.

        O(n_scored t q) per pair of alpha and beta; one score matrix is held at a time.
        """
        default = default_n_components(len(self.s_mean))
        for j, beta in enumerate(betas):
            loose_share, loose = self._ridge(beta)
            for i, alpha in enumerate(alphas):
                tight_share, tight = self._ridge(alpha + beta) if alpha else (loose_share, loose)
                P, _ = shared_labels(np.sqrt(loose_share * tight_share), self.US)
                for k, n_components in enumerate(dimensions):
                    kept = like(self.Z, P[:, : default if n_components is None else n_components])
                    scores = tight + ((loose - tight) @ kept) @ kept.T
                    yield (i, j, k), dense(scores) + self.s_mean

    def _ridge(self, penalty: float) -> tuple[np.ndarray, np.ndarray]:
        """Ridge regression with this penalty: s / (s^2 + n penalty), and scores (n_scored, q)."""
        share = self.s / (self.s**2 + self.weight * penalty)
        return share, self.Z @ like(self.Z, share[:, None] * self.US)


@dataclass(frozen=True)
class FoldPlan:
    """How to decompose a fold.

    Attributes
    ----------
    centre : bool
        Whether there is an intercept.
    ridge_free : bool
        Whether the grid holds beta = 0: then QR factors replace Gram matrices.
    with_training : bool
        Whether the training rows are scored too, before the others.
    """

    centre: bool
    ridge_free: bool
    with_training: bool


def fold_form(
    sample: Sample, fold: Fold, plan: FoldPlan, moments: Moments | None = None
) -> FoldForm:
    """Decompose the training rows of a fold, or their `moments`: all grid points share the result.

    O(n D^2 + D^3) from the rows, O(D^3) from moments.
    """
    train, test = fold
    statistics: Any = moments
    if moments is None:
        rows = part_of(sample, train, "root" if plan.ridge_free else "scatter")
        statistics = summarise(rows, signed=True, centre=plan.centre)
    form = spectral(statistics)
    scored = rows_at(sample.X, np.append(train, test) if plan.with_training else test)
    Z = project(cast(scored, np.float64), dense(statistics.x_mean), form.V.T)
    return FoldForm(form.s, form.UT, Z, dense(statistics.t_mean), statistics.weight)


def compact(sample: Sample, plan: FoldPlan) -> Sample:
    """All rows in at most n coordinates, exactly; every fold uses them."""
    n_rows, n_features = sample.X.shape
    if n_features <= n_rows:
        check_square(n_features, "The scatter matrix of the features", "Select features first.")
        return sample
    rows = cast(sample.X, np.float64)
    return replace(sample, X=narrow(rows, ridge_free=plan.ridge_free, centre=plan.centre).Z)


def moments_of_folds(sample: Sample, folds: Sequence[Fold], plan: FoldPlan) -> list[Moments]:
    """Moments of the training rows of each fold, from one pass: sums over parts of the rows."""
    parts, of_block = parts_of(folds, sample.X.shape[0]), partial(Moments.of, tt=False)
    found = {
        number: collect(part_of(sample, np.flatnonzero(partition == number)), of_block)
        for partition in parts.number
        for number in np.unique(partition[partition >= 0]).tolist()
    }
    training = [moments.signed() for moments in parts.training_sums(found)]
    return training if plan.centre else [moments.about_zero() for moments in training]


def part_of(sample: Sample, rows: np.ndarray, solver: str = "scatter") -> Sample:
    """Some rows of a sample, in double precision."""
    X, Y, *weights = sample.at(rows)
    return Sample(cast(X, np.float64), Y, solver, weights[0] if weights else None)
