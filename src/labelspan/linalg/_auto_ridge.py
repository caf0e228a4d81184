"""A ridge chosen from the sums over the rows; and warnings of fits that lack one.

The directions of OPLS, LabelCCA, HSL, MDDM by features and CPLST are those of a ridge regression of
targets Tc K on Xc; its generalised cross-validation chooses. With xx = V diag(s) V' and e_j =
|V_j'xt K|^2 / s_j,

    RSS(r) = tr K'tt K - sum_j e_j + sum_j e_j (r / (s_j + r))^2
    df(r) = 1 + sum_j s_j / (s_j + r)

and the ridge is the r of a grid that minimises RSS / (n - df)^2 among those with df <= n / 2;
beyond that, interpolation wins where there are fewer rows than features. n is the sum of the
weights. The grid is relative to the mean of the eigenvalues that are not zero, so the choice
depends on sums only, scales with X and does not change if X is rotated.

A column in large units, such as a time stamp, makes this mean so large that no r of the grid is
small for the others. Where the least one exceeds the mean of half of the eigenvalues or more, and
these are apart from the rest, the grid relative to their mean is added.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from labelspan.arrays import dense, moved_to, sums
from labelspan.linalg._lanczos import block_lanczos
from labelspan.linalg._spectral import NULL, Spectral, mean_positive, spectral
from labelspan.linalg._whiten import is_regular, times
from labelspan.moments import Moments, Products, Root, Rows

#: The value of a parameter that asks for this choice.
AUTO = "auto"
# A fit without a ridge warns if its rank is at least this share of n - 1.
NEARLY_ALL = 0.9
GRID = np.geomspace(1e-6, 1e3, 28)
# Eigenvalues this many times above all that follow can hide these from the grid.
APART = 100.0
# Criteria that differ by less are equal, and the largest ridge counts.
TIE = 1e-10
# Squares of labels that are smaller, relative to the largest possible, are rounding.
CONSTANT = 1e-20
# All eigenvalues are known if no larger share of their sum is missing.
KNOWN = 1e-8
# Eigenpairs found one by one where X is only multiplied, and their residual relative to the first;
# all of them up to the second number.
LEADING, TOLERANCE, FEW = 64, 1e-4, 256
# The residual of outliers, which the others must not contain.
SHARP = 1e-13


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of xx, how often each counts, and the energy of the targets along them.

    `total` is the energy of all targets, `weight` the sum of the weights of the rows, where labels
    are missing of those that know one in the mean, and `units` are the mean eigenvalues to which
    the grid is relative.
    """

    values: np.ndarray
    counts: np.ndarray
    energy: np.ndarray
    total: float
    weight: float
    units: np.ndarray

    def ridge(self) -> float:
        """The ridge of least criterion; the largest of the grid if none leaves n / 2 rows free."""
        ridges = np.unique(np.outer(self.units, GRID))
        criterion = self.criterion(ridges)
        if not np.isfinite(criterion).any():
            return float(ridges[-1])
        least = criterion <= criterion.min() * (1 + TIE)
        return float(ridges[least][-1])

    def criterion(self, ridges: Any) -> np.ndarray:
        """RSS / (n - df)^2, infinite where df > n / 2; an infinite ridge is no regression."""
        with np.errstate(divide="ignore"):
            # Without a ridge nothing is left.
            kept = 1.0 / (self.values / np.asarray(ridges)[..., None] + 1.0)
        df = 1.0 + (1.0 - kept) @ self.counts
        rest = self.total - float(self.energy.sum())
        # Where labels are missing, their energy along the features may add up to more than all.
        rest = rest if rest < -KNOWN * self.total else max(rest, 0.0)
        rss = np.maximum(rest + kept**2 @ self.energy, 0.0)
        allowed = df <= self.weight / 2
        return np.where(allowed, rss / np.where(allowed, self.weight - df, 1.0) ** 2, np.inf)


Spectra = Callable[[Any, float], Spectrum]


def spectrum_of(
    values: np.ndarray, energy: np.ndarray, total: float, weight: float, null: float = NULL
) -> Spectrum:
    """The spectrum from all eigenvalues, largest first; up to `null` of the first they are zero.

    The mean leaves out all that may be rounding; only those that it hides are told apart further.
    """
    counts = np.ones_like(values)
    units = units_of(values, counts, mean_positive(values), null)
    return Spectrum(values, counts, energy, total, weight, units)


def units_of(values: np.ndarray, counts: np.ndarray, unit: float, null: float = NULL) -> np.ndarray:
    """The unit of the grid, and those of eigenvalues that it hides, all from the largest on."""
    some = values > null * values[:1]
    values, counts = values[some], counts[some]
    firsts = hidden_from(values, counts, unit)
    return np.array([unit, *(np.average(values[k:], weights=counts[k:]) for k in firsts)])


def hidden_from(values: np.ndarray, counts: np.ndarray, unit: float) -> list[int]:
    """Where eigenvalues, largest first, begin that others hide from the grid relative to `unit`.

    Those behind a gap are hidden if the least ridge exceeds their mean. If they are less than half
    of all, they may be noise or rounding, which needs no ridge of its own.
    """
    numbers = np.cumsum(counts[::-1])[::-1]
    means = np.cumsum((counts * values)[::-1])[::-1] / numbers
    apart = np.append(False, values[:-1] > APART * values[1:])
    firsts: list[int] = []
    while len(values):
        most = numbers[firsts[-1] if firsts else 0]
        hidden = apart & (means < GRID[0] * unit) & (2 * numbers >= most)
        if not hidden.any():
            break
        firsts.append(int(np.argmax(hidden)))
        unit = means[firsts[-1]]
    return firsts


def energy_of_labels(statistics: Any, signed: bool = False) -> float:
    """Squared length of the centred labels together."""
    return float(energies_of_labels(statistics, signed).sum())


def energies_of_labels(statistics: Any, signed: bool = False) -> np.ndarray:
    """Squared lengths (q,) of centred labels, n p (1 - p) each; four times that for -1 and +1.

    A soft label p of a row counts as p rows that have the label and 1 - p rows that lack it.
    """
    mean = dense(statistics.t_mean)
    each = statistics.weight * (1.0 - mean**2 if signed else mean * (1.0 - mean))
    if isinstance(statistics, Products):
        return each
    # A soft label that is the same in all rows has no energy.
    if isinstance(statistics, Moments):
        found = np.sum(dense(statistics.xt) ** 2, axis=0)
        most = each * float(np.sum(statistics.squares))
    else:
        found, most = np.diag(dense(statistics.tt)), each
    return np.where(found > CONSTANT * most, each, 0.0)


def energy_of_targets(statistics: Any, K: np.ndarray | None) -> float:
    """Squared length of the targets Tc K, from tt."""
    tt, K = dense(statistics.tt), None if K is None else dense(K)
    return float(np.trace(tt) if K is None else np.sum(K * (tt @ K)))


def choose_ridge(statistics: Any, K: np.ndarray | None, total: float) -> tuple[Any, float]:
    """What to solve with, and the ridge, for the targets Tc K of the energy `total`."""
    solved, of_targets = spectra(statistics)
    return solved, of_targets(K, total).ridge()


@singledispatch
def spectra(statistics: Any) -> tuple[Any, Spectra]:
    """What to solve with, and the function from K and `total` to the Spectrum of targets Tc K."""
    raise TypeError(f"no choice of a ridge for {type(statistics).__name__}")


@spectra.register
def _(statistics: Moments) -> tuple[Spectral, Spectra]:
    form = spectral(statistics)
    weight = statistics.weight * statistics.share
    return form, spectra_of(form.s**2, form.UT, weight, form.null)


@spectra.register
def _(statistics: Rows) -> tuple[Rows, Spectra]:
    X = statistics.operator
    short = X.shape[0] <= X.shape[1] and not outliers(X.squares)
    if short:
        values, U = leading_pairs(X.gram, X.shape[0])
    else:
        values, V = by_products(lambda V: X.rmatmat(X.matmat(V)), X.squares)

    def of_targets(K: np.ndarray | None, total: float) -> Spectrum:
        T = times(statistics.T, K)
        F = X.rmatmat(T)
        if short:
            energy = np.sum((U.T @ T) ** 2, axis=1)
            crossed = float(np.sum(F**2)) - float(values @ energy)
            return with_flat_rest(statistics, values, None, energy, total, crossed)
        VF = V.T @ F
        crossed = float(np.sum((F - V @ VF) ** 2))
        energy = np.sum(VF**2, axis=1) / values
        return with_flat_rest(statistics, values, V, energy, total, crossed)

    return statistics, of_targets


@spectra.register
def _(statistics: Products) -> tuple[Products, Spectra]:
    values, V = by_products(lambda V: statistics.features(V=V), statistics.squares)
    crossed = statistics.labels(V=V)

    def of_targets(K: np.ndarray | None, total: float) -> Spectrum:
        energy = np.sum((crossed if K is None else K.T @ crossed) ** 2, axis=0) / values
        left = 0.0
        if K is None and not outliers(statistics.squares):
            left = (statistics.dependence() or 0.0) - float(values @ energy)
        return with_flat_rest(statistics, values, V, energy, total, left)

    return statistics, of_targets


def spectra_of(values: np.ndarray, UT: Any, weight: float, null: float = NULL) -> Spectra:
    """The function of :func:`spectra` from all eigenvalues, largest first, and U'Tc."""

    def of_targets(K: np.ndarray | None, total: float) -> Spectrum:
        T = UT if K is None else UT @ moved_to(UT, K)
        return spectrum_of(values, dense(sums(T**2, axis=1)), total, weight, null)

    return of_targets


def leading_pairs(apply: Any, side: int) -> tuple[np.ndarray, np.ndarray]:
    """The leading eigenpairs of xx, or of Xc Xc', that are not zero."""
    n_asked = side if side <= FEW else LEADING
    values, V = block_lanczos(apply, side, n_asked, TOLERANCE, 0)
    some = values > NULL * values[0]
    return values[some], V[:, some]


def outliers(squares: np.ndarray) -> list[int]:
    """Numbers of columns, given squared lengths, that hide the others from the grid."""
    squares = np.sort(squares[squares > 0])[::-1]
    return hidden_from(squares, np.ones_like(squares), mean_positive(squares))


def by_products(apply: Any, squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The leading eigenpairs of xx, outliers first, as their rounding would hide the others."""
    side = len(squares)
    values, V = np.zeros(0), np.zeros((side, 0))

    def outside(A: np.ndarray) -> np.ndarray:
        # Twice, because one projection leaves a residue of eps times the largest eigenvalue.
        A = A - V @ (V.T @ A)
        return A - V @ (V.T @ A)

    for first in outliers(squares):
        n_asked = first - len(values)
        found = block_lanczos(lambda A: outside(apply(outside(A))), side, n_asked, SHARP, 0)
        values, V = np.append(values, found[0]), np.hstack([V, found[1]])
    rest = leading_pairs((lambda A: outside(apply(outside(A)))) if len(values) else apply, side)
    return np.append(values, rest[0]), np.hstack([V, rest[1]])


def with_flat_rest(
    statistics: Any,
    values: np.ndarray,
    V: np.ndarray | None,
    energy: np.ndarray,
    total: float,
    crossed: float,
) -> Spectrum:
    """The spectrum with the eigenvalues that are not known one by one at their mean.

    Their sum is known, and from `crossed`, the squared length of xt K outside V, their energy. The
    degrees of freedom are at least the true ones; the ridge was at most two steps of the grid away.
    """
    squares = statistics.squares
    trace, rest, first = float(squares.sum()), float(squares.sum() - values.sum()), 0
    if V is not None and (found := outliers(squares)):
        # Of the columns of outliers only rounding is left.
        left, first = squares - V**2 @ values, found[-1]
        rest = float(left[left > KNOWN * squares].sum())
    n_rest = 0.0
    if rest > KNOWN * (trace if first == 0 else float(values[first:].sum())):
        # As many as there can be.
        most = min(float(np.count_nonzero(squares)), statistics.weight)
        n_rest = max(most - len(values), 1.0)
    unit, counts = trace / (len(values) + n_rest), np.ones_like(values)
    if n_rest:
        left_over = max(total - float(energy.sum()), 0.0)
        energy = np.append(energy, min(max(crossed, 0.0) * n_rest / rest, left_over))
        values, counts = np.append(values, rest / n_rest), np.append(counts, n_rest)
    units = units_of(values, counts, unit, 0.0)
    return Spectrum(values, counts, energy, total, statistics.weight * statistics.share, units)


def warn_if_any_label_fits(
    n_rows: int, rank: int, scatter: Callable[[], float] | None, ridge: str = "ridge"
) -> None:
    """Warn if features of this rank, without a ridge, fit any label on the training rows.

    Centred labels of n rows have n - 1 degrees of freedom. At 90 percent of that rank, residuals
    hold a tenth of the noise. `scatter` gives the sum of eigenvalues, for the proposed ridge.
    """
    if rank < NEARLY_ALL * (n_rows - 1):
        return
    nearly = "" if rank >= n_rows - 1 else "nearly "
    proposal = f", e.g. {0.1 * total / rank:.2g}" if scatter and (total := scatter()) else ""
    warnings.warn(
        f"Without a ridge the features {nearly}fit any label on the {n_rows} training rows: their "
        f"rank is {rank}. Directions and scores are then mostly noise, and where prediction "
        f"errors are all 0 their order means nothing. Set {ridge} > 0{proposal}.",
        stacklevel=4,
    )


def warn_if_rows_fit(root: Root, n_rows: int, ridge: str) -> None:
    """The same from the factor of the rows; its rank is found where it can be that large."""
    if min(root.Rx.shape) >= NEARLY_ALL * (n_rows - 1):
        rank = len(root.Rx) if is_regular(root) else len(spectral(root).s)
        warn_if_any_label_fits(n_rows, rank, lambda: float(root.squares.sum()), ridge)
