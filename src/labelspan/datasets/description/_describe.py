"""Describe a data set: its statistics, and defects that invalidate an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelspan.arrays import dense, extremes
from labelspan.datasets.description._block_shift import BlockShift, block_shift
from labelspan.datasets.description._dependence import Dependence, label_dependence
from labelspan.datasets.description._duplicates import find_duplicates
from labelspan.datasets.description._feature_scales import (
    WIDE_RATIO,
    are_counts,
    feature_scales,
    identifier_features,
)
from labelspan.datasets.description._holes import LabelHoles, label_holes
from labelspan.datasets.description._input import features, indicators, zero_filled
from labelspan.datasets.description._label_features import label_features
from labelspan.datasets.description._label_statistics import label_statistics
from labelspan.datasets.io import numbered
from labelspan.system import counted


@dataclass(frozen=True)
class Description:
    """The result of `describe`; prints as a report.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        Sizes.
    cardinality : float
        Mean number of labels per row.
    density : float
        Cardinality divided by the number of labels.
    n_labelsets : int
        Distinct sets of labels.
    mean_imbalance, max_imbalance : float
        Mean and largest imbalance ratio: count of the most frequent label over that of a label.
    scumble : float
        Concurrence of frequent and rare labels in the same rows, from 0 to 1.
    n_empty_rows, n_empty_labels : int
        Rows without labels, labels without rows.
    n_missing : int
        NaN in the features.
    n_constant_features : int
        Features with one value.
    n_duplicate_rows : int
        Rows whose features occurred before. Here and in the next two counts, `identifiers` are left
        out.
    n_conflicting_rows : int
        Rows that share their features with a row of other labels.
    n_leaked_rows : int or None
        Test rows whose features are in the training part; None without a split.
    label_features : tuple of (int, int)
        Feature and label that mark the same rows.
    block_shift : BlockShift or None
        The test for misaligned rows; None if it cannot be made.
    identifiers : tuple of str
        Features that number the rows: a different integer in each row, in file order, close
        together, or called an identifier (such as "id").
    dominant_feature : tuple of (str, float) or None
        Feature with more than 0.9 of the sum of the variances, and its share.
    scales : tuple of (str, str, float) or None
        Features of the smallest and of the largest standard deviation, and the ratio of the
        latter to the former; None if fewer than two features vary.
    holes : LabelHoles or None
        Missing labels: their share, by label, and whether they are missing at random; None if none
        is. The other statistics count a missing label as absent. But all labels of an empty row
        must be observed, and rows conflict only in labels that both observe.
    counts : bool
        Whether the features, without `identifiers`, are counts such as those of words: integers >=
        0 that are sparse, or more than half of them 0 and some above 1.
    dependence : Dependence or None
        Whether labels depend on features: `p_value`, `not_detected` (labels), `sentence`.
    """

    n_samples: int
    n_features: int
    n_labels: int
    cardinality: float
    density: float
    n_labelsets: int
    mean_imbalance: float
    max_imbalance: float
    scumble: float
    n_empty_rows: int
    n_empty_labels: int
    n_missing: int
    n_constant_features: int
    n_duplicate_rows: int
    n_conflicting_rows: int
    n_leaked_rows: int | None
    label_features: tuple[tuple[int, int], ...]
    block_shift: BlockShift | None
    identifiers: tuple[str, ...] = ()
    dominant_feature: tuple[str, float] | None = None
    scales: tuple[str, str, float] | None = None
    holes: LabelHoles | None = None
    counts: bool = False
    dependence: Dependence | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences about what may invalidate an evaluation, the worst first."""
        shift, names = self.block_shift, ", ".join(map(_quoted, self.identifiers[:3]))
        it = "it" if len(self.identifiers) == 1 else "them"
        identified = f"the rows: {names}; leave {it} out by ignore= (--ignore)"
        marked = f"the rows of a label (feature, label): {self.label_features[:3]}"
        training = "a training row" if self.n_leaked_rows == 1 else "training rows"
        conflict = "the features of a row with other labels"
        but = " but for the features that number the rows" if self.identifiers else ""
        sentences = (
            _shift_sentence(shift) if shift is not None and shift.found else "",
            self.dependence.noise if self.dependence else "",
            _any(self.n_leaked_rows, "test row is", "test rows are", f"also {training}"),
            _any(len(self.label_features), "feature marks", "features mark", marked),
            _any(len(self.identifiers), "feature numbers", "features number", identified),
            _dominant_sentence(self.dominant_feature),
            _scales_sentence(self.scales) if self.scales and self.scales[2] > WIDE_RATIO else "",
            _any(self.n_missing, "value is", "values are", "missing"),
            *(self.holes.sentences if self.holes else ()),
            _any(self.n_conflicting_rows, "row has", "rows have", conflict),
            _any(self.n_duplicate_rows, "row repeats", "rows repeat", f"an earlier row{but}"),
            _any(self.n_empty_rows, "row has", "rows have", "no label"),
            _any(self.n_empty_labels, "label has", "labels have", "no row"),
            _any(self.n_constant_features, "feature is", "features are", "constant"),
        )
        return tuple(filter(None, sentences))

    def __repr__(self) -> str:
        lines = [
            *([self.dependence.sentence] if self.dependence else []),
            f"{counted(self.n_samples, 'sample')}, {counted(self.n_features, 'feature')}, "
            f"{counted(self.n_labels, 'label')}",
            f"labels per row    {self.cardinality:.3f} (density {self.density:.4f})",
            f"label sets        {self.n_labelsets} distinct",
            f"imbalance         mean {self.mean_imbalance:.3f}, largest {self.max_imbalance:.1f}, "
            f"SCUMBLE {self.scumble:.3f}",
        ]
        if self.problems:
            lines += ["problems:", *(f"- {problem}" for problem in self.problems)]
        else:
            lines.append("no problems found")
        if self.counts:
            lines.append(
                "suggestion: the features are counts; weigh them by TF-IDF (--scale tfidf, or "
                "TfidfTransformer)"
            )
        return "\n".join(lines)


def describe(
    X: Any,
    Y: Any,
    *,
    train: np.ndarray | None = None,
    test: np.ndarray | None = None,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    observed: Any = None,
) -> Description:
    """Describe a multi-label data set and look for defects that invalidate an evaluation.

    Parameters
    ----------
    X : array or sparse array of shape (n_samples, n_features)
        Features, in the order of the file: the test for misaligned rows relies on it.
    Y : array or sparse array of shape (n_samples, n_labels)
        Label indicators; positive is present, NaN in a dense array is not observed.
    train, test : ndarray of int, optional
        Rows of the split, to look for test rows in the training part, and for misaligned rows
        in one of the two.
    feature_names : sequence of str, optional
        Names for the report; by default ``feature0``, ``feature1`` and so on.
    label_names : sequence of str, optional
        Names for the report; by default ``label0``, ``label1`` and so on.
    observed : array or sparse array of bool of shape (n_samples, n_labels), optional
        Which labels of a sparse `Y` are observed.

    Returns
    -------
    Description
        Statistics as attributes, `problems` as sentences; prints as a report.

    Notes
    -----
    Imbalance ratios and SCUMBLE are those of Charte, Rivera, del Jesus and Herrera
    (Neurocomputing 2015; HAIS 2014). Sparse input is never made dense; time is linear in the
    stored values times the mean number of labels per row.

    Examples
    --------
    >>> from labelspan.datasets import describe, load_yeast
    >>> yeast = load_yeast()
    >>> describe(yeast.X, yeast.Y, train=yeast.train, test=yeast.test)
    labels depend on features: p < 1e-15; each of 14 labels does
    2417 samples, 103 features, 14 labels
    labels per row    4.237 (density 0.3026)
    label sets        198 distinct
    imbalance         mean 7.197, largest 53.4, SCUMBLE 0.104
    no problems found
    """
    (X, is_sparse), (Y, seen) = features(X), indicators(Y, observed)
    if X.shape[0] != Y.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and Y has {Y.shape[0]}; they must agree")
    names = _names("feature", feature_names, X.shape[1])
    labels = _names("label", label_names, Y.shape[1])
    identifiers = identifier_features(
        X, [] if train is None or test is None else [train, test], names
    )
    kept = np.setdiff1d(np.arange(X.shape[1]), identifiers)
    others = X[:, kept] if identifiers and len(kept) else X
    complete = zero_filled(X)
    return Description(
        n_samples=X.shape[0],
        n_features=X.shape[1],
        n_labels=Y.shape[1],
        n_missing=int(np.count_nonzero(np.isnan(X.data))),
        n_constant_features=int(np.equal(*extremes(X)).sum()) if X.shape[0] else 0,
        label_features=label_features(complete, Y),
        block_shift=block_shift(complete, Y, train, test),
        identifiers=tuple(names[i] for i in identifiers),
        counts=are_counts(others, is_sparse),
        dependence=label_dependence(others, Y, seen, labels),
        holes=None if seen is None else label_holes(dense(Y) > 0, seen),
        **label_statistics(Y, seen),
        **find_duplicates(others, Y, train, test, seen),
        **feature_scales(X, names),
    )


def _names(kind: str, given: Sequence[str] | None, n: int) -> tuple[str, ...]:
    names = numbered(kind, n) if given is None else tuple(given)
    if len(names) != n:
        raise ValueError(
            f"{kind}_names has {len(names)} names; {'X' if kind == 'feature' else 'Y'} has {n} "
            f"{kind}s"
        )
    return names


def _any(number: int | None, one: str, many: str, rest: str = "") -> str:
    return f"{counted(number, one, many)} {rest}".rstrip() if number else ""


def _quoted(name: str) -> str:
    return repr(name[:60])


def _dominant_sentence(found: tuple[str, float] | None) -> str:
    if found is None:
        return ""
    # Rounded down, because 99.994 % is not all of it.
    share = np.floor(1e5 * found[1]) / 1e3
    return f"feature {_quoted(found[0])} has {share:g} % of the variance; scale the features first"


def _scales_sentence(found: tuple[str, str, float] | None) -> str:
    if found is None:
        return ""
    return (
        f"the standard deviation of {_quoted(found[1])} is {found[2]:.1e} times that of "
        f"{_quoted(found[0])}; scale the features first"
    )


def _shift_sentence(shift: BlockShift) -> str:
    side = "left" if shift.shift < 0 else "right"
    return (
        f"{shift.where} are misaligned: their labels are {shift.columns} too far {side} "
        f"(similarity to the other rows {shift.similarity:.2f}, "
        f"{shift.shifted_similarity:.2f} after moving them back), and {_overflow_text(shift)}"
    )


def _overflow_text(shift: BlockShift) -> str:
    if shift.overflow == "lost":
        return "not all of them can be found; leave these rows out"
    repair = "repair it by labelspan.datasets.realign(dataset) (--realign FILE)"
    if shift.overflow == "labels":
        return f"the rest at the other end of Y; {repair}"
    first, last = shift.leaked_features[0], shift.leaked_features[-1]
    place = f"feature {first} holds" if first == last else f"features {first} to {last} hold"
    return f"{place} labels there; {repair}"
