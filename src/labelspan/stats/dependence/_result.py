"""Results of the dependence test, and how they print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# Labels named in a sentence.
N_NAMED = 5


@dataclass(frozen=True, eq=False)
class LabelDependence:
    """The test of each label.

    Parameters
    ----------
    names : tuple of str
        The labels.
    statistic : ndarray of shape (n_labels,)
        Squared length of the sum of the centred rows that have the label.
    p_values : ndarray of shape (n_labels,)
        P-value of each label.
    adjusted : ndarray of shape (n_labels,)
        Benjamini-Hochberg: those at most `alpha` have a false discovery rate of at most `alpha`.
    method : tuple of str
        Source of each p-value: "exact", "draws", "permutation", "pearson3" or "constant".
    smallest : ndarray of shape (n_labels,)
        The smallest p-value that the label could have, whatever its rows.
    alpha : float
        Level of significance.
    """

    names: tuple[str, ...]
    statistic: np.ndarray
    p_values: np.ndarray
    adjusted: np.ndarray
    method: tuple[str, ...]
    smallest: np.ndarray
    alpha: float

    @property
    def rejected(self) -> np.ndarray:
        """Labels that depend on the features, at a false discovery rate of `alpha`."""
        return self.adjusted <= self.alpha

    @property
    def undetectable(self) -> tuple[str, ...]:
        """Labels whose p-value cannot reach `alpha`, because too few rows have or lack them."""
        return tuple(np.array(self.names, dtype=object)[self.smallest > self.alpha])

    @property
    def not_detected(self) -> tuple[str, ...]:
        """Labels of which dependence on the features is not shown."""
        return tuple(np.array(self.names, dtype=object)[~self.rejected])

    def to_frame(self) -> Any:
        """The same as a pandas frame, one row per label.

        Returns
        -------
        pandas.DataFrame
            Columns "statistic", "p_value", "adjusted", "method" and "smallest".
        """
        from pandas import DataFrame

        columns = {
            "statistic": self.statistic,
            "p_value": self.p_values,
            "adjusted": self.adjusted,
            "method": list(self.method),
            "smallest": self.smallest,
        }
        return DataFrame(columns, index=list(self.names))


@dataclass(frozen=True, eq=False)
class DependenceResult:
    """The test whether labels depend on features; prints as a sentence.

    Parameters
    ----------
    statistic : float
        HSIC as `MDDM` maximises it: the sum of squares of Xc'Yc.
    p_value : float
        Probability of such a statistic if no label depends on any feature.
    null_mean, null_std, null_skewness : float
        Moments of the statistic over all permutations of the rows; over those drawn for
        ``method="permutation"``.
    method : {"pearson3", "permutation"}
        Source of `p_value`.
    third_moment : str
        "exact", or what the sums of triples of rows were estimated from; "" for draws.
    reason : str
        Why `method` is not the one that was asked for; "" if it is.
    n_rows : int
        Rows that were permuted.
    n_permutations : int
        Permutations drawn for `p_value`; 0 if its moments suffice.
    labels : LabelDependence or None
        The test of each label, with ``per_label=True``.
    """

    statistic: float
    p_value: float
    null_mean: float
    null_std: float
    null_skewness: float
    method: str
    third_moment: str
    reason: str
    n_rows: int
    n_permutations: int
    labels: LabelDependence | None = None

    def __str__(self) -> str:
        depend = "depend" if self.p_value <= 0.05 else "are not shown to depend"
        text = (
            f"Labels {depend} on the features: p {shown(self.p_value)} (dependence "
            f"{self.statistic:.4g}, by chance {self.null_mean:.4g} +- {self.null_std:.2g}; "
            f"{self.method})."
        )
        if self.reason:
            text += f" {self.reason}."
        if self.labels is not None:
            text += f" {sentence(self.labels)}"
        return text


def shown(p: float) -> str:
    """A p-value with its sign: "= 0.0312", or "< 1e-15" where tails have no digits left."""
    return "< 1e-15" if p < 1e-15 else f"= {p:.2g}"


def sentence(labels: LabelDependence) -> str:
    """Which labels depend on the features, in a sentence or two."""
    found, total = int(labels.rejected.sum()), len(labels.names)
    text = f"{found} of {total} labels depend on them at a false discovery rate of {labels.alpha:g}"
    missing = labels.not_detected
    text += f"; not detectable: {listed(missing)}." if missing else "."
    few = labels.undetectable
    if few:
        text += f" Too few rows to tell at all: {listed(few)}."
    return text


def listed(names: tuple[str, ...]) -> str:
    rest = len(names) - N_NAMED
    return ", ".join(names[:N_NAMED]) + (f" and {rest} more" if rest > 0 else "")
