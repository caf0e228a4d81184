"""Whether labels depend on features at all: a test, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.arrays import any_varies, values_of
from labelspan.datasets.description._input import zero_filled
from labelspan.stats.dependence import quick_test
from labelspan.system import counted

ALPHA = 0.05
# Fewer rows are not tested; of more, the sentence names so many labels.
FEWEST_ROWS, N_NAMED = 10, 5


@dataclass(frozen=True)
class Dependence:
    """What `describe` reports of :func:`labelspan.stats.dependence_test`.

    Features are divided by their standard deviations, and missing ones count as their means; those
    that are mostly zeros are taken as they are. Large data are tested on `n_rows` rows at random.
    The p-value is None, and `reason` says why, if there is nothing to test. `not_detected` are the
    labels without a dependence at a false discovery rate of 0.05.
    """

    p_value: float | None
    not_detected: tuple[str, ...]
    n_labels: int
    n_rows: int
    n_samples: int
    reason: str = ""

    @property
    def is_shown(self) -> bool:
        """Whether some label depends on the features, at the level 0.05."""
        return self.p_value is not None and self.p_value <= ALPHA

    @property
    def sentence(self) -> str:
        """The result in words."""
        if self.p_value is None:
            return f"labels on features: not tested, {self.reason}"
        p = "p < 1e-15" if self.p_value < 1e-15 else f"p = {self.p_value:.2g}"
        part = f" ({self.n_rows:,} of {self.n_samples:,} rows)"
        part = part if self.n_rows < self.n_samples else ""
        if not self.is_shown:
            return f"labels are not shown to depend on features: {p}{part}"
        missed, text = self.not_detected, f"labels depend on features: {p}{part}"
        if not missed:
            return text if self.n_labels == 1 else f"{text}; each of {self.n_labels} labels does"
        # Without quotes, and with escapes in place of control characters.
        named = ", ".join(repr(name[:60])[1:-1] for name in missed[:N_NAMED])
        if len(missed) > N_NAMED:
            named += f" and {len(missed) - N_NAMED} more"
        label = "label" if len(missed) == 1 else "labels"
        return f"{text}; not detectable for {label} {named}"

    @property
    def noise(self) -> str:
        """What follows if no dependence is shown; empty otherwise."""
        if self.p_value is None or self.is_shown:
            return ""
        return (
            f"labels are not shown to depend on features (p = {self.p_value:.2g}): differences "
            "between methods are noise"
        )


def label_dependence(
    X: sp.csr_array, Y: sp.csr_array, seen: np.ndarray | None, names: Sequence[str]
) -> Dependence:
    """Test labels of ones against features, which may have NaN."""
    n, q = Y.shape
    observed = Y if seen is None else np.where(seen, Y.toarray(), np.nan)
    X = zero_filled(X) if 2 * X.nnz < n * X.shape[1] else scaled(X.toarray())
    reason = reason_against(X, Y)
    if reason:
        return Dependence(None, tuple(names), q, n, n, reason)
    found = quick_test(X, observed, names, ALPHA)
    assert found.labels is not None
    return Dependence(found.p_value, found.labels.not_detected, q, found.n_rows, n)


def reason_against(X: Any, Y: sp.csr_array) -> str:
    """Why there is nothing to test; empty if there is."""
    n, counts = Y.shape[0], Y.sum(axis=0)
    if n < FEWEST_ROWS:
        return f"because there are only {counted(n, 'row')}"
    if not ((counts > 0) & (counts < n)).any():
        return "because no label varies"
    if not np.isfinite(values_of(X)).all():
        return "because features are infinite"
    return "" if any_varies(X) else "because no feature varies"


def scaled(X: np.ndarray) -> np.ndarray:
    """Features with the mean where they are missing, divided by their standard deviations."""
    holes = np.isnan(X)
    if holes.any():
        seen = np.maximum((~holes).sum(axis=0), 1)
        X = np.where(holes, np.where(holes, 0.0, X).sum(axis=0) / seen, X)
    with np.errstate(invalid="ignore", over="ignore"):
        X = X - X.mean(axis=0) if len(X) else X
        spread = np.abs(X).max(axis=0, initial=0.0)
        X = X / np.where(spread > 0, spread, 1.0)
        deviations = np.sqrt(np.mean(X**2, axis=0)) if len(X) else spread
    return np.asarray(X / np.where(deviations > 0, deviations, 1.0))
