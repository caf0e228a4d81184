"""describe: features that number the rows, that dominate the variance, of very different scale."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from labelspan.datasets import describe, load_dataset, load_yeast, read_arff


def toy(n_rows=60, n_features=3, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(n_rows, n_features)), np.eye(2, dtype=np.uint8)[
        random.integers(0, 2, n_rows)
    ]


def described(X, Y, sparse, **options):
    return describe(sp.csr_array(X) if sparse else X, Y, **options)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "numbers",
    [
        np.arange(60),
        np.arange(1, 61)[::-1],
        np.random.default_rng(1).permutation(60),
        np.cumsum(np.random.default_rng(2).integers(1, 1000, 60)),
    ],
    ids=["ascending", "descending", "shuffled", "stamps"],
)
def test_row_numbers_are_found(numbers, sparse):
    X, Y = toy()
    X = np.column_stack([X, numbers])
    found = described(X, Y, sparse, feature_names=["a", "b", "c", "id\n"])
    assert found.identifiers == ("id\n",)
    assert r"1 feature numbers the rows: 'id\n'; leave it out by ignore= (--ignore)" in repr(found)


@pytest.mark.parametrize("sparse", [False, True])
def test_row_numbers_of_each_part_of_a_split_are_found(sparse):
    X, Y = toy()
    X = np.column_stack([X, np.concatenate([np.arange(30), np.arange(30)])])
    parts = {"train": np.arange(30), "test": np.arange(30, 60)}
    assert described(X, Y, sparse, **parts).identifiers == ("feature3",)
    assert described(X, Y, sparse).identifiers == ()


@pytest.mark.parametrize("sparse", [False, True])
def test_measurements_are_not_taken_for_row_numbers(sparse):
    random = np.random.default_rng(3)
    X, Y = toy()
    counts = random.integers(0, 60, 60)
    spread = random.choice(10**6, 60, replace=False)
    ascending = np.sort(X[:, 0])
    assert described(np.column_stack([X, counts, spread, ascending]), Y, sparse).identifiers == ()
    # Too few rows to tell.
    assert described(np.column_stack([X, np.arange(60)])[:20], Y[:20], sparse).identifiers == ()


def test_repeated_rows_are_found_behind_row_numbers():
    X, Y = toy()
    X = np.concatenate([X, X[:10]])
    Y = np.concatenate([Y, Y[:10]])
    numbered = np.column_stack([np.random.default_rng(4).permutation(70), X])
    assert describe(X, Y).n_duplicate_rows == 10
    found = describe(numbered, Y)
    assert found.n_duplicate_rows == 10
    sentence = "10 rows repeat an earlier row but for the features that number the rows"
    assert sentence in found.problems
    # Row numbers alone leave nothing else to compare.
    assert describe(numbered[:, :1], Y).n_duplicate_rows == 0


def test_genbase_with_the_positions_of_its_identifier(data_folder):
    # A reader may return the column as numbers that differ in every row and dominate the variance.
    folder = data_folder / "mulan/genbase"
    parts = folder / "genbase-train.arff.gz", folder / "genbase-test.arff.gz"
    genbase = read_arff(*parts, ignore=["protein"])
    assert describe(genbase.X, genbase.Y).n_duplicate_rows == 457
    X = np.column_stack([np.random.default_rng(0).permutation(662), genbase.X])
    names = ("protein", *genbase.feature_names)
    found = describe(X, genbase.Y, feature_names=names)
    assert found.n_duplicate_rows == 457
    assert found.identifiers == ("protein",)
    name, share = found.dominant_feature
    assert name == "protein"
    assert share == pytest.approx(X[:, 0].var() / X.var(axis=0).sum())
    assert "feature 'protein' has 99.99" in repr(found)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("unit", [1.0, 1e200, 1e-200])
def test_scales(sparse, unit):
    X, Y = toy()
    X[:, 1] *= 1e5
    X = np.column_stack([X, np.full(60, 0.1), np.where(np.arange(60) % 3, 0.0, X[:, 2])]) * unit
    found = described(X, Y, sparse)
    deviations = (X[:, [0, 1, 2, 4]] / unit).std(axis=0)
    low, high, ratio = found.scales
    assert (low, high) == (f"feature{[0, 1, 2, 4][deviations.argmin()]}", "feature1")
    assert ratio == pytest.approx(deviations.max() / deviations.min())
    assert found.dominant_feature[0] == "feature1"
    assert "the standard deviation of 'feature1' is 1." in repr(found)
    assert "% of the variance; scale the features first" in repr(found)


def test_scales_with_missing_values():
    X, Y = toy()
    X[::7, 0] = np.nan
    low, high, ratio = describe(X, Y).scales
    deviations = np.nanstd(X, axis=0)
    assert (low, high) == (f"feature{deviations.argmin()}", f"feature{deviations.argmax()}")
    assert ratio == pytest.approx(deviations.max() / deviations.min())
    assert describe(sp.csr_array(X), Y).scales == pytest.approx((low, high, ratio))


def test_what_does_not_vary_has_no_scale():
    Y = np.eye(2, dtype=np.uint8)
    for X in (np.zeros((2, 3)), np.ones((2, 3)), np.array([[0.0, 1.0], [0.0, 2.0]])):
        found = describe(X, Y)
        assert found.scales is None
        assert found.dominant_feature is None


@pytest.mark.parametrize("name", ["yeast", "scene", "enron", "medical", "slashdot"])
def test_sound_sets_have_no_such_problem(name, data_folder):
    dataset = load_yeast() if name == "yeast" else load_dataset(name)
    found = describe(dataset.X, dataset.Y, train=dataset.train, test=dataset.test)
    assert found.identifiers == ()
    assert found.dominant_feature is None
    assert found.scales[2] < 1e4


def test_names_of_another_number_are_refused():
    X, Y = toy()
    with pytest.raises(ValueError, match="feature_names has 2 names; X has 3 features"):
        describe(X, Y, feature_names=["a", "b"])


NAMES = ["id", "ID", "customer_id", "rowId", "order id", "index", "isbn"]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_integers_that_a_name_calls_an_identifier_are_found(name, sparse):
    X, Y = toy(n_rows=12)
    numbers = np.random.default_rng(0).choice(10**6, 12, replace=False)
    names = ["valid", "android", "paid", name]
    found = described(np.column_stack([X, numbers]), Y, sparse, feature_names=names)
    assert found.identifiers == (name,)
    found = described(np.column_stack([X, numbers]), Y, sparse, feature_names=[*names[:3], "grid"])
    assert found.identifiers == ()
    numbers[1] = numbers[0]
    found = described(np.column_stack([X, numbers]), Y, sparse, feature_names=names)
    assert found.identifiers == ()


SUGGESTED = "suggestion: the features are counts; weigh them by TF-IDF (--scale tfidf, or Tfidf"


def test_counts_are_to_be_weighed_by_tfidf():
    rng = np.random.default_rng(0)
    X, Y = rng.poisson(0.4, (50, 8)).astype(float), toy(50)[1]
    for counts in (X, sp.csr_array(X), np.column_stack([X, np.arange(50)])):
        found = describe(counts, Y)
        assert found.counts
        assert SUGGESTED in repr(found)
    for other in (X + 0.5, -X, X + 1, np.minimum(X, 1), sp.csr_array(X / 2), toy(50)[0]):
        found = describe(other, Y)
        assert not found.counts
        assert "suggestion" not in repr(found)
    assert "TF-IDF" not in "".join(describe(X, Y).problems)
