"""Missing labels: how many, of which labels, and whether at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from labelspan.system import counted

# Probability of a false alarm; each of the three tests gets a third of it.
ALARM = 1e-3
# Beyond this number of standard deviations the exact test is made.
LOOK = 3.0
# Squares of counts have a longer tail than the normal distribution: 2.9e-7 there is about 1e-4
# here.
ROWS_LIMIT = 5.0


@dataclass(frozen=True)
class LabelHoles:
    """What `describe` reports about missing labels, against missing at random at a rate per label.

    Three tests share a false alarm probability of 1 in 1000: missing labels per row (`by_rows`),
    rank sums of the rows where a label is missing (`drifts`), Fisher's exact test of missing k
    against label l where l is observed (`depends`, the strongest pair (k, l) first).
    """

    share: float
    by_label: tuple[float, ...]
    n_unlabelled: int
    by_rows: float
    drifts: tuple[int, ...]
    depends: tuple[tuple[int, int], ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        low, high = min(self.by_label), max(self.by_label)
        said = [
            f"{100 * self.share:.1f} % of the labels are not observed "
            f"({100 * low:.1f} to {100 * high:.1f} % of the rows by label, "
            f"{counted(self.n_unlabelled, 'row')} without any)"
        ]
        if self.by_rows:
            said.append(
                "missing labels cluster in rows: the number per row varies "
                f"{self.by_rows:.1f} times as much as at random"
            )
        if self.drifts:
            said.append(
                f"labels are missing mostly in early or late rows: {_some(self.drifts)}; were "
                "they added later?"
            )
        if self.depends:
            pairs = tuple(f"{k} by {other}" for k, other in self.depends)
            said.append(
                f"whether a label is observed depends on other labels: {_some(pairs)}; means over "
                "the observed rows are then biased"
            )
        return tuple(said)


def label_holes(Y: np.ndarray, observed: np.ndarray) -> LabelHoles:
    """Test how the labels of Y (n, q) are missing, given a mask of observed entries."""
    holes = ~observed
    return LabelHoles(
        share=float(holes.mean()),
        by_label=tuple(holes.mean(axis=0).tolist()),
        n_unlabelled=int(np.count_nonzero(holes.all(axis=1))),
        by_rows=_by_rows(holes),
        drifts=_drifts(holes),
        depends=_depends(Y, holes),
    )


def _by_rows(holes: np.ndarray) -> float:
    """Overdispersion of the number of missing labels per row, using the fourth moment of terms."""
    spread = holes.mean(axis=0) * (1 - holes.mean(axis=0))
    variance = float(spread.sum())
    if variance == 0 or len(holes) < 2:
        return 0.0
    counts = holes.sum(axis=1)
    squares = float(((counts - counts.mean()) ** 2).sum())
    # Fourth cumulants p (1 - p) (1 - 6 p (1 - p)) add up.
    error = np.sqrt(len(holes) * (2 * variance**2 + float((spread * (1 - 6 * spread)).sum())))
    excess = squares - (len(holes) - 1) * variance
    return squares / (len(holes) * variance) if excess > ROWS_LIMIT * error else 0.0


def _drifts(holes: np.ndarray) -> tuple[int, ...]:
    """Labels that are missing mostly in early or late rows, by the rank sum."""
    n, n_holes = len(holes), holes.sum(axis=0)
    # Sums of centred ranks are 0 on average.
    sums = (np.arange(n) - (n - 1) / 2) @ holes
    error = np.sqrt(n_holes * (n - n_holes) * (n + 1) / 12)
    z = np.divide(np.abs(sums), error, out=np.zeros(len(error)), where=error > 0)
    limit = -special.ndtri(ALARM / 6 / max(len(z), 1))
    return tuple(np.flatnonzero(z > limit).tolist())


def _depends(Y: np.ndarray, holes: np.ndarray) -> tuple[tuple[int, int], ...]:
    """Pairs of a label and another label that predicts where it is missing."""
    H, L, seen = (A.astype(np.float64) for A in (holes, Y, ~holes))
    both, n_holes = H.T @ L, H.T @ seen
    n_rows, n_true = seen.sum(axis=0), L.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = n_holes * n_true / n_rows
        spread = expected * (1 - n_true / n_rows) * (n_rows - n_holes) / (n_rows - 1)
        z = np.nan_to_num((both - expected) / np.sqrt(spread), posinf=0.0, neginf=0.0)
    np.fill_diagonal(z, 0.0)
    k, other = np.nonzero(np.abs(z) > LOOK)
    table = (n_rows[other], n_true[other], n_holes[k, other])
    found = stats.hypergeom(*table)
    tails = np.minimum(found.cdf(both[k, other]), found.sf(both[k, other] - 1))
    q = Y.shape[1]
    sure = 2 * tails < ALARM / 3 / max(q * (q - 1), 1)
    order = np.argsort(-np.abs(z[k, other][sure]), kind="stable")
    pairs = np.column_stack([k, other])[sure][order]
    return tuple((int(a), int(b)) for a, b in pairs)


def _some(items: tuple[object, ...]) -> str:
    shown = ", ".join(map(str, items[:3]))
    return f"labels {shown}" + (f" and {len(items) - 3} more" if len(items) > 3 else "")
