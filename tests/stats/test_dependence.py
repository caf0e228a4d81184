"""The dependence test: moments against enumeration, p-values against brute force, all inputs."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.metrics.pairwise import rbf_kernel

from labelspan import MDDM
from labelspan.linalg.permutation import null_moments, of_columns, of_gram, of_rows
from labelspan.stats import dependence_test
from tests.reference.inference import all_statistics, published_third_moment, published_variance

FEW = {"n_permutations": 499}


def some(rng, n=60, D=5, q=4, strength=0.0):
    X = rng.normal(size=(n, D)) + 7
    Y = (rng.random((n, q)) < 0.4 + strength * np.sign(X[:, :q] - 7)).astype(float)
    Y[0], Y[1] = 1, 0
    return X, Y


def centred(A):
    return A - A.mean(axis=0)


@pytest.mark.parametrize("n", range(2, 9))
def test_three_moments_equal_those_of_all_permutations(n, rng):
    X, Y = some(rng, n, 3, 2)
    S = all_statistics(X, Y)
    for K, L in ((of_rows(centred(X)), of_rows(centred(Y))), (of_gram(gram(X)), of_gram(gram(Y)))):
        null = null_moments(K, L)
        assert null.mean == pytest.approx(S.mean(), rel=1e-12)
        assert null.variance == pytest.approx(S.var(), rel=1e-12)
        third = null.skewness * null.variance**1.5
        assert third == pytest.approx(
            np.mean((S - S.mean()) ** 3), rel=1e-11, abs=1e-12 * S.std() ** 3
        )
    each = null_moments(of_rows(centred(X)), of_columns(Y))
    alone = np.array([all_statistics(X, Y[:, [j]]) for j in range(2)])
    np.testing.assert_allclose(each.mean, alone.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(each.variance, alone.var(axis=1), rtol=1e-12)


def gram(A):
    return centred(A) @ centred(A).T


def test_the_published_formulas_follow_from_the_partitions(rng):
    X, Y = some(rng, 40)
    K, L = gram(X), gram(Y)
    null = null_moments(of_gram(K), of_gram(L))
    assert null.variance == pytest.approx(published_variance(K, L), rel=1e-10)
    raw = null.skewness * null.variance**1.5 + 3 * null.mean * null.variance + null.mean**3
    assert raw == pytest.approx(published_third_moment(K, L), rel=1e-10)


def test_rows_counted_once_or_often_have_the_sums_of_the_gram_matrix(rng):
    X = rng.normal(size=(9, 4))
    counts = np.array([1, 3, 1, 2, 5, 1, 1, 1, 9.0])
    X -= counts @ X / counts.sum()
    many = np.repeat(X, counts.astype(int), axis=0)
    expected = vars(of_gram(many @ many.T))
    tall = np.vstack([many, -many])
    assert vars(of_rows(X, counts)) == pytest.approx(expected)
    assert vars(of_gram(X @ X.T, counts)) == pytest.approx(expected)
    assert vars(of_rows(tall)) == pytest.approx(vars(of_gram(tall @ tall.T)))


def test_labels_have_the_sums_of_their_columns(rng):
    Y = (rng.random((50, 3)) < 0.2).astype(float)
    for k in range(3):
        expected = vars(of_gram(gram(Y[:, [k]])))
        for columns in (Y, sparse.csr_array(Y)):
            found = {
                name: np.ravel(v)[k % np.size(v)] for name, v in vars(of_columns(columns)).items()
            }
            assert found == pytest.approx(expected)


def test_the_statistic_is_what_mddm_maximises_and_the_tail_that_of_permutations(rng):
    X, Y = some(rng, 300, strength=0.06)
    result = dependence_test(X, Y, per_label=True)
    assert result.statistic == pytest.approx(MDDM(None).fit(X, Y).hsic_)
    assert result.labels.statistic.sum() == pytest.approx(result.statistic)
    drawn = dependence_test(X, Y, method="permutation")
    assert (result.method, drawn.method, drawn.n_permutations) == ("pearson3", "permutation", 9999)
    assert drawn.null_mean == pytest.approx(result.null_mean, rel=0.02)
    assert drawn.null_std == pytest.approx(result.null_std, rel=0.03)
    assert drawn.null_skewness == pytest.approx(result.null_skewness, rel=0.2)
    assert drawn.p_value == pytest.approx(result.p_value, rel=0.3, abs=2e-4)


def test_all_forms_of_the_rows_give_one_result(rng, tmp_path):
    dask = pytest.importorskip("dask.array")
    X, Y = some(rng, 120)
    X[X < 7] = 0
    expected = dependence_test(X, Y, per_label=True, **FEW)
    mapped = np.memmap(tmp_path / "X", X.dtype, "w+", shape=X.shape)
    mapped[:] = X
    lazy = dask.from_array(X, chunks=(50, -1)), dask.from_array(Y, chunks=(50, -1))
    blocks = [(X[:70], Y[:70]), (X[70:], sparse.csr_array(Y[70:]))]
    forms = [(sparse.csr_array(X), sparse.csr_array(Y)), (mapped, Y), lazy, (blocks, None)]
    for form in forms:
        same_test(dependence_test(*form, per_label=True, **FEW), expected)


def same_test(result, expected, rel=1e-8):
    for name in ("statistic", "p_value", "null_mean", "null_std", "null_skewness", "n_rows"):
        assert getattr(result, name) == pytest.approx(getattr(expected, name), rel=rel), name
    if expected.labels is not None:
        assert result.labels.p_values == pytest.approx(expected.labels.p_values, rel=rel)
        assert result.labels.method == expected.labels.method


@pytest.mark.parametrize("weighted", [False, True])
def test_long_data_have_the_sums_of_short(weighted, rng, limit):
    dask = pytest.importorskip("dask.array")
    X, Y = some(rng, 150)
    w = rng.random(150) + 0.5 if weighted else None
    expected = dependence_test(X, Y, sample_weight=w)
    limit("rows for all pairs", 0)
    limit("large X", 0)
    lazy = dask.from_array(X, chunks=(40, -1))
    blocks = [(X[i:j], Y[i:j], *(() if w is None else (w[i:j],))) for i, j in ((0, 90), (90, 150))]
    for form in ((X, Y), (sparse.csr_array(X), Y), (lazy, Y), (blocks, None)):
        weights = None if form[1] is None else w
        same_test(dependence_test(*form, sample_weight=weights), expected)


def test_sums_of_triples_from_sampled_rows_are_near(rng, limit):
    X, Y = some(rng, 3000, D=4)
    expected = dependence_test(X, Y)
    limit("rows for all pairs", 0)
    limit("features for triples", 0)
    result = dependence_test(X, Y)
    assert (expected.third_moment, result.third_moment) == ("exact", "from 1000 rows")
    assert result.null_std == pytest.approx(expected.null_std, rel=1e-8)
    assert result.null_skewness == pytest.approx(expected.null_skewness, rel=0.01)


def test_weights_enter_the_statistic_with_their_rows(rng):
    X, Y = some(rng, 7)
    w = rng.exponential(size=7)
    A = w[:, None] * (X - w @ X / w.sum())
    result = dependence_test(X, Y, sample_weight=w, **FEW)
    S = all_statistics(A, Y)
    assert result.statistic == pytest.approx(np.sum((A.T @ Y) ** 2))
    null = null_moments(of_rows(A), of_rows(centred(Y)))
    assert (null.mean, null.variance) == pytest.approx((S.mean(), S.var()))
    assert result.p_value == pytest.approx(np.mean(S[0] - 1e-9 <= S), abs=0.08)
    twice = dependence_test(
        np.vstack([X, X]), np.vstack([Y, Y]), sample_weight=np.r_[w, 0 * w], **FEW
    )
    assert twice.p_value == result.p_value


def test_missing_labels_are_permuted_with_what_is_missing(rng):
    X, Y = some(rng, 200)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    filled = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)
    result = dependence_test(X, Y, per_label=True)
    null = null_moments(of_rows(centred(X)), of_rows(centred(filled)))
    assert result.statistic == pytest.approx(np.sum((centred(X).T @ filled) ** 2))
    assert (result.null_mean, result.null_std) == pytest.approx((null.mean, null.variance**0.5))
    masked = dependence_test(
        X, sparse.csr_array(np.nan_to_num(Y)), observed=~np.isnan(Y), per_label=True
    )
    same_test(masked, result)


def test_rare_labels_are_enumerated_or_drawn(rng):
    n = 40
    X = rng.normal(size=(n, 3))
    Y = np.zeros((n, 5))
    Y[3, 0] = 1
    Y[[5, 9], 1] = 1
    Y[:, 2] = 1
    Y[7, 2] = 0
    Y[:6, 3] = 1
    A = centred(X)
    labels = dependence_test(X, Y, per_label=True, **FEW).labels
    assert labels.method == ("exact", "exact", "exact", "draws", "constant")
    lengths = np.sum(A**2, axis=1)
    assert labels.p_values[0] == np.mean(lengths >= lengths[3])
    assert labels.p_values[2] == np.mean(lengths >= lengths[7])
    pairs = [np.sum((A[i] + A[j]) ** 2) for i in range(n) for j in range(i)]
    assert labels.p_values[1] == np.mean(np.array(pairs) >= np.sum((A[5] + A[9]) ** 2) - 1e-9)
    sets = np.array([rng.choice(n, 6, replace=False) for _ in range(4000)])
    drawn = np.sum(A[sets].sum(axis=1) ** 2, axis=1)
    share = np.mean(drawn >= np.sum(A[:6].sum(axis=0) ** 2))
    assert labels.p_values[3] == pytest.approx(share, abs=0.08)
    assert labels.p_values[4] == labels.smallest[4] == 1
    assert labels.smallest[:2] == pytest.approx([1 / n, 2 / (n * (n - 1))])
    assert labels.undetectable == ("4",)
    assert labels.adjusted == pytest.approx(stats.false_discovery_control(labels.p_values))


@pytest.mark.parametrize("limited", [False, True])
def test_small_p_values_of_rare_labels_are_drawn_again(limited, rng, limit):
    """All sets of three of 40 rows say what 10,000 draws tell with an error of .0022."""
    n = 40
    X = rng.normal(size=(n, 3))
    A = centred(X)
    sets = np.array(list(combinations(range(n), 3)))
    lengths = np.sum(A[sets].sum(axis=1) ** 2, axis=1)
    order = np.argsort(-lengths)
    Y = np.zeros((n, 2))
    Y[sets[order[len(order) // 20]], 0] = 1
    Y[sets[order[len(order) // 2]], 1] = 1
    if limited:
        limit("rows for all pairs", 0)
    labels = dependence_test(X, Y, per_label=True).labels
    assert labels.method == ("draws", "draws")
    assert labels.p_values[0] == pytest.approx(0.05, abs=0.0015)
    assert labels.p_values[1] == pytest.approx(0.5, abs=0.02)
    assert labels.smallest == pytest.approx([1 / (20 * 9999 + 1), 1e-4])


def test_draws_of_rare_labels_do_not_depend_on_where_rows_are(rng, limit):
    X, Y = rng.normal(size=(400, 3)), rng.integers(2, size=(400, 3)).astype(float)
    Y[:, :2] = 0
    Y[:12, 0], Y[:25, 1] = 1, 1
    X[:12] += 0.7
    near = dependence_test(X, Y, per_label=True).labels
    limit("rows for all pairs", 0)
    blocks = [(X[:150], Y[:150]), (X[150:], Y[150:])]
    for form in ((X, Y), (sparse.csr_array(X), Y), (blocks, None)):
        far = dependence_test(*form, per_label=True).labels
        assert far.method == ("draws", "draws", "pearson3")
        assert far.p_values == pytest.approx(near.p_values, rel=0.3, abs=1e-3)


def test_few_rows_that_carry_a_side_are_permuted(rng):
    X, Y = some(rng, 300)
    X[:5] *= 100
    result = dependence_test(X, Y, per_label=True, **FEW)
    assert result.method == "permutation"
    assert "about" in result.reason
    assert "30" in result.reason
    assert set(result.labels.method) == {"permutation"}
    drawn = dependence_test(X, Y, method="permutation", **FEW)
    assert result.p_value == pytest.approx(drawn.p_value, abs=0.1)
    assert drawn.reason == ""


def test_groups_are_permuted_within(rng):
    """All that X says of Y is the group: within the groups there is nothing."""
    groups = np.repeat(["a", "b", "c"], 40)
    level = np.repeat([0.0, 2.0, 4.0], 40)
    X = rng.normal(size=(120, 3)) + level[:, None]
    Y = (rng.random((120, 2)) < 0.1 + 0.2 * level[:, None]).astype(float)
    assert dependence_test(X, Y).p_value < 1e-6
    result = dependence_test(X, Y, groups=groups, n_permutations=999)
    parts = [(X[groups == g], centred(Y[groups == g])) for g in "abc"]
    assert result.statistic == pytest.approx(np.sum(sum(centred(A).T @ B for A, B in parts) ** 2))
    mean = sum(np.sum(centred(A) ** 2) * np.sum(B**2) / 39 for A, B in parts)
    assert result.null_mean == pytest.approx(mean, rel=0.1)
    assert result.p_value > 0.02


def test_kernels(rng):
    X, Y = some(rng, 90, strength=0.1)
    w = rng.exponential(size=90)
    linear = dependence_test(X, Y, sample_weight=w, per_label=True, **FEW)
    gram_matrix = dependence_test(
        X @ X.T, Y, kernel="precomputed", sample_weight=w, per_label=True, **FEW
    )
    same_test(gram_matrix, linear)
    K = rbf_kernel(X, gamma=0.02)
    by_name = dependence_test(X, Y, kernel="rbf", kernel_params={"gamma": 0.02})
    same_test(by_name, dependence_test(K, Y, kernel="precomputed"))
    H = np.eye(90) - 1 / 90
    assert by_name.statistic == pytest.approx(np.trace(H @ K @ H @ Y @ Y.T))


def test_constant_labels_depend_on_nothing():
    result = dependence_test(np.arange(12.0).reshape(6, 2), np.ones((6, 2)), per_label=True, **FEW)
    assert result.p_value == 1
    assert result.labels.p_values.tolist() == [1, 1]


def test_the_result_prints_as_a_sentence(rng):
    pandas = pytest.importorskip("pandas")
    X, Y = some(rng, 300, q=3, strength=0.2)
    frame = pandas.DataFrame(np.c_[Y, np.arange(300) == 3], columns=["a", "b", "c", "rare"])
    result = dependence_test(X, frame, per_label=True)
    assert str(result).startswith("Labels depend on the features: p ")
    assert "3 of 4 labels" in str(result)
    assert "not detectable: rare" in str(result)
    table = result.labels.to_frame()
    assert table.index.tolist() == ["a", "b", "c", "rare"]
    assert table["p_value"].tolist() == result.labels.p_values.tolist()
    assert result.labels.not_detected == ("rare",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "gamma"}, "use 'moments' or 'permutation'"),
        ({"n_permutations": 5}, "an integer from 19"),
        ({"alpha": 2}, "a level in"),
        ({"groups": [1, 2]}, "groups has 2 entries for 60 rows"),
        ({"groups": np.ones(60), "per_label": True}, "Leave out per_label"),
        ({"kernel": "precomputed"}, r"a precomputed kernel is \(n, n\)"),
    ],
)
def test_what_is_refused(given, message, rng):
    with pytest.raises(ValueError, match=message):
        dependence_test(*some(rng), **given)


def test_blocks_that_are_refused(rng, limit):
    X, Y = some(rng)
    with pytest.raises(ValueError, match="can be read only once"):
        dependence_test(iter([(X, Y)]))
    with pytest.raises(ValueError, match="no blocks"):
        dependence_test([])
    limit("rows for all pairs", 0)
    with pytest.raises(ValueError, match="Permutations need rows in memory"):
        dependence_test([(X, Y)], method="permutation")
    with pytest.raises(ValueError, match="Compute X first"):
        dependence_test([(X, Y)], kernel="rbf")
