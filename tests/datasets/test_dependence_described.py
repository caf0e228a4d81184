"""describe: whether labels depend on features, in words, against the test itself."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from labelspan.datasets import describe, load_yeast
from labelspan.stats import dependence_test


def some(rng, n=300, strength=0.35):
    X = rng.normal(size=(n, 4)) * [1, 10, 1000, 0.1] + 5
    Y = rng.random((n, 3)) < 0.5
    Y[:, 0] = rng.random(n) < 0.5 + strength * np.sign(X[:, 3] - 5)
    return X, Y.astype(float)


def test_it_is_the_test_of_features_of_equal_spread(rng):
    X, Y = some(rng, 900)
    found = describe(X, Y, label_names=["a", "b", "c"])
    expected = dependence_test(X / X.std(axis=0), Y, per_label=True).labels
    whole = dependence_test(X / X.std(axis=0), Y)
    assert found.dependence.p_value == pytest.approx(whole.p_value, rel=1e-8)
    assert expected.not_detected == ("1", "2")
    assert found.dependence.not_detected == ("b", "c")
    first = str(found).splitlines()[0]
    assert first == found.dependence.sentence
    assert first.startswith("labels depend on features: p ")
    assert first.endswith("; not detectable for labels b, c")
    assert found.dependence.noise == ""


def test_features_that_are_mostly_zeros_keep_their_scale(rng):
    X, Y = some(rng)
    X = rng.poisson(np.exp(X[:, [0, 3]] - 5.5)).astype(float)
    whole = dependence_test(X, Y).p_value
    for form in (X, sp.csr_array(X)):
        assert describe(form, Y).dependence.p_value == pytest.approx(whole, rel=1e-8)


def test_missing_labels_and_features_count_as_their_means(rng):
    X, Y = some(rng)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    X[3:9, 1] = np.nan
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    expected = dependence_test(filled / filled.std(axis=0), Y)
    assert describe(X, Y).dependence.p_value == pytest.approx(expected.p_value, rel=1e-8)


def test_labels_that_depend_on_nothing_are_a_problem(rng):
    X, Y = some(rng, strength=0)
    X = np.roll(X, 17, axis=0)
    found = describe(X, Y)
    assert found.dependence.p_value > 0.05
    sentence = f"labels are not shown to depend on features: p = {found.dependence.p_value:.2g}"
    assert str(found).splitlines()[0] == sentence
    assert found.problems[0] == found.dependence.noise
    assert "differences between methods are noise" in found.problems[0]


@pytest.mark.parametrize(
    ("X", "Y", "reason"),
    [
        (np.arange(9.0)[:, None], np.eye(9), "because there are only 9 rows"),
        (np.arange(20.0)[:, None], np.ones((20, 2)), "because no label varies"),
        (np.ones((20, 2)), np.eye(20), "because no feature varies"),
        (np.full((20, 1), np.inf), np.eye(20), "because features are infinite"),
        (sp.csr_array((20, 3)), np.eye(20), "because no feature varies"),
    ],
)
def test_what_is_not_tested(X, Y, reason):
    with np.errstate(invalid="ignore"):
        found = describe(X, Y).dependence
    assert found.sentence == f"labels on features: not tested, {reason}"
    assert (found.p_value, found.is_shown, found.noise) == (None, False, "")


def test_many_labels_are_named_in_part(rng):
    X = rng.normal(size=(200, 2))
    Y = np.column_stack([X[:, 0] > 0, rng.random((200, 8)) < 0.5])
    sentence = describe(X, Y, label_names=list("abcdefghi")).dependence.sentence
    assert sentence.endswith("not detectable for labels b, c, d, e, f and 3 more")
    names = ["a", "b\x1b[2J\n" + 99 * "c"]
    hostile = describe(X, Y[:, [0, 3]], label_names=names).dependence.sentence
    assert hostile.endswith("not detectable for label b\\x1b[2J\\n" + 54 * "c")
    one = describe(X, Y[:, :1]).dependence.sentence
    assert ";" not in one


def test_large_data_are_tested_on_some_of_their_rows(rng, limit):
    X, Y = some(rng, 3000)
    limit("quick products", 4 * 4 * 500)
    found = describe(X, Y).dependence
    assert (found.n_rows, found.n_samples) == (500, 3000)
    assert "(500 of 3,000 rows)" in found.sentence
    assert found.is_shown


def test_rows_that_carry_a_side_are_permuted(rng):
    X, Y = some(rng)
    X[:4] *= 1e3
    Y[:4, 1], Y[4:, 2] = 1, 0
    found = describe(X, Y).dependence
    expected = dependence_test(X / X.std(axis=0), Y, n_permutations=199)
    assert expected.method == "permutation"
    assert found.p_value == pytest.approx(expected.p_value, abs=0.1)


def test_long_data_have_nearly_the_p_values_of_all_pairs_of_rows():
    yeast = load_yeast()
    rare = yeast.Y.copy()
    rare[50:, 3] = 0
    order = np.random.default_rng(0).permutation(len(rare))
    found = describe(yeast.X, rare[order]).dependence
    expected = dependence_test(yeast.X / yeast.X.std(axis=0), rare[order])
    assert expected.third_moment == "exact"
    assert found.n_rows == len(rare)
    assert found.p_value == pytest.approx(expected.p_value, rel=0.01)


def test_names_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="label_names has 1 names; Y has 2 labels"):
        describe(np.ones((3, 1)), np.ones((3, 2)), label_names=["a"])
