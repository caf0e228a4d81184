"""describe: missing labels, and whether they are missing at random."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from labelspan.datasets import describe, load_yeast


def correlated(rng, n, q):
    return rng.standard_normal((n, 1)) + rng.standard_normal((n, q)) > rng.uniform(-1, 2, q)


def test_random_holes_raise_no_alarm():
    """500 samples of all shapes and rates; the rule allows 0.5 false alarms."""
    rng = np.random.default_rng(1)
    alarms = 0
    for trial in range(500):
        n, q = rng.integers(20, 300), rng.integers(2, 20)
        rates = rng.uniform(0, 0.9, q) ** 2 if trial % 2 else np.full(q, rng.uniform(0.01, 0.6))
        seen = rng.random((n, q)) >= rates
        found = describe(np.zeros((n, 1)), np.where(seen, correlated(rng, n, q), np.nan)).holes
        alarms += bool(found and (found.by_rows or found.drifts or found.depends))
    assert alarms <= 2


def yeast_with(observed):
    yeast = load_yeast()
    return describe(yeast.X, np.where(observed, yeast.Y, np.nan))


def test_share_and_shares_by_label():
    rng = np.random.default_rng(0)
    rates = np.linspace(0, 0.6, 14)
    observed = rng.random((2417, 14)) >= rates
    observed[[3, 8]] = False
    found = yeast_with(observed)
    assert found.holes.share == pytest.approx((~observed).mean())
    np.testing.assert_allclose(found.holes.by_label, (~observed).mean(axis=0))
    assert found.holes.n_unlabelled == (~observed).all(axis=1).sum()
    assert (found.holes.by_rows, found.holes.drifts, found.holes.depends) == (0.0, (), ())
    share = 100 * (~observed).mean()
    said = f"{share:.1f} % of the labels are not observed (0.1 to "
    assert [said in sentence for sentence in found.problems] == [True]
    assert said in repr(found)


def test_holes_by_rows_are_found():
    rng = np.random.default_rng(0)
    observed = np.repeat(rng.random((2417, 1)) >= 0.05, 14, axis=1) & (
        rng.random((2417, 14)) >= 0.2
    )
    found = yeast_with(observed).holes
    holes = (~observed).sum(axis=1)
    p = (~observed).mean(axis=0)
    assert found.by_rows == pytest.approx(holes.var() / (p * (1 - p)).sum())
    assert not found.drifts
    assert not found.depends
    assert "missing labels cluster in rows: the number" in found.sentences[1]


def test_labels_that_were_added_later_are_found():
    observed = np.random.default_rng(0).random((2417, 14)) >= 0.2
    observed[:400, [3, 9]] = False
    found = yeast_with(observed).holes
    assert found.drifts == (3, 9)
    assert "in early or late rows: labels 3, 9; were they added later?" in found.sentences[-1]


def test_a_label_that_hides_another_is_found():
    yeast = load_yeast()
    rng = np.random.default_rng(0)
    rates = np.full((2417, 14), 0.1)
    # Label 2 is missing more often in rows with label 12.
    rates[yeast.Y[:, 12] > 0, 2] = 0.3
    observed = rng.random((2417, 14)) >= rates
    found = yeast_with(observed).holes
    assert found.depends[0] == (2, 12)
    # 13 nearly always comes with 12.
    assert {k for k, _ in found.depends} == {2}
    assert "depends on other labels: labels 2 by 12" in found.sentences[-1]


def test_every_form_of_holes():
    yeast = load_yeast()
    X, Y = yeast.X[:200], yeast.Y[:200].astype(float)
    observed = np.random.default_rng(2).random(Y.shape) >= 0.3
    expected = describe(X, np.where(observed, Y, np.nan))
    frame = pd.DataFrame(np.where(observed, Y, np.nan)).astype("Int64")
    assert describe(X, frame) == expected
    assert describe(X, np.ma.array(Y, mask=~observed)) == expected
    assert describe(X, sparse.csr_array(Y), observed=observed) == expected
    assert describe(X, sparse.csr_array(Y), observed=np.ones(Y.shape, dtype=bool)).holes is None
    assert describe(X, Y).holes is None
    with pytest.raises(ValueError, match=r"expected booleans of shape \(200, 14\)"):
        describe(X, sparse.csr_array(Y), observed=observed[1:])


def test_unobserved_labels_neither_conflict_nor_empty_a_row():
    nan = np.nan
    X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0]])
    Y = np.array([[1, nan], [1, 0], [nan, 1], [0, 0], [0, nan]])
    found = describe(X, Y)
    assert found.n_conflicting_rows == 2  # rows 2 and 3: label 1 is there and is not
    assert found.n_empty_rows == 1  # row 3
    assert describe(X, np.nan_to_num(Y)).n_conflicting_rows == 2
    assert describe(X, np.nan_to_num(Y, nan=1.0)).n_conflicting_rows == 4
    assert describe(X, np.nan_to_num(Y)).n_empty_rows == 2
