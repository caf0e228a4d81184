"""Labels in clusters, each with a shared subspace of its own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from sklearn.exceptions import ConvergenceWarning

from labelspan.gate import Labels
from labelspan.linalg import Spectral, rank, route_of, signed_rows, spectral
from labelspan.moments import Moments, Root, summarise
from labelspan.subspace._solution import Solution, n_shared

CLUSTERED = "clusters of labels are learnt from one decomposition of all rows."
# Far more turns than labels need to find their cluster.
MAX_TURNS = 100
# A label changes its cluster for a gain above rounding only.
GAIN = 1e-12


def in_clusters(
    X: Any,
    labels: Labels,
    prices: Callable[[Any], tuple[float, float]],
    n_components: int | None,
    n_clusters: int,
    centre: bool,
    *,
    ridge_free: bool,
) -> Solution:
    """Subspaces of clusters of labels; `prices` are alpha and beta, `ridge_free` if beta is 0."""
    q = labels.Y.shape[1]
    if n_clusters > q:
        raise ValueError(
            f"n_clusters={n_clusters}, but y has {q} labels; expected a number from 1 to {q}."
        )
    route = route_of(
        X,
        labels.Y,
        labels.weights,
        advice="Select features first.",
        centre=centre,
        thin=False,
        ridge_free=ridge_free,
    )
    statistics = summarise(route.sample, signed=True, centre=centre, tt=True)
    assert isinstance(statistics, Moments | Root)
    form, energy = spectral(statistics), np.diagonal(statistics.tt)
    size = n_shared(n_components, -(-q // n_clusters))
    found = Clusters.of(form, statistics.weight, energy, *prices(statistics), size).descend(
        n_clusters
    )
    return Solution(
        np.vstack([signed_rows(route.lift(form.V @ Q)) for Q in found.bases]),
        route.lift(form.V @ found.U),
        float(found.objectives[-1]),
        route.mean(statistics.x_mean),
        statistics.t_mean,
        route.solver,
        n_iter=len(found.objectives),
        clusters=found.clusters,
        objectives=found.objectives,
    )


@dataclass(frozen=True)
class Clusters:
    """Eq. (5) summed over clusters of labels, in the coordinates z = V'u of the row space.

    `second` (r,) are eigenvalues of X'X / n, `first` (r, q) is V'X'S / n, `energy` (q,) the mean
    squares of the labels. `size` is the largest dimension of a subspace.
    """

    second: np.ndarray
    first: np.ndarray
    energy: np.ndarray
    alpha: float
    beta: float
    size: int

    @classmethod
    def of(cls, form: Spectral, weight: float, energy: np.ndarray, *settings: Any) -> Clusters:
        """From the spectral form of the statistics of rows of this total weight."""
        first = form.s[:, None] * form.UT / weight
        return cls(form.s**2 / weight, first, energy / weight, *settings)

    def ridge(self, price: float) -> np.ndarray:
        """Ridge regression of all labels, (r, q)."""
        return self.first / (self.second + price)[:, None]

    def shared(self, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The best Theta' (r, k) and U (r, m) of the labels in one cluster, as in `mixed`."""
        loose = self.ridge(self.beta)[:, members]
        tight = self.ridge(self.alpha + self.beta)[:, members]
        cross = loose.T @ tight
        values, P = linalg.eigh((cross + cross.T) / 2)
        values, P = values[::-1], P[:, ::-1]
        P = P[:, : min(self.size, rank(values, len(values)))]
        Q = linalg.qr(loose @ P, mode="economic")[0]
        return Q, tight + (loose - tight) @ P @ P.T

    def costs(self, Q: np.ndarray) -> np.ndarray:
        """The least terms of Eq. (5) of every label, (q,), with a given subspace Q = Theta'."""
        inner = self.second + self.alpha + self.beta
        explained = np.sum(self.first**2 / inner[:, None], axis=0)
        if self.alpha > 0 and Q.shape[1]:
            # Eq. (17): the inverse of M - alpha Q Q' by the Woodbury identity.
            A = Q.T @ (self.first / inner[:, None])
            B = np.eye(Q.shape[1]) / self.alpha - Q.T @ (Q / inner[:, None])
            explained += np.sum(A * linalg.solve(B, A, assume_a="pos"), axis=0)
        return self.energy - explained

    def start(self, n_clusters: int) -> np.ndarray:
        """Clusters (q,) of labels whose ridge regressions have similar directions."""
        W = self.ridge(self.beta)
        lengths = np.linalg.norm(W, axis=0)
        W = W / np.where(lengths > 0, lengths, 1.0)
        # Opposite labels share a direction, too.
        distance = np.clip(1.0 - np.abs(W.T @ W), 0.0, None)
        np.fill_diagonal(distance, 0.0)
        tree = hierarchy.average(squareform((distance + distance.T) / 2, checks=False))
        return hierarchy.fcluster(tree, n_clusters, "maxclust") - 1

    def descend(self, n_clusters: int) -> Clustered:
        """Subspaces for fixed clusters, clusters for fixed subspaces, until nothing changes."""
        found = self.start(n_clusters)
        bases = [np.zeros((len(self.first), 0))] * n_clusters
        U, objectives = np.zeros_like(self.first), []
        while True:
            for k in range(n_clusters):
                # The subspace of a cluster without labels stays for those that may join it.
                if (found == k).any():
                    bases[k], U[:, found == k] = self.shared(found == k)
            costs = np.array([self.costs(Q) for Q in bases])
            current = costs[found, np.arange(len(found))]
            objectives.append(float(current.sum()))
            better = costs.min(axis=0) < current - GAIN * self.energy.max(initial=0.0)
            if not better.any():
                break
            if len(objectives) == MAX_TURNS:
                warn_of_turns(int(better.sum()))
                break
            found = np.where(better, costs.argmin(axis=0), found)
        return Clustered(found, [bases[k] for k in np.unique(found)], U, np.array(objectives))


@dataclass(frozen=True)
class Clustered:
    """The cluster of each label, the subspaces of those that have labels, U and the objectives."""

    clusters: np.ndarray
    bases: list[np.ndarray]
    U: np.ndarray
    objectives: np.ndarray


def warn_of_turns(n_moving: int) -> None:
    """Warn that labels still change their clusters."""
    warnings.warn(
        f"{n_moving} label(s) still change their cluster after {MAX_TURNS} turns. Use fewer "
        "clusters (n_clusters).",
        ConvergenceWarning,
        stacklevel=4,
    )
